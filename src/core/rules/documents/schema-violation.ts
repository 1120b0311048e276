import { message } from '../../text/message.ts';
import { schemaErrors, unknownProperties } from '../../registry/schema.ts';
import { INTERCEPTIONS, interceptionText } from '../../http/interception-text.ts';
import { interceptionOf } from '../../http/interception.ts';
import { pointerStep } from '../../json/pointer.ts';
import { isObject, type JsonValue, member } from '../../json/json.ts';
import { listedVersions, manifestApps } from '../../registry/manifest.ts';
import type { ResourceKind } from '../../facts/facts.ts';
import { misplacedDocument, otherFormat } from '../../registry/other-document.ts';
import { safeExcerpt } from '../../text/text.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { pageOwner } from '../owners.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  missing: { title: 'A required field is missing' },
  'wrong-type': { title: 'A field has the wrong type' },
  'metadata-file': { title: 'An app metadata file instead of a manifest' },
  'manifest-file': { title: 'A manifest instead of an app metadata file' },
  misplaced: { title: 'The apps or versions are at another place of the document' },
  'other-format': { title: 'A document of another format, such as that of another registry' },
  'error-message': {
    title: 'An error message instead of the file',
    owner: pageOwner,
    local: message`Write the JSON of the registry to this file: the step that wrote it saved an error message.`,
  },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const schemaViolation = defineRule({
  id: 'schema-violation',
  title: 'Missing field or wrong type',
  on: 'document',
  needs: ['resource', 'value'],
  severity: 'error',
  spec: '2.1',
  symptom: 'by-resource',
  owner: 'author',
  hiddenReason:
    'Its entry in the manifest, or its metadata file, lacks a required field, or has one of the wrong type.',
  causes: CAUSES,
  failsWhen: 'a required field is absent, or a field has the wrong type',
  why: 'The service cannot use an entry that lacks a required field.',
  examples: {
    bad: '{ "apps": [] }',
    good: '{ "apps": {} }',
  },
  check({ resource, value }) {
    const other =
      swap(resource, value) ??
      misplacedDocument(resource, value) ??
      hostMessage(resource, value) ??
      otherFormat(resource, value);
    if (other) return other;
    const kind = resource === 'manifest' ? 'registry' : 'app';
    const errors = schemaErrors(kind, value);
    const unknown = errors.some(({ missing }) => missing !== undefined) ? unknownProperties(kind, value) : [];
    return errors.map(({ pointer, cause, message: summary, advice, missing }) => {
      const misspelled = unknown.find(
        ({ meant, pointer: at, name }) => meant === missing && at === `${pointer}${pointerStep(name)}`,
      );
      return {
        at: pointer,
        cause,
        message: summary,
        // A field that is added would leave the misspelled one where it is.
        advice: misspelled ? message`Rename “${safeExcerpt(misspelled.name, 60)}” to "${missing ?? ''}".` : advice,
      };
    });
  },
});

/** The two kinds of file, swapped: one fault, not a list of missing fields. */
function swap(resource: ResourceKind, value: JsonValue): Problem<Cause> | null {
  const hasApps = manifestApps(value) !== null;
  const hasVersions = listedVersions(value) !== null;
  if (resource === 'manifest' && hasVersions && !hasApps) {
    return {
      cause: 'metadata-file',
      message: message`This is an app metadata file (it has "versions"), not a registry manifest.`,
      advice: message`Use the URL of the manifest, the file that has "apps".`,
    };
  }
  if (resource === 'metadata' && hasApps && !hasVersions) {
    return {
      cause: 'manifest-file',
      message: message`This is a registry manifest (it has "apps"), not an app metadata file.`,
      advice: message`Set appMetadataUrl to the URL of the file that lists the versions of the app.`,
    };
  }
  return null;
}

/** Recognizes a message that a host or store sends in place of a file, as JSON, often with status 200. */
function hostMessage(resource: ResourceKind, value: JsonValue): Problem<Cause> | null {
  if (!isObject(value) || Object.hasOwn(value, 'apps') || Object.hasOwn(value, 'versions')) return null;
  const intercepted = interceptionOf({ headers: [] }, JSON.stringify(value));
  if (intercepted !== null)
    return {
      cause: 'error-message',
      message: message`This is a message of a product in front of the host, not the file: ${interceptionText(intercepted)}.`,
      advice: INTERCEPTIONS[intercepted.kind].advice,
      evidence: { product: intercepted.product, page: intercepted.kind },
    };
  const name =
    NAMES.find((key) => Object.hasOwn(value, key)) ?? (typeof value['status'] === 'number' ? 'status' : null);
  if (name === null) return null;
  const text = messageIn(value);
  return {
    cause: 'error-message',
    message: message`This is an error message${text === null ? '' : ` (“${safeExcerpt(text, 120)}”)`}, not ${resource === 'manifest' ? 'a registry manifest' : 'an app metadata file'}.`,
    advice: message`The host sends it instead of the file: check the URL, that the file was uploaded, and that it is public. Errors should have a 4xx or 5xx status.`,
    evidence: { field: name },
  };
}

const NAMES = ['error', 'errors', 'Error', 'message', 'Message', 'msg', 'detail', 'fault', 'statusCode'];

/** The first text under one of these names, or one level below. */
function messageIn(value: JsonValue): string | null {
  for (const key of [...NAMES, 'title']) {
    const found = member(value, key);
    const inner = Array.isArray(found) ? found[0] : found;
    if (typeof inner === 'string') return inner;
    for (const name of ['message', 'Message', 'detail', 'title', 'reason']) {
      const text = member(inner, name);
      if (typeof text === 'string') return text;
    }
  }
  return null;
}

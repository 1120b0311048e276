import { message } from '../../text/message.ts';
import { answersToAll, toBrowsers } from '../../http/answers.ts';
import { isAlternating } from '../../http/judged-headers.ts';
import { headerValue, mediaType } from '../../http/headers.ts';
import type { Probe, ResourceKind } from '../../facts/facts.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { finalHop, hostOf } from '../../http/probe.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { defineRule, explainedBy, type Problem } from '../rule.ts';
import type { artifactChecksumMismatch } from '../artifacts/artifact-checksum-mismatch.ts';
import type { artifactNotTarGz } from '../artifacts/artifact-not-tar-gz.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import type { documentUnreadable } from '../documents/document-unreadable.ts';

const OTHER_KIND = 'Another kind of file is served, and the type is that of its bytes';

const CAUSES = {
  missing: { title: 'Content-Type is missing' },
  'not-json': { title: 'A JSON file has a different type' },
  charset: { title: 'A JSON file has a charset other than UTF-8' },
  html: { title: 'An artifact has the type text/html' },
  text: { title: 'An artifact has a text type' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const contentTypeWrong = defineRule({
  id: 'content-type-wrong',
  title: 'Wrong Content-Type',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'by-resource',
  owner: 'host',
  supersededBy: [
    ...NOT_THE_FILE,
    explainedBy<typeof documentUnreadable>(
      'document-unreadable',
      OTHER_KIND,
      'git-lfs-pointer',
      'svg-image',
      'source-code',
      'javascript',
      'gzip',
      'zstd',
    ),
    explainedBy<typeof artifactChecksumMismatch>(
      'artifact-checksum-mismatch',
      OTHER_KIND,
      'text',
      'git-lfs-pointer',
      'gzip-as-base64',
    ),
    explainedBy<typeof artifactNotTarGz>(
      'artifact-not-tar-gz',
      OTHER_KIND,
      'html-page',
      'git-lfs-pointer',
      'json',
      'xml',
      'text',
      'gzip-as-base64',
    ),
  ],
  causes: CAUSES,
  failsWhen:
    'the Content-Type of a JSON file is not JSON, or that of an artifact is text or HTML, in the response to any client',
  why: 'Clients and proxies that rely on it reject the file, convert its line endings or character set, or compress it again.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
Content-Type: text/plain`,
    good: `GET /registry.json

HTTP/1.1 200 OK
Content-Type: application/json`,
  },
  check({ resource, web }) {
    // Icons have a rule of their own.
    if (resource === 'icon' || isAlternating(web, 'Content-Type')) return null;
    for (const probe of answersToAll(web)) {
      const problem = problemOf(resource, probe, toBrowsers(web, probe, contentTypeOf));
      if (problem !== null) return problem;
    }
    return null;
  },
});

function contentTypeOf(probe: Probe): string | null {
  return headerValue(finalHop(probe).headers, 'content-type');
}

/** @param whom words to append to “is served” */
function problemOf(resource: ResourceKind, probe: Probe, whom: string): Problem<Cause> | null {
  const hop = finalHop(probe);
  const found = mediaType(hop.headers);
  const type = found?.type ?? '';
  if (resource === 'artifact') {
    if (!type.startsWith('text/') && type !== 'application/xhtml+xml' && !/[/+]json$/.test(type)) return null;
    return {
      cause: type === 'text/html' ? 'html' : 'text',
      message: message`The artifact is served as ${type}${whom}, which is a text type.`,
      advice: message`Serve .tar.gz files with Content-Type: application/gzip`,
      evidence: { contentType: type },
      dedupeKey: `artifact ${hostOf(hop.url)} ${type}`,
    };
  }
  if (found === null || type === '') {
    return {
      cause: 'missing',
      message: message`The ${resourceName(resource)} is served without a Content-Type${whom}.`,
      advice: message`Serve .json files with Content-Type: application/json`,
      evidence: { contentType: null },
    };
  }
  if (type !== 'application/json' && type !== 'text/json' && !/^[a-z]+\/[^;]+\+json$/.test(type)) {
    return {
      cause: 'not-json',
      message: message`The ${resourceName(resource)} is served as ${type}${whom}, not as JSON.`,
      advice: message`Serve .json files with Content-Type: application/json`,
      evidence: { contentType: type },
    };
  }
  const { charset } = found;
  if (charset === null || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return null;
  return {
    cause: 'charset',
    message: message`The ${resourceName(resource)} is served with charset=${charset}${whom}, but JSON is always UTF-8.`,
    advice: message`Remove the charset: Content-Type: application/json`,
    evidence: { contentType: type, charset },
  };
}

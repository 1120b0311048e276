import type { ResourceKind } from '../facts/resource-kind.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../json/json.ts';
import { pointerTo } from '../json/pointer.ts';
import { message, type SafeText } from '../text/message.ts';
import { safeExcerpt } from '../text/text.ts';
import { listedVersions, manifestApps } from './manifest.ts';

/** JSON that is not a manifest or metadata file: of which format it is, or where in it the registry is. */

export interface OtherDocument {
  cause: 'other-format' | 'misplaced';
  message: SafeText;
  advice: SafeText;
}

/** @returns null if the apps or versions are where they belong, or nowhere */
export function misplacedDocument(resource: ResourceKind, value: JsonValue): OtherDocument | null {
  const kind = kindOf(resource);
  return kind.isDocument(value) || formatOf(value) !== null ? null : misplaced(kind, value);
}

/**
 * Recognizes a document of another format; null for one that may be a manifest or metadata file, and for an empty
 * object. Such a document must neither be told to add a field, nor to remove those that it has.
 */
export function otherFormat(resource: ResourceKind, value: JsonValue): OtherDocument | null {
  const kind = kindOf(resource);
  const { is, field, advice } = kind;
  if (kind.isDocument(value) && !isOtherList(kind, value)) return null;
  const format = formatOf(value);
  if (format !== null) return { cause: 'other-format', message: message`This is ${format}, not ${is}.`, advice };
  if (!isObject(value) || Object.hasOwn(value, field)) return null;
  const names = Object.keys(value).filter((name) => !isIgnored(name));
  // A misspelled name, which property-unknown reports.
  if (names.length === 0 || names.some((name) => name.toLowerCase().replace(/s$/, '') === field.slice(0, -1)))
    return null;
  const shown = names.slice(0, 3).map((name) => `“${safeExcerpt(name, 40)}”`);
  return {
    cause: 'other-format',
    message: message`This is not ${is}: it has no "${field}", but ${shown.join(', ')}${names.length > 3 ? ' and others' : ''}.`,
    advice,
  };
}

function kindOf(resource: ResourceKind): Kind {
  return KINDS[resource === 'manifest' ? 'manifest' : 'metadata'];
}

/** True for the names that other rules ignore. */
function isIgnored(name: string): boolean {
  return name === '$schema' || name.startsWith('x-');
}

interface Kind {
  /** `a registry manifest` */
  is: string;
  /** The field at its top. */
  field: 'apps' | 'versions';
  /** The elements of that field. */
  elements: string;
  isDocument(value: JsonValue): boolean;
  /** True for an element of the list: one of its own fields is there. */
  isElement(value: JsonValue): boolean;
  /** True for what belongs under the field. */
  isList(value: JsonValue): boolean;
  advice: SafeText;
}

const isEntry = (value: JsonValue): boolean =>
  isObject(value) && (Object.hasOwn(value, 'appMetadataUrl') || Object.hasOwn(value, 'blockStyle'));
const isVersion = (value: JsonValue): boolean =>
  isObject(value) && (Object.hasOwn(value, 'artifactUrl') || Object.hasOwn(value, 'artifactChecksum'));

const KINDS: Record<'manifest' | 'metadata', Kind> = {
  manifest: {
    is: 'a registry manifest',
    field: 'apps',
    elements: 'apps',
    isDocument: (value) => manifestApps(value) !== null,
    isElement: isEntry,
    isList: (value) => isObject(value) && hasOnly(entriesIn(value), isEntry),
    advice: message`Use the URL of the registry manifest, the file that has the apps under "apps".`,
  },
  metadata: {
    is: 'an app metadata file',
    field: 'versions',
    elements: 'versions',
    isDocument: (value) => listedVersions(value) !== null,
    isElement: isVersion,
    isList: (value) => Array.isArray(value) && hasOnly(value, isVersion),
    advice: message`Set appMetadataUrl to the URL of the file that has the versions under "versions".`,
  },
};

function entriesIn(value: JsonObject): JsonValue[] {
  return Object.entries(value).flatMap(([name, inner]) => (isIgnored(name) ? [] : [inner]));
}

function hasOnly(values: readonly JsonValue[], isOne: (value: JsonValue) => boolean): boolean {
  return values.length > 0 && values.slice(0, MOST_MEMBERS).every(isOne);
}

/** True for a list of versions of another format, such as those of a Terraform provider. */
function isOtherList({ field, isElement }: Kind, value: JsonValue): boolean {
  const list = member(value, field);
  return Array.isArray(list) && list.length > 0 && !list.some(isElement) && formatOf(value) !== null;
}

const MOST_MEMBERS = 50;
const DEEPEST = 3;

/** The apps or versions at another place of the document. */
function misplaced(kind: Kind, value: JsonValue): OtherDocument | null {
  const { field, elements, is } = kind;
  if (kind.isElement(value))
    return {
      cause: 'misplaced',
      message: message`This is one of the ${elements}, without the document around it.`,
      advice:
        field === 'apps'
          ? message`Put it under its key in "apps": { "apps": { "<key>": { … } } }`
          : message`Put it into the list "versions": { "versions": [ { … } ] }`,
    };
  if (kind.isList(value))
    return {
      cause: 'misplaced',
      message: message`The ${elements} are at the top of the document, and not under "${field}".`,
      advice:
        field === 'apps'
          ? message`Put them under "apps": { "apps": { … } }`
          : message`Put the list under "versions": { "versions": [ … ] }`,
    };
  const found = placeIn(kind, value, []);
  if (found === null) return null;
  const pointer = pointerTo(...found.path);
  if (found.isDocument)
    return {
      cause: 'misplaced',
      message: message`The document has ${is} inside, at “${safeExcerpt(pointer, 100)}”; it must be the whole document.`,
      advice: message`Serve the value at “${safeExcerpt(pointer, 100)}” by itself: a program that answers requests, such as an API, has put it into another object.`,
    };
  return {
    cause: 'misplaced',
    message: message`The ${elements} are at “${safeExcerpt(pointer, 100)}”, and not under "${field}".`,
    advice:
      found.path.length === 1
        ? message`Rename “${safeExcerpt(found.path[0] ?? '', 60)}” to "${field}".`
        : message`Put them under "${field}", at the top of the document.`,
  };
}

interface Place {
  path: string[];
  isDocument: boolean;
}

function placeIn(kind: Kind, value: JsonValue, path: readonly string[]): Place | null {
  if (!isObject(value) || path.length >= DEEPEST) return null;
  const members = Object.entries(value).slice(0, MOST_MEMBERS);
  for (const [name, inner] of members) {
    if (kind.isDocument(inner)) return { path: [...path, name], isDocument: true };
    if (kind.isList(inner)) return { path: [...path, name], isDocument: false };
  }
  for (const [name, inner] of members) {
    const found = placeIn(kind, inner, [...path, name]);
    if (found !== null) return found;
  }
  return null;
}

const has =
  (...names: readonly string[]) =>
  (value: JsonObject): boolean =>
    names.every((name) => Object.hasOwn(value, name));
const hasList =
  (name: string, ...fields: readonly string[]) =>
  (value: JsonObject): boolean => {
    const list = value[name];
    return (
      Array.isArray(list) &&
      list.length > 0 &&
      isObject(list[0]) &&
      fields.some((field) => member(list[0], field) !== undefined)
    );
  };
const any =
  (...tests: readonly ((value: JsonObject) => boolean)[]) =>
  (value: JsonObject): boolean =>
    tests.some((test) => test(value));
const both =
  (...tests: readonly ((value: JsonObject) => boolean)[]) =>
  (value: JsonObject): boolean =>
    tests.every((test) => test(value));

/** Formats of other registries, APIs and tools: noun phrases. The first that applies decides. */
const FORMATS: readonly (readonly [is: string, when: (value: JsonObject) => boolean])[] = [
  ['the document of an npm package', has('dist-tags')],
  ['a result of npm’s search', hasList('objects', 'package')],
  ['a package-lock.json', has('lockfileVersion')],
  [
    'a package.json',
    both(
      has('name', 'version'),
      any(has('dependencies'), has('devDependencies'), has('scripts'), has('main'), has('exports')),
    ),
  ],
  ['the index of a Helm repository', has('apiVersion', 'entries')],
  ['a Kubernetes resource', has('apiVersion', 'kind')],
  [
    'an index or manifest of an OCI registry',
    both(has('schemaVersion'), any(has('manifests'), has('layers'), has('fsLayers'))),
  ],
  ['the catalog of an OCI registry', ({ repositories }) => Array.isArray(repositories)],
  ['the list of tags of an OCI registry', (value) => Array.isArray(value['tags']) && typeof value['name'] === 'string'],
  ['the list of versions of a Terraform provider', hasList('versions', 'protocols', 'platforms')],
  [
    'a result of a Terraform registry',
    any(hasList('modules', 'versions', 'namespace', 'source'), hasList('providers', 'namespace')),
  ],
  [
    'the service discovery of a Terraform registry',
    (value) => Object.keys(value).some((name) => /^(?:modules|providers|login|state|tfe)\.v\d/.test(name)),
  ],
  ['a result of the Visual Studio Marketplace', hasList('results', 'extensions')],
  ['a result of Open VSX', hasList('extensions', 'namespace', 'publisher')],
  ['a release, from the API of a code host', has('tag_name')],
  ['a file, from the API of a code host', both(has('content', 'encoding'), any(has('sha'), has('blob_id')))],
  ['a file, from the API of a code host', has('sha', 'download_url')],
  ['a repository, from the API of a code host', any(has('full_name', 'html_url'), has('path_with_namespace'))],
  ['a list of artifacts, from the API of GitHub Actions', hasList('artifacts', 'archive_download_url')],
  ['an index of PyPI', (value) => member(value['meta'] ?? null, 'api-version') !== undefined],
  ['the document of a package of PyPI', has('info', 'urls')],
  ['the index of a NuGet feed', hasList('resources', '@type')],
  ['the index of a Composer repository', any(has('metadata-url'), has('provider-includes'))],
  ['the update center of Jenkins', has('updateCenterVersion')],
  ['the index of an F-Droid repository', both(has('repo'), any(has('packages'), has('apps')))],
  ['a source of AltStore', hasList('apps', 'bundleIdentifier')],
  ['a list of servers of an MCP registry', hasList('servers', 'server', 'packages', 'remotes')],
  ['a bill of materials (CycloneDX)', has('bomFormat')],
  ['a bill of materials (SPDX)', any(has('spdxVersion'), has('SPDXID'))],
  ['a JSON Schema', ({ $schema }) => typeof $schema === 'string' && $schema.includes('json-schema.org')],
  ['a description of an API (OpenAPI)', any(has('openapi'), has('swagger'))],
  ['the manifest of a browser extension', has('manifest_version')],
  ['the manifest of a web app', both(has('icons'), any(has('start_url'), has('display')))],
  ['an attestation', any(has('dsseEnvelope'), has('verificationMaterial'))],
];

/** The format of a document; of a list, that of its first element. */
function formatOf(value: JsonValue): string | null {
  const isList = Array.isArray(value);
  const one = isList ? value[0] : value;
  if (!isObject(one)) return null;
  const found = FORMATS.find(([, when]) => when(one))?.[0];
  if (found === undefined) return null;
  return isList ? `a list, whose first element is ${found}` : found;
}

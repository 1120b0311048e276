import { schemaViolation } from '../../../../src/core/rules/documents/schema-violation.ts';
import type { JsonValue } from '../../../../src/core/json/json.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const manifest = (value: unknown) => ({ resource: 'manifest' as const, value: value as JsonValue });
const metadata = (value: unknown) => ({ resource: 'metadata' as const, value: value as JsonValue });
const blockStyle = { iconUrl: 'https://x.test/i.svg', color: '#112233' };
const completeEntry = { name: 'A', description: 'B', blockStyle, appMetadataUrl: 'https://x.test/a.json' };
const app = (entry: unknown) => manifest({ apps: { a: entry } });
const without = (field: string) =>
  app(Object.fromEntries(Object.entries(completeEntry).filter(([name]) => name !== field)));
const version = { version: '1.0.0', artifactUrl: 'https://x.test/a.tar.gz', artifactChecksum: 'sha256:00' };
const oneVersion = (entry: unknown) => metadata({ versions: [entry] });

const versions = [version];

/** Documents of other registries and tools, and a part of the message. */
const OTHER_FORMATS: readonly (readonly [value: unknown, is: string])[] = [
  [{ name: 'echo', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': {} } }, 'an npm package'],
  [{ objects: [{ package: { name: 'echo' } }], total: 1 }, 'npm’s search'],
  [{ name: 'echo', version: '1.0.0', dependencies: {} }, 'a package.json'],
  [{ apiVersion: 'v1', entries: { echo: [{ version: '1.0.0' }] } }, 'a Helm repository'],
  [{ schemaVersion: 2, manifests: [] }, 'an OCI registry'],
  [{ schemaVersion: 2, config: {}, layers: [] }, 'an OCI registry'],
  [{ repositories: ['echo'] }, 'catalog of an OCI registry'],
  [{ name: 'echo', tags: ['1.0.0'] }, 'tags of an OCI registry'],
  [{ modules: [{ versions: [{ version: '1.0.0' }] }] }, 'Terraform'],
  [{ 'providers.v1': '/v1/providers/' }, 'service discovery of a Terraform registry'],
  [{ results: [{ extensions: [{ extensionName: 'echo' }] }] }, 'Visual Studio Marketplace'],
  [[{ tag_name: 'v1.0.0', assets: [] }], 'a release'],
  [{ url: 'https://api.test', tag_name: 'v1.0.0', assets: [] }, 'a release'],
  [{ name: 'r.json', sha: 'ab', encoding: 'base64', content: 'e30=' }, 'a file, from the API of a code host'],
  [[{ name: 'r.json', sha: 'ab', download_url: 'https://x.test' }], 'a file, from the API of a code host'],
  [{ id: 1, full_name: 'me/echo', html_url: 'https://x.test' }, 'a repository'],
  [{ meta: { 'api-version': '1.0' }, projects: [] }, 'PyPI'],
  [{ version: '3.0.0', resources: [{ '@type': 'x' }] }, 'NuGet'],
  [{ name: 'X', apps: [{ bundleIdentifier: 'x' }] }, 'AltStore'],
  [{ $schema: 'https://json-schema.org/draft/2020-12/schema', properties: { apps: {} } }, 'a JSON Schema'],
  [{ plugins: {}, core: {} }, 'it has no "apps", but “plugins”, “core”'],
];

ruleTable(schemaViolation, {
  clean: [
    ['no apps', manifest({ apps: {} })],
    ['one app', app(completeEntry)],
    [
      'unknown fields of any type',
      manifest({ apps: { a: { ...completeEntry, more: [1, null] } }, 'x-y': 3, $schema: 'https://x.test' }),
    ],
    [
      'the keys that objects inherit',
      manifest({
        apps: {
          constructor: completeEntry,
          toString: completeEntry,
          hasOwnProperty: completeEntry,
          valueOf: completeEntry,
        },
      }),
    ],
    ['the key __proto__', manifest(JSON.parse(`{"apps":{"__proto__":${JSON.stringify(completeEntry)}}}`))],
    ['keys that look like numbers', manifest({ apps: { 2: completeEntry, 1: completeEntry, b: completeEntry } })],
    ['empty strings, which other rules check', app({ ...completeEntry, name: '', description: '' })],
    ['no versions', metadata({ versions: [] })],
    ['one version', oneVersion(version)],
    ['a version with more fields', oneVersion({ ...version, size: 3, nested: { versions: 1 } })],
    ['a manifest that has versions as well', manifest({ apps: {}, versions: [] })],
  ],
  faulty: [
    ...OTHER_FORMATS.map(
      ([value, is]) =>
        [
          `another format: ${is}`,
          manifest(value),
          { cause: 'other-format', message: is, advice: 'Use the URL' },
        ] as const,
    ),
    [
      'the versions of a Terraform provider',
      metadata({ versions: [{ version: '1.0.0', protocols: ['5.0'] }] }),
      { cause: 'other-format', message: 'a Terraform provider', advice: 'Set appMetadataUrl' },
    ],
    [
      'an npm package for metadata',
      metadata({ 'dist-tags': {}, versions: {} }),
      { cause: 'other-format', message: 'not an app metadata file' },
    ],
    [
      'the manifest in the answer of an API',
      manifest({ data: { apps: { a: completeEntry } } }),
      { cause: 'misplaced', message: 'at “/data”', advice: 'Serve the value at “/data” by itself' },
    ],
    [
      'with a status beside it',
      manifest({ status: 200, result: { registry: { apps: {} } } }),
      { cause: 'misplaced', message: '“/result/registry”' },
    ],
    ['apps without a name', manifest({ a: completeEntry }), { cause: 'misplaced', advice: '{ "apps": { … } }' }],
    [
      'apps under another name',
      manifest({ plugins: { a: completeEntry } }),
      { cause: 'misplaced', advice: 'Rename “plugins”' },
    ],
    ['one app', manifest(completeEntry), { cause: 'misplaced', advice: 'under its key' }],
    ['a list of versions', metadata(versions), { cause: 'misplaced', advice: '{ "versions": [ … ] }' }],
    ['one version', metadata(version), { cause: 'misplaced', advice: 'into the list' }],
    ['versions in the answer of an API', metadata({ data: { versions } }), { cause: 'misplaced', message: '“/data”' }],
    [
      'versions under another name',
      metadata({ releases: versions }),
      { cause: 'misplaced', advice: 'Rename “releases”' },
    ],
    ['a misspelled name', manifest({ app: {} }), { cause: 'missing', advice: 'Rename “app” to "apps".' }],
    ['a name in capitals', manifest({ Apps: {} }), { cause: 'missing', advice: 'Rename “Apps”' }],
    ['null', manifest(null), { at: '', cause: 'wrong-type', message: 'The document must be an object' }],
    ['an array', manifest([]), { at: '', cause: 'wrong-type' }],
    ['a string', manifest('x'), { at: '', cause: 'wrong-type' }],
    ['a number', manifest(1), { at: '', cause: 'wrong-type' }],
    ['true', manifest(true), { at: '', cause: 'wrong-type' }],
    ['no apps field', manifest({}), { at: '', cause: 'missing', message: '“apps”', advice: '"apps": {}' }],
    ['apps inherited from nowhere', manifest(JSON.parse('{"__proto__":{"apps":{}}}')), { cause: 'misplaced' }],
    ['apps as a list', manifest({ apps: [completeEntry] }), { at: '/apps', cause: 'wrong-type', advice: 'braces' }],
    ['apps null', manifest({ apps: null }), { at: '/apps', cause: 'wrong-type' }],
    ['an entry null', app(null), { at: '/apps/a', cause: 'wrong-type' }],
    ['an entry a list', app([]), { at: '/apps/a', cause: 'wrong-type' }],
    ['an entry a text', app('https://x.test/a.json'), { at: '/apps/a', cause: 'wrong-type' }],
    [
      '__proto__ with an entry of the wrong type',
      manifest(JSON.parse('{"apps":{"__proto__":1}}')),
      { at: '/apps/__proto__', cause: 'wrong-type' },
    ],
    ['a key with / and ~ in it', manifest({ apps: { 'a/b~c': 1 } }), { at: '/apps/a~1b~0c', cause: 'wrong-type' }],
    ['no name', without('name'), { at: '/apps/a', cause: 'missing', message: '“name”' }],
    ['no description', without('description'), { at: '/apps/a', cause: 'missing', message: '“description”' }],
    ['no blockStyle', without('blockStyle'), { at: '/apps/a', cause: 'missing', advice: '"iconUrl"' }],
    ['no appMetadataUrl', without('appMetadataUrl'), { at: '/apps/a', cause: 'missing', advice: 'versions.json' }],
    [
      'name a number',
      app({ ...completeEntry, name: 7 }),
      { at: '/apps/a/name', cause: 'wrong-type', advice: 'double quotes' },
    ],
    ['name null', app({ ...completeEntry, name: null }), { at: '/apps/a/name', cause: 'wrong-type' }],
    ['name a list', app({ ...completeEntry, name: ['A'] }), { at: '/apps/a/name', cause: 'wrong-type' }],
    [
      'description an object',
      app({ ...completeEntry, description: {} }),
      { at: '/apps/a/description', cause: 'wrong-type' },
    ],
    [
      'blockStyle a text: one fault, not three',
      app({ ...completeEntry, blockStyle: '#112233' }),
      { at: '/apps/a/blockStyle', cause: 'wrong-type' },
    ],
    ['blockStyle null', app({ ...completeEntry, blockStyle: null }), { at: '/apps/a/blockStyle', cause: 'wrong-type' }],
    [
      'blockStyle empty',
      app({ ...completeEntry, blockStyle: {} }),
      [
        { at: '/apps/a/blockStyle', message: '“iconUrl”' },
        { at: '/apps/a/blockStyle', message: '“color”' },
      ],
    ],
    [
      'colour a number',
      app({ ...completeEntry, blockStyle: { ...blockStyle, color: 16777215 } }),
      { at: '/apps/a/blockStyle/color', cause: 'wrong-type' },
    ],
    [
      'iconUrl false',
      app({ ...completeEntry, blockStyle: { ...blockStyle, iconUrl: false } }),
      { at: '/apps/a/blockStyle/iconUrl', cause: 'wrong-type' },
    ],
    [
      'all faults of all entries at once',
      manifest({ apps: { a: 1, b: { ...completeEntry, name: 2 }, c: completeEntry } }),
      [{ at: '/apps/a' }, { at: '/apps/b/name' }],
    ],
    ['metadata null', metadata(null), { at: '', cause: 'wrong-type' }],
    ['metadata empty', metadata({}), { at: '', cause: 'missing', advice: '"versions": []' }],
    [
      'versions an object by version',
      metadata({ versions: { '1.0.0': {} } }),
      { at: '/versions', cause: 'wrong-type', advice: 'square brackets' },
    ],
    ['versions null', metadata({ versions: null }), { at: '/versions', cause: 'wrong-type' }],
    ['an element a text', oneVersion('1.0.0'), { at: '/versions/0', cause: 'wrong-type' }],
    ['an element null', metadata({ versions: [version, null] }), { at: '/versions/1', cause: 'wrong-type' }],
    ['version a number', oneVersion({ ...version, version: 1.2 }), { at: '/versions/0/version', cause: 'wrong-type' }],
    [
      'an empty element',
      oneVersion({}),
      [
        { message: '“version”' },
        { message: '“artifactUrl”' },
        { message: '“artifactChecksum”', advice: 'appreg checksum' },
      ],
    ],
    [
      'artifactChecksum null',
      oneVersion({ ...version, artifactChecksum: null }),
      { at: '/versions/0/artifactChecksum', cause: 'wrong-type' },
    ],
    [
      'metadata instead of the manifest',
      manifest({ versions: [version, 1] }),
      { cause: 'metadata-file', message: 'not a registry manifest' },
    ],
    [
      'the manifest instead of metadata',
      metadata({ apps: { a: completeEntry } }),
      { cause: 'manifest-file', advice: 'appMetadataUrl' },
    ],
    ...(
      [
        [{ error: 'Not found' }, 'Not found'],
        [{ error: { code: 403, message: 'Access denied.' } }, 'Access denied.'],
        [{ message: 'Not Found', documentation_url: 'https://docs.test/', status: '404' }, 'Not Found'],
        [{ errors: [{ status: 404, message: 'Could not find resource' }] }, 'Could not find resource'],
        [{ statusCode: 404, message: 'Cannot GET /r.json', error: 'Not Found' }, 'Not Found'],
        [{ type: 'about:blank', title: 'Forbidden', status: 403 }, 'Forbidden'],
        [{ Error: { Code: 'NoSuchKey', Message: 'The key does not exist.' } }, 'The key does not exist.'],
        [{ message: '\u001b[2J' }, '\\u'],
        [{ error: true }, 'This is an error message, not'],
      ] as const
    ).flatMap(
      ([value, message]) =>
        [
          [`an error message: ${JSON.stringify(value)}`, manifest(value), { cause: 'error-message', message }],
          ['the same for metadata', metadata(value), { cause: 'error-message', message: 'not an app metadata file' }],
        ] as const,
    ),
    ['a message beside other versions', metadata({ versions: null, error: 'x' }), { cause: 'wrong-type' }],
  ],
});

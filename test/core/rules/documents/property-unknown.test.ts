import { propertyUnknown } from '../../../../src/core/rules/documents/property-unknown.ts';
import type { JsonValue } from '../../../../src/core/json/json.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const manifest = (value: unknown) => ({ resource: 'manifest' as const, value: value as JsonValue });
const metadata = (value: unknown) => ({ resource: 'metadata' as const, value: value as JsonValue });
const entry = (fields: object) => manifest({ apps: { a: fields } });
const version = (fields: object) => metadata({ versions: [fields] });

ruleTable(propertyUnknown, {
  clean: [
    ['every known field', entry({ name: 1, description: 1, appMetadataUrl: 1, blockStyle: { iconUrl: 1, color: 1 } })],
    ['every known field of metadata', version({ version: 1, artifactUrl: 1, artifactChecksum: 1 })],
    [
      'x- fields at every level, with any value',
      manifest({ 'x-a': { b: 1 }, apps: { a: { 'x-b': 1, blockStyle: { 'x-c': 1 } } } }),
    ],
    ['$schema', manifest({ $schema: 'https://x.test/s.json', apps: {} })],
    [
      'app keys, which are not fields',
      manifest({ apps: { version: {}, __proto__: {}, constructor: {}, 'x-app': {} } }),
    ],
    ['documents of another type', manifest([1, 'a', null])],
    ['an entry of another type', entry(['name'])],
    ['apps as a list, which is another fault', manifest({ apps: [{ key: 'a', name: 'A' }] })],
    ['versions as an object, which is another fault', metadata({ versions: { '1.0.0': { url: 'x' } } })],
    ['no versions', metadata({ versions: null })],
  ],
  faulty: [
    [
      'an unknown field',
      entry({ homepage: 'https://x.test' }),
      { at: '/apps/a/homepage', onName: true, message: '“homepage”', advice: 'x-' },
    ],
    [
      'a letter left out',
      entry({ descripton: 1 }),
      {
        at: '/apps/a/descripton',
        cause: 'misspelled',
        message: 'Did you mean “description”?',
        advice: '"description"',
      },
    ],
    ['other case', entry({ blockstyle: 1 }), { cause: 'misspelled', advice: '"blockStyle"' }],
    ['dashes', entry({ 'app-metadata-url': 1 }), { cause: 'misspelled', advice: '"appMetadataUrl"' }],
    [
      'underscores',
      version({ artifact_checksum: 1 }),
      { at: '/versions/0/artifact_checksum', cause: 'misspelled', advice: '"artifactChecksum"' },
    ],
    ['another word for it', version({ sha256: 1 }), { cause: 'misspelled', advice: '"artifactChecksum"' }],
    [
      'British colour',
      entry({ blockStyle: { colour: '#112233' } }),
      { at: '/apps/a/blockStyle/colour', advice: '"color"' },
    ],
    ['resembles a field that is there already', entry({ description: 'x', descripton: 'y' }), { advice: 'x-' }],
    ['version instead of versions', metadata({ version: [] }), { at: '/version', advice: '"versions"' }],
    ['app instead of apps', manifest({ app: {} }), { at: '/app', cause: 'misspelled', advice: '"apps"' }],
    [
      'names that objects inherit',
      entry({ constructor: 1, toString: 2 }),
      [{ at: '/apps/a/constructor' }, { at: '/apps/a/toString' }],
    ],
    ['__proto__ as a field', manifest(JSON.parse('{"apps":{},"__proto__":1}')), { at: '/__proto__' }],
    ['a slash in the name', entry({ 'a/b~': 1 }), { at: '/apps/a/a~1b~0' }],
    ['only X- in capitals', entry({ 'X-Foo': 1 }), { at: '/apps/a/X-Foo' }],
    ['in the second version', metadata({ versions: [{}, { size: 1 }] }), { at: '/versions/1/size' }],
  ],
});

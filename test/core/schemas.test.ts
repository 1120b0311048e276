import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, test } from 'vitest';
import { validateConfig } from '../../src/core/generated/config.js';
import { judge, startJudging } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { json } from '../../src/report/index.ts';
import { checksum, NOW } from '../support/core-facts.ts';
import { artifact, BASE, document, entry, metadataWith, snapshot } from '../support/snapshots.ts';

/** The schemas are for editors, the rules for everything else: both must agree on the same documents. */

function read(name: string): object {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as object;
}
const validators = Object.fromEntries(
  ['registry', 'app', 'config', 'report', 'facts', 'release', 'app-description', 'lock', 'about', 'policy'].map(
    (name) => [
      name,
      // Editors show `patternErrorMessage` in place of a pattern.
      new Ajv({
        strict: true,
        allowUnionTypes: true,
        strictTuples: true,
        allErrors: true,
        keywords: ['patternErrorMessage'],
      }).compile(read(name)),
    ],
  ),
) as Record<'registry' | 'app' | 'config' | 'report' | 'facts' | 'release', ValidateFunction>;

test.each(Object.keys(validators))('%s is a valid schema of draft 7 with title and description', (name) => {
  expect(new Ajv().validateSchema(read(name))).toBe(true);
  expect(read(name)).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: expect.any(String),
    description: expect.any(String),
  });
});

/** The rules about faults that a schema can detect: types, required fields, the form of a text. */
const FORM = new Set([
  'schema-violation',
  'app-key-unsafe',
  'block-color-malformed',
  'url-malformed',
  'url-insecure',
  'version-not-semver',
  'checksum-malformed',
]);

function rulesSay(kind: 'registry' | 'app', value: unknown): string[] {
  const judging = startJudging({ command: 'lint', target: '.', now: NOW });
  if (kind === 'registry') {
    const facts = snapshot(JSON.stringify(value));
    judging.manifest(facts.manifest);
    for (const app of facts.apps) judging.app(app);
  } else {
    const versions = (value as { versions?: unknown } | null)?.versions;
    judging.metadata(
      document(JSON.stringify(value), 'versions.json'),
      Array.isArray(versions) ? versions.map(() => artifact()) : [],
    );
  }
  return judging
    .finish(0)
    .findings.filter((f) => f.severity === 'error' && FORM.has(f.rule))
    .map((f) => f.rule);
}

const style = { iconUrl: `${BASE}i.svg`, color: '#112233' };
const apps = (value: unknown): object => ({ apps: { a: value } });
const withUrl = (url: unknown): object => apps(entry('a', { appMetadataUrl: url }));
const manifestWith = (more: object): object => ({
  versions: [{ version: '1.0.0', artifactUrl: `${BASE}a.tar.gz`, artifactChecksum: checksum(1), ...more }],
});

const REGISTRIES: unknown[] = [
  { apps: {} },
  apps(entry('a')),
  { $schema: 'x', 'x-y': 1, more: [], apps: { a: entry('a', { more: {} }) } },
  JSON.parse(`{"apps":{"__proto__":${JSON.stringify(entry('a'))}}}`),
  { apps: { constructor: entry('a'), 2: entry('a'), '-_': entry('a') } },
  null,
  [],
  'x',
  1,
  true,
  {},
  { apps: null },
  { apps: [] },
  { apps: 'x' },
  apps(null),
  apps([]),
  apps('x'),
  apps({}),
  JSON.parse('{"apps":{"__proto__":1}}'),
  ...['name', 'description', 'blockStyle', 'appMetadataUrl'].flatMap((field) =>
    [undefined, null, 1, []].map((value) => apps(entry('a', { [field]: value }))),
  ),
  apps(entry('a', { name: '', description: '' })),
  apps(entry('a', { blockStyle: {} })),
  apps(entry('a', { blockStyle: 'x' })),
  apps(entry('a', { blockStyle: { ...style, iconUrl: 7 } })),
  ...[
    '#FFFFFF',
    '#a1B2c3',
    '#FFF',
    '#12345',
    '112233',
    'red',
    '',
    '#11223g',
    ' #112233',
    '#112233\n',
    '#11223344',
    null,
    1,
  ].map((color) => apps(entry('a', { blockStyle: { ...style, color } }))),
  ...['', 'a b', 'a.b', 'é', 'a/b', 'a\n', '../x', 'ａ'].map((key) => ({ apps: { [key]: entry('a') } })),
  ...[
    'https://x.test',
    'https://x.test/',
    'https://x.test/a?b=c#d',
    'HTTPS://X.test/',
    'https://[::1]/a',
    'https://192.0.2.1/a',
    'https://x.test:8443/a',
    'https://x.test/@a',
    'https://bücher.example/',
    'https://x.test/{a}',
    'http://x.test/',
    'ftp://x.test/',
    '//x.test/',
    'x.json',
    '/x.json',
    '',
    ' https://x.test/',
    'https://x.test/ ',
    'https://x.test/\n',
    'https://u:p@x.test/',
    'https://u@x.test/',
    'https:/x.test/',
    'https:x.test',
    'https://',
    'https:///x.test',
    'https:\\\\x.test',
    'https://x.test\\a',
    'https://x.test/a\tb',
    'data:image/png;base64,AA',
    'javascript:alert(1)',
    'file:///x',
  ].flatMap((url) => [withUrl(url), apps(entry('a', { blockStyle: { ...style, iconUrl: url } }))]),
];
const APPS: unknown[] = [
  { versions: [] },
  manifestWith({}),
  manifestWith({ more: 1 }),
  metadataWith('1.0.0', '2.0.0'),
  null,
  [],
  'x',
  {},
  { versions: null },
  { versions: {} },
  { versions: [null] },
  { versions: ['1.0.0'] },
  { versions: [{}] },
  ...['version', 'artifactUrl', 'artifactChecksum'].flatMap((field) =>
    [undefined, null, 1, {}].map((value) => manifestWith({ [field]: value })),
  ),
  ...[
    '0.0.0',
    '1.2.3-0',
    '1.2.3-rc.1+b.2',
    '10.20.30',
    '1.2.3+001',
    '99999999999999999999.0.0',
    'v1.2.3',
    '1.2',
    '01.2.3',
    '1.2.3-01',
    '1.2.3-',
    '1.2.3\n',
    ' 1.2.3',
    'latest',
    '',
    '1.2.3-α',
    '1.2.3.4',
  ].map((version) => manifestWith({ version })),
  ...[
    checksum(2),
    `sha256:${'0'.repeat(64)}`,
    checksum(2).toUpperCase(),
    checksum(2).slice(7),
    `${checksum(2)}\n`,
    ` ${checksum(2)}`,
    checksum(2).slice(0, -1),
    `${checksum(2)}0`,
    'sha256:unknown',
    '',
    'sha1:00',
    `SHA256:${checksum(2).slice(7)}`,
  ].map((artifactChecksum) => manifestWith({ artifactChecksum })),
  ...['https://x.test/a.tar.gz', 'https://x.test/a?b', 'http://x.test/a', 'a.tar.gz', 'https://u:p@x.test/a'].map(
    (artifactUrl) => manifestWith({ artifactUrl }),
  ),
];

describe.each([
  ['registry', REGISTRIES],
  ['app', APPS],
] as const)('%s: the schema rejects exactly the documents in which the rules find an error of form', (kind, values) => {
  test.each(values.map((value) => [JSON.stringify(value) ?? 'undefined', value]))('%s', (_, value) => {
    const plain = JSON.parse(JSON.stringify(value)) as unknown;
    const kept = JSON.stringify(value).includes('__proto__') ? value : plain;
    expect({ valid: validators[kind](kept) }, JSON.stringify(validators[kind].errors)).toEqual({
      valid: rulesSay(kind, kept).length === 0,
    });
  });
});

/** Intentional differences: faults that a schema cannot detect, and warnings of the rules that a schema rejects. */
describe('documented differences between schema and rules', () => {
  test.each<[name: string, kind: 'registry' | 'app', value: unknown, valid: boolean, rules: string[]]>([
    ['a host that cannot exist', 'registry', withUrl('https://x..test/'), true, ['url-malformed']],
    ['a host that does not parse', 'registry', withUrl('https://256.1.1.1/'), true, ['url-malformed']],
    ['an invalid port', 'registry', withUrl('https://x.test:99999/'), true, ['url-malformed']],
    ['a space inside a path is a warning of the rules', 'registry', withUrl('https://x.test/a b'), false, []],
    ['plain http to this machine is a warning of the rules', 'registry', withUrl('http://localhost/a.json'), false, []],
    [
      'metadata instead of a manifest is one error, regardless of its members',
      'registry',
      { versions: [] },
      false,
      ['schema-violation'],
    ],
  ])('%s', (_, kind, value, valid, rules) => {
    expect(validators[kind](value)).toBe(valid);
    expect(rulesSay(kind, value)).toEqual(rules);
  });

  test('the schema does not detect duplicate names, duplicate versions or apps without a valid version', () => {
    const twice = judge(snapshot(`{"apps":{},"apps":{}}`), { command: 'lint' });
    expect(twice.summary.errors).toBe(1);
    expect(validators.registry(JSON.parse('{"apps":{},"apps":{}}'))).toBe(true);
    expect(validators.app(metadataWith('1.0.0', '1.0.0'))).toBe(true);
    expect(validators.app({ versions: [] })).toBe(true);
  });
});

describe('the schema of the configuration', () => {
  test.each([
    {},
    { manifest: 'registry.json', baseUrl: 'https://apps.example.com/', serviceOrigins: ['https://flows.example.com'] },
    { baseUrl: 'http://localhost:8080/' },
    { store: { type: 'directory' } },
    { store: { type: 's3', bucket: 'b', prefix: 'p', region: 'r', endpoint: 'https://x.test' } },
    { store: { type: 'git', remote: 'origin', branch: 'gh-pages' } },
    { bundle: { external: ['a'], target: 'node22', include: ['x'] } },
    { rules: { 'text-empty': 'off' } },
    { verify: { concurrency: 8, timeout: 30, origins: ['https://x.test:8443'] } },
    { $schema: 'x' },
  ])('accepts %j', (config) => expect([validators.config(config), validateConfig(config)]).toEqual([true, true]));

  test.each([
    { manifest: '../registry.json' },
    { manifest: 'registry.yaml' },
    { manifest: 'a/registry.json' },
    { baseUrl: 'apps.example.com' },
    { baseUrl: 'https://u:p@x.test/' },
    { baseUrl: 'https://x.test/?a' },
    { baseUrl: 'https://x.test/#a' },
    { serviceOrigins: ['https://x.test/'] },
    { serviceOrigins: 'https://x.test' },
    { serviceOrigins: ['*'] },
    { store: {} },
    { store: { type: 'ftp' } },
    { store: { type: 's3', secretAccessKey: 'x' } },
    { rules: { 'text-empty': 'fatal' } },
    { verify: { concurrency: 0 } },
    { verify: { timeout: 0 } },
    { unknown: 1 },
    null,
    [],
  ])('rejects %j', (config) => expect([validators.config(config), validateConfig(config)]).toEqual([false, false]));
});

const valid = (report: Report): void => {
  expect(validators.report(JSON.parse(json(report))), JSON.stringify(validators.report.errors?.slice(0, 3))).toBe(true);
};

describe('the schema of reports', () => {
  const faulty = snapshot(
    {
      more: 1,
      apps: {
        'a b~/': entry('a', { name: '\u202e', appMetadataUrl: 'https://u:p@x.test/?sig=1' }),
        b: entry('b', { blockStyle: { iconUrl: 'http://x.test/\u001b', color: '' } }),
        c: null,
      },
    },
    {
      'a b~/': '{"versions":[],"versions":[]}',
      b: {
        versions: [
          { version: 'v1', artifactUrl: 'x', artifactChecksum: '' },
          1,
          ...metadataWith('1.0.0', '1.0.0', '2.0.0-rc').versions,
        ],
      },
    },
  );
  test.each([
    ['a sound registry', judge(snapshot(['a']), { command: 'lint' })],
    ['a broken one', judge(faulty, { command: 'verify' })],
    ['no manifest', judge(snapshot(''), { command: 'diagnose' })],
    [
      'invalid UTF-8',
      judge(
        {
          ...snapshot('{}'),
          manifest: { ...document('{}', 'r.json'), content: { text: null, base64: '/w==', bytes: 1, cut: false } },
        },
        { command: 'judge' },
      ),
    ],
    ['an incomplete run', judge({ ...snapshot(['a']), incomplete: 'it was interrupted' }, { command: 'lint' })],
    [
      'more than is listed one by one',
      judge(snapshot(['a'], { a: metadataWith(...Array.from({ length: 300 }, (_, i) => `1.0.${i}`)) }), {
        command: 'lint',
      }),
    ],
    [
      'an earlier state',
      judge(faulty, {
        command: 'lint',
        baseline: {
          source: 'main',
          keys: ['gone', 'b'],
          app: () => [{ version: '0.1.0', artifactUrl: 'x', artifactChecksum: 'y' }],
        },
      }),
    ],
  ])('accepts the report of %s', (_, report) => valid(report));

  test('rejects missing and additional members', () => {
    const report = JSON.parse(json(judge(faulty, { command: 'lint' }))) as Record<string, any>;
    const objects: [string, Record<string, unknown>][] = [
      ['report', report],
      ['tool', report['tool']],
      ['summary', report['summary']],
      ['symptom', report['symptoms'][0]],
      ['app', report['apps'][0]],
      ['finding', report['findings'][0]],
      ['notJudged', report['notJudged'][0]],
    ];
    for (const [name, object] of objects) {
      for (const field of Object.keys(object)) {
        const { [field]: value } = object;
        delete object[field];
        expect(validators.report(report), `${name} without ${field}`).toBe(false);
        object[field] = value;
      }
      object['more'] = 1;
      expect(validators.report(report), `${name} with more`).toBe(false);
      delete object['more'];
    }
    expect(validators.report(report)).toBe(true);
    report['symptoms'].reverse();
    expect(validators.report(report)).toBe(false);
  });
});

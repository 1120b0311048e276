import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  documentText,
  type JsonObject,
  type JsonValue,
  nonCanonicalValue,
  parseDocument,
  syntaxErrorInText,
} from '../../../src/core/json/json.ts';
import { duplicateNames } from '../../../src/core/json/positions.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { urlParts, isCanonicalUrl } from '../../../src/core/http/url.ts';
import { runs } from '../../support/property-runs.ts';

const VERSION = {
  version: '1.0.0',
  artifactUrl: 'https://apps.example.com/echo/1.0.0.tar.gz',
  artifactChecksum: 'sha256:7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730',
};
const APP = {
  name: 'Echo',
  description: 'Says it again – “twice”.',
  blockStyle: { iconUrl: 'https://apps.example.com/echo/icon.svg', color: '#1a73e8' },
  appMetadataUrl: 'https://apps.example.com/echo/versions.json',
};

/** The apps that are left to the rules; null if the whole document is. */
function left(text: string): string[] | null {
  const rest = nonCanonicalValue(documentText(text));
  return rest === null ? null : Object.keys((rest['apps'] ?? {}) as JsonObject);
}

const manifest = (apps: object): string => JSON.stringify({ apps });

/** So many apps, the first of them without a name. */
function unnamedApps(unnamed: number, all: number): string {
  const entries = Array.from({ length: all }, (_, i) => [`app-${i}`, i < unnamed ? { ...APP, name: '' } : APP]);
  return manifest(Object.fromEntries(entries));
}

describe('the canonical form', () => {
  test.each<[string, string]>([
    ['a manifest', manifest({ echo: APP })],
    ['one without apps', manifest({})],
    ['one with white space', JSON.stringify({ apps: { echo: APP } }, null, '\t').replaceAll('\n', '\r\n')],
    ['one with a schema', JSON.stringify({ $schema: 'https://x.example/registry.json', apps: { echo: APP } })],
    ['members in another order', manifest({ echo: Object.fromEntries(Object.entries(APP).toReversed()) })],
    ['a text in Japanese', manifest({ echo: { ...APP, name: 'エコー', description: '繰り返す' } })],
    ['a metadata file', JSON.stringify({ versions: [VERSION] })],
    ['one with a byte order mark', `\ufeff${JSON.stringify({ versions: [VERSION] })}`],
    ['a port', JSON.stringify({ versions: [{ ...VERSION, artifactUrl: 'https://a.example:8443/b.tar.gz' }] })],
    ['an address', JSON.stringify({ versions: [{ ...VERSION, artifactUrl: 'https://10.0.0.5/b.tar.gz' }] })],
    ['an old-fashioned suffix', JSON.stringify({ versions: [{ ...VERSION, artifactUrl: 'https://a.example/b.tgz' }] })],
  ])('covers all of %s', (_, text) => {
    expect(left(text)).toEqual([]);
  });

  test.each<[string, string]>([
    ['no version at all', '{"versions":[]}'],
    ['a field more', JSON.stringify({ versions: [VERSION], more: 1 })],
    ['a field more in a version', JSON.stringify({ versions: [{ ...VERSION, more: 1 }] })],
    ['a pre-release', JSON.stringify({ versions: [{ ...VERSION, version: '1.0.0-rc.1' }] })],
    ['a default port', JSON.stringify({ versions: [{ ...VERSION, artifactUrl: 'https://a.example:443/b.tar.gz' }] })],
    ['a long label', JSON.stringify({ versions: [{ ...VERSION, artifactUrl: `https://${'a'.repeat(64)}.b/c.tgz` }] })],
    ['a blocked port', JSON.stringify({ versions: [{ ...VERSION, artifactUrl: 'https://a.example:6000/b.tar.gz' }] })],
    ['an address of three', JSON.stringify({ versions: [{ ...VERSION, artifactUrl: 'https://10.0.5/b.tar.gz' }] })],
    ['one version of two', JSON.stringify({ versions: [VERSION, { ...VERSION, version: 1 }] })],
    ['a field less', '{"versions":[{"version":"1.0.0","version":"1.0.0","version":"1.0.0"}]}'],
    ['a comma too many', `{"versions":[${JSON.stringify(VERSION)},]}`],
    ['a comma too few', `{"versions":[${JSON.stringify(VERSION)}${JSON.stringify(VERSION)}]}`],
    ['something behind it', `${JSON.stringify({ versions: [VERSION] })}x`],
    ['its list twice', `{"versions":[],"versions":[${JSON.stringify(VERSION)}]}`],
    ['an app twice', `{"apps":{"echo":${JSON.stringify(APP)},"echo":${JSON.stringify(APP)}}}`],
    ['an app twice, once faulty', `{"apps":{"echo":{},"echo":${JSON.stringify(APP)}}}`],
    ['a name twice in a noncanonical app', `{"apps":{"echo":{"name":"a","name":"b"},"more":${JSON.stringify(APP)}}}`],
    ['half a character in a noncanonical app', `{"apps":{"echo":{"name":"\\ud800"},"more":${JSON.stringify(APP)}}}`],
    ['an app without end', '{"apps":{"echo":{"name":"a'],
    ['no colon', '{"apps":{"echo"}}'],
    ['a deep app', `{"apps":{"echo":${'['.repeat(70)}${']'.repeat(70)}}}`],
    ['apps in a list', JSON.stringify({ apps: [APP] })],
    ['nothing', ''],
  ])('covers no part of %s', (_, text) => {
    expect(left(text)).toBeNull();
  });

  test.each<[string, string, object]>([
    ['a key that is not safe', 'a b', APP],
    ['a key with an escape', 'a"b', APP],
    ['a long key', 'a'.repeat(65), APP],
    ['a device', 'NUL', APP],
    ['a name of the language', '__proto__', APP],
    ['no description', 'echo', { ...APP, description: undefined }],
    ['a field more', 'echo', { ...APP, more: 1 }],
    ['a colour of three digits', 'echo', { ...APP, blockStyle: { ...APP.blockStyle, color: '#abc' } }],
    ['null', 'echo', null as unknown as object],
    ['an escape', 'echo', { ...APP, name: 'a"b' }],
    ['a blocked port', 'echo', { ...APP, appMetadataUrl: 'https://a.example:6000/versions.json' }],
    [
      'an icon at a host in Punycode',
      'echo',
      { ...APP, blockStyle: { ...APP.blockStyle, iconUrl: 'https://xn--a.b/i.svg' } },
    ],
    ['emoji, which are pairs', 'echo', { ...APP, name: 'a🎉' }],
  ])('does not cover an app with %s', (_, key, app) => {
    const text = JSON.stringify({
      apps: Object.fromEntries([
        ['usual', APP],
        [key, app],
        ['more', APP],
      ]),
    });
    // What has an escape in a name is read as a whole.
    expect(left(text)).toEqual(key.includes('"') ? null : [key]);
  });

  test('leaves single apps to the rules, but the whole document if most apps are not canonical', () => {
    expect(left(unnamedApps(900, 1000))).toHaveLength(900);
    expect(left(unnamedApps(1100, 6000))).toBeNull();
    expect(left(unnamedApps(1, 5000))).toEqual(['app-0']);
  });

  test('does not hide duplicate names', () => {
    const [a, b] = [JSON.stringify(APP), JSON.stringify({ ...APP, name: '' })];
    const { duplicates } = parseDocument(documentText(`{"apps":{"a":${a},"b":${b},"a":${a}}}`));
    expect(duplicates.map(({ name }) => name)).toEqual(['a']);
    const twice = a.replace('"name":"Echo"', '"name":"Echo","name":"Echo"').replace(/"description":"[^"]*",/, '');
    expect(parseDocument(documentText(`{"apps":{"a":${twice}}}`)).duplicates).toHaveLength(1);
  });
});

const unusual = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', 'a', 'A b', '1', '\u200b', 'é', '#12345g', '日', 'x\u202ey', 'con'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
const hosts =
  'a.example apps.example.com a..b.c -a.b.c a-.b.c xn--a.com 1.2.3.4 01.2.3.4 1.2.3.256 1.2.3 localhost a.b:443 a.b:8443 127.0.0.1:34005 a.b:6000 a.b:81 a.b:08443 a.b:8443x a.b:60000 a.b:99999 A.example a_b.c a.b.c.d.e a.1b a.0x1 a.b- a-.b a.b. intranet 10.1:8443'.split(
    ' ',
  );
const address = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', '//'),
      fc.constantFrom(...hosts),
      fc.array(fc.constantFrom('a', '..', '.', '', 'b-c', '%41', 'd e'), { maxLength: 3 }),
      fc.constantFrom('icon.svg', 'icon.png', 'icon.svg?x=1', 'v.json', '', '#', 'icon.SVG', 'a.tar.gz'),
    )
    .map(([scheme, host, path, name]) => `${scheme}${[host, ...path, name].join('/')}`),
);
const app = fc
  .record({
    key: unusual,
    name: unusual,
    description: unusual,
    color: unusual,
    iconUrl: address,
    appMetadataUrl: address,
  })
  .map(({ key, name, description, color, iconUrl, appMetadataUrl }): [string, typeof APP] => [
    key ?? 'echo',
    {
      name: name ?? APP.name,
      description: description ?? APP.description,
      blockStyle: { iconUrl: iconUrl ?? APP.blockStyle.iconUrl, color: color ?? APP.blockStyle.color },
      appMetadataUrl: appMetadataUrl ?? APP.appMetadataUrl,
    },
  ]);

test('the rules have no finding about an app in canonical form', () => {
  let usual = 0;
  fc.assert(
    fc.property(app, ([key, entry]) => {
      const text = JSON.stringify({ apps: Object.fromEntries([[key, entry]]) });
      if (left(text)?.length !== 0) return;
      usual++;
      const { iconUrl, color } = entry.blockStyle;
      const subjects: [string, object][] = [
        ['app', { key, entry, name: entry.name, description: entry.description, color, earlierSource: '' }],
        [
          'document',
          { resource: 'manifest', value: JSON.parse(text) as JsonValue, reading: parseDocument(documentText(text)) },
        ],
        ...[
          ['icon', iconUrl],
          ['metadata', entry.appMetadataUrl],
        ].map(([resource, url]): [string, object] => [
          'url',
          { resource, url, parsed: urlParts(url!), now: '2026-11-21T00:00:00.000Z' },
        ]),
      ];
      const reported: unknown[] = [];
      for (const [subject, facts] of subjects)
        for (const rule of rules) {
          if (rule.on !== subject || rule.needs.some((need) => need === 'facts' || need === 'content')) continue;
          const found: unknown = rule.check(facts) ?? [];
          if (!Array.isArray(found) || found.length > 0) reported.push({ rule: rule.id, found });
        }
      expect(reported).toEqual([]);
      expect(isCanonicalUrl(iconUrl) && isCanonicalUrl(entry.appMetadataUrl)).toBe(true);
    }),
    { numRuns: runs(20_000) },
  );
  expect(usual).toBeGreaterThan(runs(1000));
});

test('canonical documents with random changes are parsed as JSON.parse parses them', () => {
  const base = [
    JSON.stringify({ apps: { a: APP, b: { ...APP, name: '' }, c: APP } }, null, 1),
    JSON.stringify({ versions: [VERSION, { ...VERSION, version: '1.0.1' }] }),
  ];
  const piece = fc.constantFrom('"', '{', '}', ',', ':', '[', ']', '\\', ' ', '"a":1,', '"name":"x",', '\u0000', '"a"');
  fc.assert(
    fc.property(fc.constantFrom(...base), fc.nat(), fc.nat(40), piece, (text, at, cut, put) => {
      const i = at % text.length;
      const changed = text.slice(0, i) + put + text.slice(i + (cut % 2 === 0 ? 0 : cut));
      const content = documentText(changed);
      const { value, duplicates, fault } = parseDocument(content);
      let parsed: JsonValue | undefined;
      try {
        parsed = JSON.parse(changed) as JsonValue;
      } catch {
        parsed = undefined;
      }
      expect(value).toEqual(parsed);
      if (value === undefined || nonCanonicalValue(content) === null) return;
      expect(duplicates).toEqual([]);
      expect(duplicateNames(changed)).toEqual([]);
      expect(fault).toBeNull();
      expect(syntaxErrorInText(changed)).toBeNull();
    }),
    { numRuns: runs(20_000) },
  );
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/core/findings/report.ts';
import { checksum } from '../../support/core-facts.ts';
import { BASE, document, entry, metadataWith, snapshot } from '../../support/snapshots.ts';
import { runs } from '../../support/property-runs.ts';
import { type Options, lint, onlyFinding, version } from './judge-fixture.ts';

/** Positions and order of findings. */

const gist = (report: Report): unknown => ({
  findings: report.findings
    .map((f) => [f.rule, f.severity, f.symptom, f.cause, f.app, f.resource].join(' '))
    .toSorted(),
  apps: report.apps,
  symptoms: report.symptoms,
});

/** JSON text of a value with its members and elements in another order, and other white space. */
function respelt(value: unknown, random: () => number): string {
  const shuffle = <T>(list: T[]): T[] =>
    list
      .map((item) => [random(), item] as const)
      .toSorted((a, b) => a[0] - b[0])
      .map(([, item]) => item);
  const gap = (): string => ['', ' ', '\n', '\r\n\t'][Math.floor(random() * 4)]!;
  if (Array.isArray(value))
    return `[${gap()}${shuffle(value.map((item) => respelt(item, random))).join(`${gap()},${gap()}`)}${gap()}]`;
  if (typeof value === 'object' && value !== null)
    return `{${shuffle(Object.entries(value).map(([name, item]) => `${gap()}${JSON.stringify(name)}${gap()}:${gap()}${respelt(item, random)}`)).join(',')}${gap()}}`;
  return JSON.stringify(value);
}

const adviceFor = (key: string): string =>
  lint(snapshot([key], { [key]: { versions: [] } })).findings.find((f) => f.rule === 'no-valid-versions')!.advice;

describe('positions', () => {
  test('a finding names app, version, file, URL, pointer, line and column', () => {
    const finding = onlyFinding(lint(snapshot(['a'], { a: metadataWith('1.0.0', '01.2.3') })));
    expect(finding).toMatchObject({
      rule: 'version-not-semver',
      spec: '2.2',
      symptom: 'app-does-not-appear',
      app: 'a',
      version: '01.2.3',
      resource: 'metadata',
      file: 'apps/a/versions.json',
      url: `${BASE}apps/a/versions.json`,
      pointer: '/versions/1/version',
      line: 9,
      column: 18,
    });
  });

  test('a finding about a URL in the manifest points into the manifest and concerns the resource of the URL', () => {
    const finding = onlyFinding(
      lint(snapshot({ apps: { a: entry('a', { appMetadataUrl: 'http://x.test/a.json' }) } })),
    );
    expect(finding).toMatchObject({
      resource: 'metadata',
      app: 'a',
      file: 'registry.json',
      url: 'http://x.test/a.json',
      pointer: '/apps/a/appMetadataUrl',
      symptom: 'app-does-not-appear',
    });
    expect(finding.line).toBe(10);
  });

  test('findings about the URLs of icons and artifacts have the symptoms of icons and artifacts', () => {
    expect(
      onlyFinding(
        lint(
          snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: 'http://x.test/i.svg', color: '#112233' } }) } }),
        ),
      ),
    ).toMatchObject({ resource: 'icon', symptom: 'icon-does-not-display', pointer: '/apps/a/blockStyle/iconUrl' });
    expect(
      onlyFinding(lint(snapshot(['a'], { a: { versions: [version({ artifactUrl: 'http://x.test/a.tar.gz' })] } }))),
    ).toMatchObject({
      resource: 'artifact',
      symptom: 'checksum-mismatch',
      pointer: '/versions/0/artifactUrl',
      version: '1.0.0',
    });
  });

  test('the position of an unknown or unsafe key is its name', () => {
    expect(onlyFinding(lint(snapshot(`{"apps":{\n  "a b": ${JSON.stringify(entry('a'))}}}`)))).toMatchObject({
      rule: 'app-key-unsafe',
      pointer: '/apps/a b',
      line: 2,
      column: 3,
    });
    expect(
      onlyFinding(lint(snapshot(`{"apps":{}, "more":\r\n   1, "x-y": 2}`), { severities: { 'no-apps': 'off' } })),
    ).toMatchObject({ rule: 'property-unknown', line: 1, column: 13 });
  });

  test('the position of a missing member is the object without it', () => {
    expect(
      onlyFinding(
        lint(
          snapshot(
            '{"apps": {\n    "a": {"name": "A", "description": "B", "appMetadataUrl": "https://x.test/a.json"}}}',
          ),
        ),
      ),
    ).toMatchObject({ cause: 'missing', pointer: '/apps/a', line: 2, column: 10 });
  });

  test('the position of a duplicate is the second occurrence', () => {
    expect(
      onlyFinding(lint(snapshot(`{"apps": {},\n\n "apps": {}}`), { severities: { 'no-apps': 'off' } })),
    ).toMatchObject({
      rule: 'json-duplicate-key',
      line: 3,
      column: 2,
      pointer: '/apps',
    });
  });

  test('a key with / and ~ is escaped in the pointer only', () => {
    expect(
      onlyFinding(lint(snapshot({ apps: { 'a/~b': 1 } }), { severities: { 'app-key-unsafe': 'off' } })),
    ).toMatchObject({
      pointer: '/apps/a~1~0b',
      app: 'a/~b',
      line: 3,
    });
  });

  test('invalid UTF-8 has a line and a column', () => {
    const content = {
      text: null,
      base64: Buffer.from('{\n "é": "\xff"}', 'latin1').toString('base64'),
      bytes: 10,
      cut: false,
    };
    const utf8 = {
      ...content,
      base64: Buffer.concat([Buffer.from('{\n "é": "'), Buffer.from([0xff]), Buffer.from('"}')]).toString('base64'),
    };
    expect(
      onlyFinding(
        lint({ ...snapshot('{}'), apps: [], manifest: { ...document('{}', 'registry.json'), content: utf8 } }),
      ),
    ).toMatchObject({ rule: 'document-unreadable', cause: 'not-utf8', line: 2, column: 8 });
  });

  test('a byte order mark does not count as a column', () => {
    expect(lint(snapshot('\ufeff{,}')).findings.map((f) => [f.rule, f.line, f.column])).toEqual(
      [
        ['document-unreadable', 1, 2],
        ['json-byte-order-mark', 1, 1],
      ].toSorted(),
    );
  });

  test('a finding about a document that does not exist has the position of the field that names it', () => {
    const facts = snapshot(['a'], { a: { missing: { code: 'blocked-by', rule: 'file-missing' } } });
    facts.apps[0]!.metadata.local = 'missing';
    expect(onlyFinding(lint(facts))).toMatchObject({
      rule: 'file-missing',
      file: 'registry.json',
      pointer: '/apps/a/appMetadataUrl',
      line: 10,
      column: 25,
    });
  });
});

describe('the order of findings', () => {
  test('findings are ordered by manifest, app, version and rule', () => {
    const report = lint(
      snapshot(
        { more: 1, apps: { z: entry('z', { name: '' }), a: entry('a', { description: '' }) } },
        { a: metadataWith('v1', '10.0.0-rc', '9.0.0-rc', '1.0'), z: metadataWith('1.0.0+b', '1.0.0-a') },
      ),
      { severities: { 'metadata-url-shared': 'off' } },
    );
    expect(report.findings.map((f) => [f.app, f.version, f.rule])).toEqual([
      [null, null, 'property-unknown'],
      ['a', null, 'text-empty'],
      ['a', '9.0.0-rc', 'version-not-plain'],
      ['a', '10.0.0-rc', 'version-not-plain'],
      ['a', '1.0', 'version-not-semver'],
      ['a', 'v1', 'version-not-semver'],
      ['z', null, 'text-empty'],
      ['z', '1.0.0-a', 'version-not-plain'],
      ['z', '1.0.0+b', 'version-not-plain'],
    ]);
  });

  test('findings about invalid versions have the same order for any order in the file', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['10.0.0-a', '9.0.0-a', '5x', '9x', 'v1', '1.0.0-b', '']), (versions) => {
        const order = lint(snapshot(['a'], { a: metadataWith(...versions) })).findings.map((f) => f.version);
        const again = lint(snapshot(['a'], { a: metadataWith(...versions.toReversed()) })).findings.map(
          (f) => f.version,
        );
        expect(again).toEqual(order);
      }),
    );
  });
});

describe('the order of members and elements in a file', () => {
  const text = fc.constantFrom('1.0.0', '1.0.1', '2.0.0-rc.1', '1.0.0+b', 'v1', '1.0', '', '10.0.0');
  const url = fc.constantFrom(
    `${BASE}1.tar.gz`,
    `${BASE}2.tar.gz`,
    `${BASE}2.tar.gz#x`,
    'ftp://x.test/',
    'https://x.test/latest/a.zip',
  );
  const sum = fc.constantFrom(checksum(1), checksum(2), 'unknown', checksum(2).toUpperCase());
  const versions = fc.array(
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record(
          { version: text, artifactUrl: url, artifactChecksum: sum, size: fc.constant(1) },
          { requiredKeys: ['version'] },
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom(null, 'x', {}) },
    ),
    { maxLength: 5 },
  );
  test('does not change findings, visibility or symptoms', () => {
    // checksum-shared pairs versions in the order of the file; it is a note.
    const options: Options = { severities: { 'checksum-shared': 'off' } };
    fc.assert(
      fc.property(
        versions,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })),
        (list, stream) => {
          const random = (): number => stream.next().value as number;
          const manifest = { apps: { a: entry('a'), 'b c': entry('b', { name: '' }) }, more: true };
          const plain = lint(snapshot(manifest, { a: { versions: list } }), options);
          const other = lint(snapshot(respelt(manifest, random), { a: respelt({ versions: list }, random) }), options);
          expect(gist(other)).toEqual(gist(plain));
        },
      ),
      { numRuns: runs(600) },
    );
  }, 60_000);
});

describe('advice', () => {
  test('contains the key of the app in commands if the key is valid', () => {
    expect(adviceFor('mailer')).toContain('publish-version mailer 1.0.0');
    expect(adviceFor('no key')).toContain('publish-version <app> 1.0.0');
  });
});

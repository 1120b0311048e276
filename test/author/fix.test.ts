import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fixDocument } from '../../src/author/fix.ts';
import { documentText, parseDocument } from '../../src/core/json/json.ts';
import { judge } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { isFixable } from '../../src/core/rules/lookup.ts';
import { checksum, digest } from '../support/core-facts.ts';
import { BASE, entry, metadataWith, snapshot } from '../support/snapshots.ts';
import { runs } from '../support/property-runs.ts';
import { expectWithin } from '../support/timing.ts';

const validChecksum = checksum(1);
const metadata = (fields: string): string =>
  `{\r\n\t"x-n": 1.0,  "versions" : [ { ${fields} } ] , "e":"\\u0041\\/"\r\n}`;
const fixedText = (fields: string): string => fixDocument('metadata', metadata(fields)).text;
const causesOf = ({ findings }: Report, rule: string): unknown[] =>
  findings.filter((finding) => finding.rule === rule).map(({ cause }) => cause);
const entryText = (fields: string): string => `{"apps":{"a/~":{${fields}}}}`;

describe('a certain fix', () => {
  test.each([
    {
      name: 'upper case',
      before: `"artifactChecksum": "sha256:${digest(1).toUpperCase()}"`,
      after: `"artifactChecksum": "${validChecksum}"`,
    },
    { name: 'no prefix', before: `"artifactChecksum":"${digest(1)}"`, after: `"artifactChecksum":"${validChecksum}"` },
    {
      name: 'white space',
      before: `"artifactChecksum": " ${validChecksum}\\n"`,
      after: `"artifactChecksum": "${validChecksum}"`,
    },
    {
      name: 'another prefix',
      before: `"artifactChecksum": "SHA-256:${digest(1)}"`,
      after: `"artifactChecksum": "${validChecksum}"`,
    },
    {
      name: 'base64',
      before: `"artifactChecksum": "sha256-${Buffer.from(digest(1), 'hex').toString('base64')}"`,
      after: `"artifactChecksum": "${validChecksum}"`,
    },
    { name: 'v', before: '"version": "v1.2.3"', after: '"version": "1.2.3"' },
    { name: '=', before: '"version": "=1.2.3"', after: '"version": "1.2.3"' },
    { name: 'white space around a version', before: '"version": " 1.2.3\\n"', after: '"version": "1.2.3"' },
    { name: 'v in front of a pre-release', before: '"version": "v1.2.3-rc.1"', after: '"version": "1.2.3-rc.1"' },
    {
      name: 'white space around a URL',
      before: '"artifactUrl": " https://x.test/a\\t"',
      after: '"artifactUrl": "https://x.test/a"',
    },
    {
      name: 'several at once',
      before: `"version":"v1.0.0","artifactUrl":"https://x.test/ ","artifactChecksum":"${digest(1)}"`,
      after: `"version":"1.0.0","artifactUrl":"https://x.test/","artifactChecksum":"${validChecksum}"`,
    },
  ])('changes only the affected bytes of a metadata file: $name', ({ before, after }) =>
    expect(fixedText(before)).toBe(metadata(after)),
  );

  test.each([
    { name: 'no #', before: '"blockStyle":{"color":"1A73e8"}', after: '"blockStyle":{"color":"#1A73e8"}' },
    {
      name: 'white space around a colour',
      before: '"blockStyle":{"color":" #1a73e8 "}',
      after: '"blockStyle":{"color":"#1a73e8"}',
    },
    {
      name: 'white space around URLs',
      before: '"appMetadataUrl":" https://x.test/a","blockStyle":{"iconUrl":"https://x.test/i "}',
      after: '"appMetadataUrl":"https://x.test/a","blockStyle":{"iconUrl":"https://x.test/i"}',
    },
  ])('changes only the affected bytes of a manifest: $name', ({ before, after }) =>
    expect(fixDocument('manifest', entryText(before)).text).toBe(entryText(after)),
  );

  test('removes the byte order mark', () => {
    expect(fixDocument('manifest', '\ufeff{"apps":{}}\r\n')).toEqual({
      text: '{"apps":{}}\r\n',
      fixes: [{ pointer: '', what: expect.stringContaining('byte order mark'), version: null }],
    });
  });

  test.each([
    ['document-unreadable', 'trailing-comma', '{"versions":[],}'],
    ['json-byte-order-mark', null, '\ufeff{}'],
    ['checksum-malformed', 'no-prefix', metadata(`"artifactChecksum":"${digest(1)}"`)],
    ['version-not-semver', null, metadata('"version": "v1.2.3"')],
    ['url-malformed', 'whitespace', metadata('"artifactUrl": " https://x.test/a"')],
  ])('is declared by the rule: %s, %s', (rule, cause, text) => {
    expect(causesOf(judge(snapshot(['a'], { a: text }), { command: 'lint' }), rule)).toEqual([cause]);
    expect(fixDocument('metadata', text).fixes).toHaveLength(1);
    expect(isFixable({ rule, cause })).toBe(true);
  });

  test('is declared by the rule about colors', () => {
    expect(isFixable({ rule: 'block-color-malformed', cause: null })).toBe(true);
  });

  test('removes extra commas and fixes what follows them', () => {
    const { text, fixes } = fixDocument('metadata', `{"versions":[{"version":"v1.0.0",},,\n{"version":"2.0.0"},\n],}`);
    expect(text).toBe('{"versions":[{"version":"1.0.0"},\n{"version":"2.0.0"}\n]}');
    expect(fixes.map((fix) => fix.what)).toEqual([
      'removed a comma before a closing bracket',
      'removed a duplicate comma',
      'removed a comma before a closing bracket',
      'removed a comma before a closing bracket',
      'wrote the version "v1.0.0" as "1.0.0"',
    ]);
  });

  test('is listed with pointer, description and version', () => {
    const { fixes } = fixDocument('metadata', metadata(`"version": "v1.0.0", "artifactChecksum": "${digest(1)}"`));
    expect(fixes).toEqual([
      { pointer: '/versions/0/version', what: 'wrote the version "v1.0.0" as "1.0.0"', version: 'v1.0.0' },
      { pointer: '/versions/0/artifactChecksum', what: expect.stringContaining('same digest'), version: 'v1.0.0' },
    ]);
  });
});

describe('uncertain fixes', () => {
  test.each([
    ['a version that might mean several', '"version": "1.2"'],
    ['leading zeros', '"version": "01.2.3"'],
    ['latest', '"version": "latest"'],
    ['a checksum that was cut off', `"artifactChecksum": "${validChecksum.slice(0, -1)}"`],
    ['43 digits, which would pass for base64', `"artifactChecksum": "sha256:${digest(1).slice(0, 43)}"`],
    ['another algorithm', `"artifactChecksum": "sha1:${digest(1).slice(0, 40)}"`],
    ['a placeholder', '"artifactChecksum": "unknown"'],
    ['values that are not strings', '"version": 1, "artifactUrl": null, "artifactChecksum": {}'],
    ['http', '"artifactUrl": "http://x.test/a"'],
    ['a URL of white space', '"artifactUrl": "  "'],
    ['fields of that name elsewhere', `"more": {"version": "v1.0.0", "artifactChecksum": "${digest(1)}"}`],
  ])('are not made: %s', (_, fields) =>
    expect(fixDocument('metadata', metadata(fields))).toEqual({ text: metadata(fields), fixes: [] }),
  );

  test.each(['#FFF', 'red', '#11223344', 'rgb(1,2,3)'])('are not made for the color %s', (color) => {
    const text = entryText(`"blockStyle":{"color":"${color}"}`);
    expect(fixDocument('manifest', text)).toEqual({ text, fixes: [] });
  });

  test('are not made for a version whose correct form is already listed', () => {
    const wanted = JSON.stringify(metadataWith('v1.0.0', 'V1.0.0'));
    const taken = JSON.stringify(metadataWith('1.0.0', 'v1.0.0'));
    expect(fixDocument('metadata', taken)).toEqual({ text: taken, fixes: [] });
    expect(fixDocument('metadata', wanted).text).toBe(wanted.replace('"v1.0.0"', '"1.0.0"'));
  });

  test.each([
    ['a duplicate name', `{"versions":[{"version":"v1.0.0","version":"v1.0.0"}]}`],
    ['another fault of syntax', `{"versions":[{"version":"v1.0.0"}]`],
    ['an empty file', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['100,000 levels', `{"versions":${'['.repeat(100_000)}`],
    ['a page', '<html>'],
  ])('are not made in %s', (_, text) => expect(fixDocument('metadata', text)).toEqual({ text, fixes: [] }));
});

const rules = (of: string): string[] =>
  judge(snapshot(['a'], { a: of }), { command: 'lint' }).findings.map((f) => f.rule);

const shape = (of: string): string =>
  JSON.stringify(parseDocument(documentText(of)).value, (_, value: unknown) =>
    typeof value === 'string' ? '' : value,
  );

describe('fixing any document', () => {
  const version = fc.constantFrom('1.0.0', 'v1.0.0', ' 1.0.0', '1.0', '2.0.0', 'V2.0.0');
  const sum = fc.constantFrom(
    validChecksum,
    digest(1),
    digest(2).toUpperCase(),
    'sha256:unknown',
    `${validChecksum}\n`,
  );
  const url = fc.constantFrom('https://x.test/1', ' https://x.test/2', 'https://x.test/3\n', '');
  const list = fc.array(
    fc.oneof(
      fc.record({ version, artifactUrl: url, artifactChecksum: sum, more: fc.json() }, { requiredKeys: [] }),
      fc.constant(null),
    ),
    { maxLength: 4 },
  );
  const text = fc
    .tuple(
      list,
      fc.constantFrom(undefined, 2, '\t'),
      fc.constantFrom('', '\n'),
      fc.constantFrom('', '\ufeff'),
      fc.boolean(),
    )
    .map(([versions, indent, end, mark, crlf]) => {
      const plain = JSON.stringify({ versions }, null, indent);
      return mark + (crlf ? plain.replaceAll('\n', '\r\n') : plain) + end;
    });

  test('is idempotent, causes no new findings and changes only strings', () => {
    fc.assert(
      fc.property(text, (source) => {
        const { text: fixed, fixes } = fixDocument('metadata', source);
        expect(fixDocument('metadata', fixed)).toEqual({ text: fixed, fixes: [] });
        expect(fixed === source).toBe(fixes.length === 0);
        const old = new Set(rules(source));
        // Two spellings of one version or digest may turn out to be the same.
        expect(
          rules(fixed).filter((rule) => !old.has(rule) && !['checksum-shared', 'artifact-url-shared'].includes(rule)),
        ).toEqual([]);
        expect(shape(fixed)).toBe(shape(source));
      }),
      { numRuns: runs(400) },
    );
  });
});

test('ten thousand versions and a thousand commas are fixed within five seconds', () => {
  expectWithin(5000, () => {
    const many = JSON.stringify(metadataWith(...Array.from({ length: 10_000 }, (_, i) => `v1.0.${i}`)));
    expect(fixDocument('metadata', many).fixes).toHaveLength(10_000);
    fixDocument('metadata', `[${'1,,'.repeat(1000)}1]`);
  });
});

test('a valid manifest is unchanged', () => {
  const text = `${JSON.stringify({ apps: { a: entry('a') }, base: BASE }, null, 2)}\n`;
  expect(fixDocument('manifest', text)).toEqual({ text, fixes: [] });
});

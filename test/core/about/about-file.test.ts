import { describe, expect, test } from 'vitest';
import { LARGEST_NOTES, readAboutFile, type AboutReading } from '../../../src/core/about/about-file.ts';
import { documentText } from '../../../src/core/json/json.ts';

function read(value: unknown): AboutReading {
  return readAboutFile(documentText(JSON.stringify(value, null, 2)));
}

function problems({ faults }: AboutReading): string[] {
  return faults.map(({ message, position }) => `${position?.line}:${position?.column} ${message}`);
}

const RETIRED = { reason: 'security', message: 'It leaks tokens.', use: '1.2.1', since: '2026-11-24' };

test('a complete file', () => {
  const app = {
    homepage: 'https://a.example/',
    source: 'https://b.example/x',
    licence: 'MIT',
    support: 'mailto:a@b.example',
  };
  const { about, faults, unknown } = read({
    schema: 1,
    app,
    versions: { '1.2.0': { published: '2026-11-23T10:00:00Z', notes: '# New', deprecated: RETIRED } },
  });
  expect({ faults, unknown }).toEqual({ faults: [], unknown: [] });
  expect(about).toEqual({
    app,
    versions: new Map([['1.2.0', { published: '2026-11-23T10:00:00Z', notes: '# New', deprecated: RETIRED }]]),
  });
});

test('absent fields are null', () => {
  const { about } = read({ schema: 1, versions: { '1.0.0': { deprecated: { reason: 'legal', message: 'No.' } } } });
  expect(about?.app).toEqual({ homepage: null, source: null, licence: null, support: null });
  expect(about?.versions.get('1.0.0')).toEqual({
    published: null,
    notes: null,
    deprecated: { reason: 'legal', message: 'No.', use: null, since: null },
  });
  expect(read({ schema: 1 }).about?.versions).toEqual(new Map());
});

test('an unknown field is named and ignored, so that later releases can add fields', () => {
  const { about, faults, unknown } = read({ schema: 1, app: { licence: 'MIT', license: 'MIT' } });
  expect(about?.app.licence).toBe('MIT');
  expect(faults).toEqual([]);
  expect(unknown).toEqual([
    {
      message: 'Unknown field “license” in “app”. Did you mean licence?',
      position: { line: 5, column: 5 },
      offset: 54,
    },
  ]);
});

function version(fields: object): object {
  return { schema: 1, versions: { '1.0.0': fields } };
}

function retired(fields: object): object {
  return version({ deprecated: { ...RETIRED, ...fields } });
}

describe('a fault is reported with its place, and the file is not used', () => {
  test.each<[string, object, RegExp]>([
    ['no schema', { app: {} }, /“schema” is missing/],
    ['another schema', { schema: 2 }, /“schema” must be 1/],
    ['versions as a list', { schema: 1, versions: [] }, /“versions” must be an object, not an empty list/],
    [
      'a name that is not a version',
      { schema: 1, versions: { v1: {} } },
      /“v1” in “versions” must be a semantic version/,
    ],
    ['a leading zero', { schema: 1, versions: { '1.0.0-01': {} } }, /“1.0.0-01” is not a semantic version/],
    ['an unknown reason', retired({ reason: 'securty' }), /Did you mean security\?/],
    ['no message', retired({ message: ' ' }), /message” must be text that is not blank/],
    ['a long message', retired({ message: 'x'.repeat(281) }), /at most 280 characters/],
    ['an impossible time', version({ published: '2026-02-30T10:00:00Z' }), /“2026-02-30T10:00:00Z” is not a time/],
    ['an impossible date', retired({ since: '2026-02-30' }), /“2026-02-30” is not a date/],
    ['a range in use', retired({ use: '^1.0.0' }), /must be a semantic version/],
    ['long notes', version({ notes: 'ä'.repeat(LARGEST_NOTES / 2 + 1) }), /have 20,002 bytes; at most 20,000/],
    ['a date without time', version({ published: '2026-11-23' }), /a time in UTC/],
    ['a script as a URL', { schema: 1, app: { homepage: 'javascript:alert(1)' } }, /an absolute http\(s\) URL/],
    ['a URL with a password', { schema: 1, app: { source: 'https://a:b@c.example/' } }, /“app.source”/],
  ])('%s', (_, value, expected) => {
    const reading = read(value);
    expect(reading.about).toBeNull();
    expect(problems(reading)).toHaveLength(1);
    expect(problems(reading)[0]).toMatch(expected);
    expect(reading.faults[0]?.position).not.toBeNull();
  });
});

test('280 characters outside the basic plane fit', () => {
  const deprecated = { reason: 'broken', message: '😀'.repeat(280) };
  expect(read({ schema: 1, versions: { '1.0.0': { deprecated } } }).faults).toEqual([]);
});

test('a file that is not JSON, and one with a repeated name', () => {
  expect(problems(readAboutFile(documentText('{ "schema": 1,')))).toHaveLength(1);
  expect(problems(readAboutFile(documentText('{ "schema": 1, "schema": 1 }')))[0]).toMatch(/occurs twice/);
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentWithText } from '../../src/author/document.ts';
import * as edits from '../../src/author/edit.ts';
import { isSame } from '../../src/author/edit.ts';
import type { JsonValue } from '../../src/core/json/json.ts';
import { type Json, json, name, style } from './styles.ts';
import { runs } from '../support/property-runs.ts';

/** The text after the edit. */
function addElement(text: string, pointer: string, index: number, value: JsonValue): string {
  return edits.addElement(documentWithText(text, 'document.json'), pointer, index, value).text;
}

/** The text after the edit. */
function addMember(text: string, pointer: string, name: string, value: JsonValue): string {
  return edits.addMember(documentWithText(text, 'document.json'), pointer, name, value).text;
}

/** The piece that makes `before` into `after`, or null when more than one insertion did. */
function insertedText(before: string, after: string): string | null {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  const length = after.length - before.length;
  for (let at = start; at >= 0; at--) {
    if (after.slice(0, at) + after.slice(at + length) === before) return after.slice(at, at + length);
  }
  return null;
}

describe('an edit of any document in any style', () => {
  test('inserts only the element into an array', () => {
    fc.assert(
      fc.property(
        fc.array(json, { maxLength: 4 }),
        fc.dictionary(name(), json, { maxKeys: 3, noNullPrototype: true }),
        json,
        fc.nat(5),
        style,
        (list, rest, value, index, write) => {
          const document: Json = { ...rest, versions: list };
          const text = write(document);
          const edited = addElement(text, '/versions', index, value);
          expect(insertedText(text, edited)).not.toBeNull();
          const at = Math.min(index, list.length);
          expect(JSON.parse(edited)).toEqual(
            JSON.parse(JSON.stringify({ ...rest, versions: [...list.slice(0, at), value, ...list.slice(at)] })),
          );
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('inserts only the member into an object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(name(), json, { maxKeys: 4, noNullPrototype: true }),
        fc.dictionary(name(), json, { maxKeys: 3, noNullPrototype: true }),
        name(),
        json,
        style,
        (apps, rest, key, value, write) => {
          fc.pre(!Object.hasOwn(apps, key));
          const text = write({ ...rest, apps });
          const edited = addMember(text, '/apps', key, value);
          expect(insertedText(text, edited)).not.toBeNull();
          const grown = Object.fromEntries([...Object.entries(apps), [key, value]]);
          expect(JSON.stringify(sorted(JSON.parse(edited) as Json))).toBe(
            JSON.stringify(sorted(JSON.parse(JSON.stringify({ ...rest, apps: grown })) as Json)),
          );
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('of a pretty-printed document gives a pretty-printed document', () => {
    const entry = fc.record({
      version: fc.string(),
      artifactUrl: fc.string(),
      extra: fc.array(fc.integer(), { minLength: 1, maxLength: 2 }),
    });
    const indent = fc.constantFrom('\t', ' ', '  ', '   ', '    ', '');
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), entry, indent, fc.nat(5), (list, added, unit, index) => {
        const at = Math.min(index, list.length);
        const text = JSON.stringify({ format: 1, versions: list }, null, unit);
        expect(addElement(text, '/versions', index, added)).toBe(
          JSON.stringify({ format: 1, versions: [...list.slice(0, at), added, ...list.slice(at)] }, null, unit),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('preserves the style over many edits', () => {
    let text = '{\r\n\t"apps": {}\r\n}';
    for (let i = 0; i < 50; i++) text = addMember(text, '/apps', `app-${i}`, { n: i, deep: { er: [i] } });
    const want = JSON.stringify(
      { apps: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`app-${i}`, { n: i, deep: { er: [i] } }])) },
      null,
      '\t',
    );
    expect(text).toBe(want.replaceAll('\n', '\r\n'));
  });
});

/** Members by name, so that integer-like names stand alike; an own `__proto__` stays. */
function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .map(([key, item]) => [key, sorted(item)])
    .sort((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1));
}

describe('an insertion in the style of the document', () => {
  const added = { version: '2.0.0', artifactUrl: 'u' };
  const cases: { what: string; before: string; after: string }[] = [
    { what: 'minified', before: '{"versions":[]}', after: '{"versions":[{"version":"2.0.0","artifactUrl":"u"}]}' },
    {
      what: 'one line with spaces',
      before: '{ "versions": [ ] }\n',
      after: '{ "versions": [ { "version": "2.0.0", "artifactUrl": "u" } ] }\n',
    },
    {
      what: 'empty brackets',
      before: '{\n  "versions": []\n}\n',
      after: '{\n  "versions": [\n    {\n      "version": "2.0.0",\n      "artifactUrl": "u"\n    }\n  ]\n}\n',
    },
    {
      what: 'a space in the brackets',
      before: '{\n  "versions": [ ]\n}',
      after: '{\n  "versions": [\n    {\n      "version": "2.0.0",\n      "artifactUrl": "u"\n    }\n  ]\n}',
    },
    {
      what: 'a line break in the brackets',
      before: '{\r\n\t"versions": [\r\n\t]\r\n}',
      after:
        '{\r\n\t"versions": [\r\n\t\t{\r\n\t\t\t"version": "2.0.0",\r\n\t\t\t"artifactUrl": "u"\r\n\t\t}\r\n\t]\r\n}',
    },
    {
      what: 'one line per element',
      before: '{\n   "versions": [\n      {"version": "1.0.0", "artifactUrl": "t"}\n   ]\n}',
      after:
        '{\n   "versions": [\n      {"version": "1.0.0", "artifactUrl": "t"},\n      {"version": "2.0.0", "artifactUrl": "u"}\n   ]\n}',
    },
    {
      what: 'brackets on one line',
      before: '{ "versions": [{\n    "version": "1.0.0"\n  }] }',
      after:
        '{ "versions": [{\n    "version": "1.0.0"\n  }, {\n    "version": "2.0.0",\n    "artifactUrl": "u"\n  }] }',
    },
    {
      what: 'commas in front',
      before: '{ "versions":\n  [ {"version":"1.0.0"}\n  , {"version":"1.1.0"}\n  ]\n}',
      after:
        '{ "versions":\n  [ {"version":"1.0.0"}\n  , {"version":"1.1.0"}\n  , {"version":"2.0.0","artifactUrl":"u"}\n  ]\n}',
    },
    {
      what: 'space before the colon',
      before: '{\n "versions" : [\n  { "version" : "1.0.0", "x" : 1 }\n ]\n}',
      after:
        '{\n "versions" : [\n  { "version" : "1.0.0", "x" : 1 },\n  { "version" : "2.0.0", "artifactUrl" : "u" }\n ]\n}',
    },
    {
      what: 'siblings of another kind',
      before: '{\n  "versions": [\n    null,\n    []\n  ]\n}',
      after:
        '{\n  "versions": [\n    null,\n    [],\n    {\n      "version": "2.0.0",\n      "artifactUrl": "u"\n    }\n  ]\n}',
    },
    {
      what: 'numbers and escapes as they are spelt',
      before: '{"n":[1.0,-0,1E5,9007199254740993,"\\u0041\\/"],"versions":[]}',
      after: '{"n":[1.0,-0,1E5,9007199254740993,"\\u0041\\/"],"versions":[{"version":"2.0.0","artifactUrl":"u"}]}',
    },
  ];
  test.each(cases)('matches $what', ({ before, after }) => {
    expect(addElement(before, '/versions', Infinity, added)).toBe(after);
  });

  test.each(['__proto__', 'constructor', 'toString', '2'])('accepts the name %s', (key) => {
    const edited = addMember('{\n  "apps": {\n    "b": {},\n    "1": {}\n  }\n}', '/apps', key, { x: 1 });
    expect(edited).toBe(`{\n  "apps": {\n    "b": {},\n    "1": {},\n    "${key}": {\n      "x": 1\n    }\n  }\n}`);
    expect(Object.hasOwn((JSON.parse(edited) as { apps: object }).apps, key)).toBe(true);
  });
});

test('adding a duplicate name throws an internal error', () => {
  expect(() => addMember('{"apps":{"a":1}}', '/apps', 'a', 1)).toThrow('changed something else');
});

test('isSame compares JSON values regardless of the order of members', () => {
  expect(isSame({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
  for (const [a, b] of [
    [{ a: 1 }, { b: 1 }],
    [[1], { 0: 1 }],
    [null, {}],
    [{}, JSON.parse('{"__proto__":{}}') as Json],
    ['1', 1],
  ] as [Json, Json][])
    expect(isSame(a, b)).toBe(false);
});

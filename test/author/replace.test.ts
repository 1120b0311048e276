import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentWithText } from '../../src/author/document.ts';
import { addMember } from '../../src/author/edit.ts';
import { addAppEntry, editAppEntry, removeAppEntry, removeMember, replaceText } from '../../src/author/manifest.ts';
import { pointerTo } from '../../src/core/json/pointer.ts';
import { type Json, json, name, style } from './styles.ts';
import { runs } from '../support/property-runs.ts';

const parsed = (text: string): Json => JSON.parse(text) as Json;

/** Members in the order of their names. */
function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .map(([key, item]) => [key, sorted(item)])
    .toSorted((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1));
}

/** True if `long` is `short` with one piece of text inserted. */
function hasOneMorePiece(short: string, long: string): boolean {
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  for (let at = start; at >= 0; at--)
    if (long.slice(0, at) + long.slice(at + long.length - short.length) === short) return true;
  return false;
}

const members = fc.dictionary(name(), json, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
const others = fc.dictionary(name(), json, { maxKeys: 3, noNullPrototype: true });

describe('in a document of any content and style', () => {
  test('replacing a value changes only its own text', () => {
    fc.assert(
      fc.property(members, others, fc.nat(3), fc.string(), style, (apps, rest, pick, value, write) => {
        const keys = Object.keys(apps);
        const key = keys[pick % keys.length]!;
        // The marker shows where the value is, whatever the style.
        const marker = 'the value that is replaced';
        const before = write({ ...rest, apps: { ...apps, [key]: marker } });
        const at = before.lastIndexOf(JSON.stringify(marker));
        const edited = replaceText(documentWithText(before, 'a.json'), pointerTo('apps', key), value).text;
        expect(edited).toBe(
          before.slice(0, at) + JSON.stringify(value) + before.slice(at + JSON.stringify(marker).length),
        );
      }),
      { numRuns: runs(400) },
    );
  });

  test('removing a member removes one piece of text, and nothing but the member', () => {
    fc.assert(
      fc.property(members, others, fc.nat(3), style, (apps, rest, pick, write) => {
        const keys = Object.keys(apps);
        const key = keys[pick % keys.length]!;
        const text = write({ ...rest, apps });
        const edited = removeMember(documentWithText(text, 'a.json'), '/apps', key).text;
        expect(hasOneMorePiece(edited, text)).toBe(true);
        const left = Object.fromEntries(Object.entries(apps).filter(([one]) => one !== key));
        expect(sorted(parsed(edited))).toEqual(sorted(parsed(JSON.stringify({ ...rest, apps: left }))));
      }),
      { numRuns: runs(400) },
    );
  });

  test('removing what was added gives the same bytes', () => {
    fc.assert(
      fc.property(members, others, name(), json, style, (apps, rest, key, value, write) => {
        fc.pre(!Object.hasOwn(apps, key));
        const document = documentWithText(write({ ...rest, apps }), 'a.json');
        expect(removeMember(addMember(document, '/apps', key, value), '/apps', key).text).toBe(document.text);
      }),
      { numRuns: runs(400) },
    );
  });
});

test('removing from a pretty-printed document gives what pretty-printing gives', () => {
  const apps = { a: { n: 1 }, b: [1, 2], c: 'x' };
  for (const unit of ['\t', '  ', '    ', ''])
    for (const key of Object.keys(apps)) {
      const left = Object.fromEntries(Object.entries(apps).filter(([one]) => one !== key));
      const text = JSON.stringify({ x: 1, apps, y: 2 }, null, unit);
      expect(removeMember(documentWithText(text, 'a.json'), '/apps', key).text).toBe(
        JSON.stringify({ x: 1, apps: left, y: 2 }, null, unit),
      );
    }
  const only = documentWithText('{\r\n\t"apps": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n', 'a.json');
  expect(removeMember(only, '/apps', 'a').text).toBe('{\r\n\t"apps": {}\r\n}\r\n');
});

test.each(['__proto__', 'constructor', '2', 'a/b~c', 'a"b', ''])('the key %j is a key like any other', (key) => {
  const entry = { name: 'A', description: '', blockStyle: { iconUrl: 'u', color: '#000000' }, appMetadataUrl: 'm' };
  const empty = documentWithText('{ "apps": { "b": {} } }', 'registry.json');
  const added = addAppEntry(empty, key, entry)!;
  const edited = editAppEntry(added, key, { name: 'B', color: '#ffffff' })!;
  expect(edited.text).toBe(added.text.replace('"A"', '"B"').replace('#000000', '#ffffff'));
  expect(removeAppEntry(edited, key)!.text).toBe(empty.text);
});

/** The text after the edit of the app `a`; null if nothing changes. */
function edit(text: string, changes: Parameters<typeof editAppEntry>[2]): string | null {
  return editAppEntry(documentWithText(text, 'registry.json'), 'a', changes)?.text ?? null;
}

describe('an entry', () => {
  test('keeps its unknown fields, escapes, numbers and line endings', () => {
    const text =
      '{\r\n  "apps": {\r\n    "a": { "x-n": [1.0,-0,1E5,"\\u0041\\/"], "name" : "A", "blockStyle":{"color":"#000000","x":1} }\r\n  }\r\n}';
    expect(edit(text, { name: 'Ä “B”\n', color: '#ffffff' })).toBe(
      text.replace('"A"', '"Ä “B”\\n"').replace('#000000', '#ffffff'),
    );
  });

  test('gets the fields that it lacks, and keeps others of the wrong type', () => {
    expect(edit('{"apps":{"a":{}}}', { name: 'A', color: '#ffffff', iconUrl: 'u' })).toBe(
      '{"apps":{"a":{"name":"A","blockStyle":{"color":"#ffffff","iconUrl":"u"}}}}',
    );
    expect(edit('{"apps":{"a":{"name":7,"description":null}}}', { name: '7' })).toBe(
      '{"apps":{"a":{"name":"7","description":null}}}',
    );
  });

  test('that has the texts already is not edited', () => {
    expect(
      edit('{"apps":{"a":{"name":"\\u0041","blockStyle":{"color":"#ffffff"}}}}', { name: 'A', color: '#ffffff' }),
    ).toBe(null);
  });

  test.each(['{"apps":{"a":null}}', '{"apps":{"a":[]}}', '{"apps":{"a":{"blockStyle":"red"}}}'])(
    'that is not an object is refused: %s',
    (text) => {
      expect(() => edit(text, { color: '#ffffff' })).toThrow('is not an object');
    },
  );
});

test('an app that is not listed cannot be removed', () => {
  expect(removeAppEntry(documentWithText('{"apps":{}}', 'registry.json'), 'constructor')).toBe(null);
});

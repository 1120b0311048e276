import { describe, expect, test } from 'vitest';
import { newAbout, removeRetirement, setAboutApp, setRetirement, setVersionNotes } from '../../src/author/about.ts';
import { documentWithText } from '../../src/author/document.ts';
import type { Retirement } from '../../src/core/about/about-file.ts';

const open = (text: string): ReturnType<typeof documentWithText> => documentWithText(text, 'versions.about.json');
const RETIRED: Retirement = { reason: 'security', message: 'It leaks.', use: '1.2.1', since: '2026-11-24' };

/** Unusual but legal formatting, and fields that are not known. */
const ODD = `\ufeff{ "schema" : 1,\r\n\t"x-more": [1,2],\r\n\t"versions": {\r\n\t\t"1.0.0": { "notes": "a\\u0062" },\r\n\t\t"1.2.0": {}\r\n\t}\r\n}`;

test('notes and time are added to a new file', () => {
  const first = setVersionNotes(open(newAbout()), '1.0.0', { published: '2026-01-01T00:00:00Z', notes: 'First.' });
  expect(first?.text).toBe(`{
  "schema": 1,
  "versions": {
    "1.0.0": {
      "published": "2026-01-01T00:00:00Z",
      "notes": "First."
    }
  }
}
`);
});

test('the time is written once, and notes are replaced', () => {
  const first = setVersionNotes(open(newAbout()), '1.0.0', { published: '2026-01-01T00:00:00Z', notes: null })!;
  expect(setVersionNotes(first, '1.0.0', { published: '2027-01-01T00:00:00Z', notes: null })).toBeNull();
  const second = setVersionNotes(first, '1.0.0', { published: '2027-01-01T00:00:00Z', notes: 'New.' })!;
  expect(JSON.parse(second.text)).toMatchObject({
    versions: { '1.0.0': { published: '2026-01-01T00:00:00Z', notes: 'New.' } },
  });
});

describe('every other byte is preserved', () => {
  test('in a retirement, and after its withdrawal', () => {
    const retired = setRetirement(open(ODD), '1.2.0', RETIRED)!;
    expect(retired.text.startsWith(ODD.slice(0, ODD.indexOf('"1.2.0": {') + 10))).toBe(true);
    expect(retired.text.endsWith('}\r\n\t}\r\n}')).toBe(true);
    expect(JSON.parse(retired.text.slice(1))).toMatchObject({
      'x-more': [1, 2],
      versions: { '1.2.0': { deprecated: RETIRED } },
    });
    const withdrawn = removeRetirement(retired, '1.2.0')!;
    expect(JSON.parse(withdrawn.text.slice(1))).toMatchObject({ versions: { '1.0.0': { notes: 'ab' } } });
    expect(withdrawn.text).toContain('"notes": "a\\u0062"');
  });

  test('in links', () => {
    const edited = setAboutApp(open(ODD), { homepage: 'https://a.example/', licence: 'MIT' })!;
    expect(edited.text.startsWith(ODD.slice(0, -3))).toBe(true);
    expect(JSON.parse(edited.text.slice(1))).toMatchObject({ app: { homepage: 'https://a.example/', licence: 'MIT' } });
  });
});

test('a retirement is changed in place, and its replacement is removed', () => {
  const retired = setRetirement(open(newAbout()), '1.0.0', RETIRED)!;
  expect(setRetirement(retired, '1.0.0', RETIRED)).toBeNull();
  const changed = setRetirement(retired, '1.0.0', { ...RETIRED, reason: 'broken', use: null })!;
  expect(JSON.parse(changed.text)).toEqual({
    schema: 1,
    versions: { '1.0.0': { deprecated: { reason: 'broken', message: 'It leaks.', since: '2026-11-24' } } },
  });
  expect(JSON.parse(removeRetirement(changed, '1.0.0')!.text)).toEqual({ schema: 1, versions: {} });
  expect(removeRetirement(open(newAbout()), '1.0.0')).toBeNull();
});

test('a version that has notes keeps them after a withdrawal', () => {
  const noted = setVersionNotes(open(newAbout()), '1.0.0', { published: null, notes: 'First.' })!;
  const withdrawn = removeRetirement(setRetirement(noted, '1.0.0', RETIRED)!, '1.0.0');
  expect(withdrawn?.text).toBe(noted.text);
});

test('nothing is added to a file with faults', () => {
  const broken = open('{ "schema": 1, "versions": { "1.0.0": { "notes": 1 } } }');
  expect(() => setRetirement(broken, '1.0.0', RETIRED)).toThrow(/versions.about.json:1:\d+: .*must be text/);
  expect(() => setVersionNotes(broken, '1.0.0', { published: null, notes: 'x' })).toThrow(/must be text/);
  expect(() => setAboutApp(broken, { licence: 'MIT' })).toThrow(/must be text/);
  expect(() => removeRetirement(broken, '1.0.0')).toThrow(/must be text/);
});

import { describe, expect, test } from 'vitest';
import type { DocumentContent } from '../../../src/core/json/content.ts';
import { documentText } from '../../../src/core/json/json.ts';
import type { KnownAbout } from '../../../src/observe/registry/cache.ts';
import { aboutChange, aboutEvents, type LearnedAbout, NO_ABOUT, type StoredAbout } from '../../src/domain/about.ts';

/** What a refresh writes of an about file: the stored rows and the observed file in, rows and events out. */

const URL = 'https://apps.test/a.about.json';
const SECURITY = { reason: 'security', message: 'It leaks.', use: '2.0.0' };

const contentOf = (value: object | string): DocumentContent =>
  documentText(typeof value === 'string' ? value : JSON.stringify(value));

function file(versions: object, more: Partial<KnownAbout> & { app?: object } = {}): KnownAbout {
  const { app = {}, ...rest } = more;
  return { url: URL, condition: ['if-none-match', '"1"'], content: contentOf({ schema: 1, app, versions }), ...rest };
}

/** What is stored after a file was learned. */
function after(before: StoredAbout, learned: LearnedAbout, versions: readonly string[]): StoredAbout {
  const { change } = aboutChange(before, learned, versions);
  if (change === null) return before;
  const replaced = new Set([...change.removed, ...change.changed.map(({ version }) => version)]);
  return {
    file: change.file === undefined ? before.file : (change.file?.known ?? null),
    fields: change.file === undefined ? before.fields : (change.file?.app ?? {}),
    versions: [
      ...before.versions.filter(({ version }) => versions.includes(version) && !replaced.has(version)),
      ...change.changed,
    ],
  };
}

function eventsOf(before: StoredAbout, learned: LearnedAbout, versions: readonly string[]): string[] {
  const { change } = aboutChange(before, learned, versions);
  return aboutEvents('a', before, change).map(({ type, version, data }) =>
    [type, version, 'reason' in data ? data.reason : ''].join(' '),
  );
}

const KNOWN = ['1.0.0', '2.0.0'];
const RETIRED = after(NO_ABOUT, file({ '1.0.0': { deprecated: SECURITY } }), KNOWN);

describe('the rows', () => {
  test('are those of known versions of which something is said', () => {
    const learned = file({ '1.0.0': { notes: 'One.' }, '2.0.0': {}, '3.0.0': { notes: 'Three.' } });
    const { change, about } = aboutChange(NO_ABOUT, learned, KNOWN);
    expect(change!.changed).toEqual([{ version: '1.0.0', published: null, notes: 'One.', deprecated: null }]);
    expect([...about!.versions.keys()]).toEqual(['1.0.0', '2.0.0', '3.0.0']);
    expect(after(NO_ABOUT, learned, [...KNOWN, '3.0.0']).versions).toHaveLength(2);
  });

  test('appear once a version is known of which the file spoke before', () => {
    const stored = after(NO_ABOUT, file({ '3.0.0': { notes: 'Three.' } }), KNOWN);
    expect(stored.versions).toEqual([]);
    const { change } = aboutChange(stored, stored.file!, [...KNOWN, '3.0.0']);
    expect(change).toMatchObject({ file: undefined, changed: [{ version: '3.0.0' }], removed: [] });
    expect(aboutChange(stored, 'unknown', [...KNOWN, '3.0.0']).change).toEqual(change);
  });

  test('have texts that the database can store', () => {
    const learned = file(
      { '1.0.0': { notes: 'a\u0000b', deprecated: { reason: 'legal', message: 'c\u0000' } } },
      { app: { licence: 'M\u0000T' } },
    );
    const { change } = aboutChange(NO_ABOUT, learned, KNOWN);
    expect(change!.changed[0]).toMatchObject({ notes: 'a\ufffdb', deprecated: { message: 'c\ufffd' } });
    expect(change!.file!.app.licence).toBe('M\ufffdT');
  });
});

describe('nothing is written', () => {
  test.each<[string, StoredAbout, LearnedAbout]>([
    ['of an app without a file', NO_ABOUT, 'absent'],
    ['of an app of which it is not known', NO_ABOUT, 'unknown'],
    ['of a file with errors, if there was none before', NO_ABOUT, { ...file({}), content: contentOf('{') }],
    ['of the same file', RETIRED, RETIRED.file!],
    ['if the host does not say whether it has the file', RETIRED, 'unknown'],
    ['of a file with errors', RETIRED, { ...file({}), content: contentOf({ schema: 1, versions: [] }) }],
  ])('%s', (_, before, learned) => {
    const { change, about } = aboutChange(before, learned, KNOWN);
    expect(change).toBeNull();
    expect(about === null).toBe(before.file === null);
    expect(aboutEvents('a', before, change)).toEqual([]);
  });
});

test('the same content with another validator replaces the file, without an event', () => {
  const learned: KnownAbout = { ...RETIRED.file!, condition: ['if-none-match', '"2"'] };
  const { change } = aboutChange(RETIRED, learned, KNOWN);
  expect(change).toMatchObject({ file: { known: learned }, changed: [], removed: [] });
  expect(aboutEvents('a', RETIRED, change)).toEqual([]);
});

test.each<LearnedAbout>(['unknown', RETIRED.file!])(
  'a field that was added later is read from the stored file',
  (learned) => {
    const file = { ...RETIRED.file!, content: contentOf({ schema: 1, app: { licence: 'MIT' } }) };
    const { change } = aboutChange(
      { file, fields: { homepage: null }, versions: [] },
      learned === 'unknown' ? learned : file,
      KNOWN,
    );
    expect(change).toMatchObject({
      file: { known: file, app: { licence: 'MIT', homepage: null } },
      changed: [],
      removed: [],
    });
  },
);

test('nothing is shown of a stored file that can no longer be read', () => {
  const stored = { ...RETIRED, file: { ...RETIRED.file!, content: contentOf({ schema: 1, app: { homepage: 'x:' } }) } };
  const { change, about } = aboutChange(stored, 'unknown', KNOWN);
  expect(about).toBeNull();
  expect(change).toEqual({ file: null, changed: [], removed: ['1.0.0'] });
});

test('a file that is gone takes what it said with it', () => {
  const { change, about } = aboutChange(RETIRED, 'absent', KNOWN);
  expect(change).toEqual({ file: null, changed: [], removed: ['1.0.0'] });
  expect(about).toBeNull();
  expect(eventsOf(RETIRED, 'absent', KNOWN)).toEqual(['version-undeprecated 1.0.0 security']);
});

describe('an event', () => {
  test.each<[string, StoredAbout, LearnedAbout, string[]]>([
    [
      'says that a version is retired',
      NO_ABOUT,
      file({ '1.0.0': { deprecated: SECURITY } }),
      ['version-deprecated 1.0.0 security'],
    ],
    ['does not say so of a version that is not known', NO_ABOUT, file({ '9.0.0': { deprecated: SECURITY } }), []],
    [
      'says that it is retired for another reason',
      RETIRED,
      file({ '1.0.0': { deprecated: { ...SECURITY, reason: 'broken' } } }),
      ['version-deprecated 1.0.0 broken'],
    ],
    [
      'says that it is retired with other words',
      RETIRED,
      file({ '1.0.0': { deprecated: { ...SECURITY, message: 'It leaks tokens.' } } }),
      ['version-deprecated 1.0.0 security'],
    ],
    [
      'says that it is no longer retired',
      RETIRED,
      file({ '1.0.0': { notes: 'Fine.' } }),
      ['version-undeprecated 1.0.0 security'],
    ],
    ['does not repeat it', RETIRED, file({ '1.0.0': { deprecated: SECURITY, notes: 'More.' } }), []],
    ['is not about notes', NO_ABOUT, file({ '1.0.0': { notes: 'One.' } }), []],
  ])('%s', (_, before, learned, expected) => {
    expect(eventsOf(before, learned, KNOWN)).toEqual(expected);
  });

  test('is not about a version that is not known any more', () => {
    expect(aboutChange(RETIRED, RETIRED.file!, ['2.0.0']).change).toBeNull();
    expect(eventsOf(RETIRED, 'absent', ['2.0.0'])).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import type { LockedText } from '../../../src/core/registry/lock-file.ts';
import { type EntryTexts, entryChanges, hasWrites, toRecordOf } from '../../../src/core/release/entry-changes.ts';

const NONE = { fields: {}, iconSha256: null };
const ICON_URL = 'https://a.example/icon.svg';

type Decision = 'same' | 'write' | 'conflict' | 'difference';
type Row = [what: string, recorded: LockedText | null, published: string | null, decision: Decision];

/** The decision about the text `ours`. */
const ROWS: Row[] = [
  ['is published', 'ours', 'ours', 'same'],
  ['is published, and not recorded', null, 'ours', 'same'],
  ['was published by another process', 'old', 'ours', 'same'],
  ['changed', 'old', 'old', 'write'],
  ['is new', null, null, 'write'],
  ['is missing elsewhere', 'ours', null, 'write'],
  ['changed elsewhere', 'ours', 'theirs', 'conflict'],
  ['changed here and elsewhere', 'old', 'theirs', 'conflict'],
  ['is another one, and nothing is recorded', null, 'theirs', 'difference'],
  ['is another one, as it was recorded', { described: 'ours', published: 'theirs' }, 'theirs', 'difference'],
  ['changed after it was recorded as another one', { described: 'old', published: 'theirs' }, 'theirs', 'write'],
  [
    'changed elsewhere after it was recorded as another one',
    { described: 'ours', published: 'old' },
    'theirs',
    'conflict',
  ],
  ['is published by now', { described: 'old', published: 'theirs' }, 'ours', 'same'],
];

function publishedIn(recorded: LockedText | null): string | null {
  return typeof recorded === 'object' ? (recorded?.published ?? null) : recorded;
}

function recordedFor(decision: Decision, published: string | null): LockedText {
  return decision === 'difference' ? { described: 'ours', published: published ?? '' } : 'ours';
}

test.each(ROWS)('a text that %s: recorded %j, published %s', (_, recorded, published, decision) => {
  const found = entryChanges(
    { ...NONE, fields: { color: 'ours' } },
    { ...NONE, fields: { color: published } },
    recorded === null ? undefined : { color: recorded },
  );
  expect(found.fields).toEqual(decision === 'write' ? [{ field: 'color', before: published, after: 'ours' }] : []);
  expect(found.conflicts).toEqual(
    decision === 'conflict' ? [{ field: 'color', published, described: 'ours', recorded: publishedIn(recorded) }] : [],
  );
  expect(found.differences).toEqual(
    decision === 'difference' ? [{ field: 'color', published, described: 'ours' }] : [],
  );
  expect(found.toRecord).toEqual(decision === 'conflict' ? {} : { color: recordedFor(decision, published) });
  expect(hasWrites(found)).toBe(decision === 'write');
});

test.each(ROWS)('an icon that %s: recorded %j, published %s', (_, recorded, published, decision) => {
  const fields = { iconUrl: ICON_URL };
  const found = entryChanges(
    { fields, iconSha256: 'ours' },
    { fields, iconSha256: published },
    {
      iconUrl: ICON_URL,
      ...(recorded !== null && { iconSha256: recorded }),
    },
  );
  expect(found.icon).toEqual(decision === 'write' ? { before: published, after: 'ours' } : null);
  expect(found.conflicts).toEqual(
    decision === 'conflict' ? [{ field: 'icon', published, described: 'ours', recorded: publishedIn(recorded) }] : [],
  );
  expect(found.differences).toEqual(decision === 'difference' ? [{ field: 'icon', published, described: 'ours' }] : []);
  expect(found.toRecord['iconSha256']).toEqual(decision === 'conflict' ? undefined : recordedFor(decision, published));
});

describe('an icon at another URL', () => {
  const before: EntryTexts = { fields: { iconUrl: ICON_URL }, iconSha256: null };
  const recorded = { iconUrl: ICON_URL, iconSha256: 'old' };
  const after = { iconUrl: 'https://a.example/logo.svg' };

  test('is written, whatever file is there', () => {
    for (const iconSha256 of [null, 'leftover'])
      expect(entryChanges({ fields: after, iconSha256: 'ours' }, { ...before, iconSha256 }, recorded)).toMatchObject({
        fields: [{ field: 'iconUrl' }],
        icon: { before: null, after: 'ours' },
        conflicts: [],
      });
  });

  test('is not written if the entry names another one by now', () => {
    const published = { ...before, fields: { iconUrl: 'https://b.example/theirs.svg' } };
    expect(entryChanges({ fields: after, iconSha256: 'ours' }, published, recorded)).toMatchObject({
      fields: [],
      icon: null,
      conflicts: [{ field: 'iconUrl' }],
    });
  });
});

test('the metadata file of a listed app never moves', () => {
  const found = entryChanges(
    { ...NONE, fields: { appMetadataUrl: 'https://a.example/new.json' } },
    { ...NONE, fields: { appMetadataUrl: 'https://a.example/old.json' } },
    { appMetadataUrl: 'https://a.example/old.json' },
  );
  expect(found).toMatchObject({ fields: [], conflicts: [{ field: 'appMetadataUrl' }], toRecord: {} });
});

test('all texts of a new app are recorded', () => {
  expect(toRecordOf({ fields: { name: 'A', iconUrl: ICON_URL }, iconSha256: 'ours' })).toEqual({
    name: 'A',
    iconUrl: ICON_URL,
    iconSha256: 'ours',
  });
});

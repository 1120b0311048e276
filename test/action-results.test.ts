import { expect, test } from 'vitest';
// @ts-expect-error a script without types
import { resultOf } from '../action/compare.mjs';
import { type EntryChanges, NO_CHANGES } from '../src/core/release/entry-changes.ts';
import { type ReleasedApp, releaseReport } from '../src/core/release/report.ts';
import { VERSION } from '../src/core/values/tool-version.ts';
import * as library from '../src/node.ts';

/** The outputs and annotations of the GitHub Action for the report of a release. */

function unchanged(key: string, changes: Partial<EntryChanges> = {}): ReleasedApp {
  return {
    key,
    folder: `src/${key}`,
    state: 'unchanged',
    declared: '1.0.0',
    listed: '1.0.0',
    checksum: null,
    listedChecksum: null,
    published: false,
    message: null,
    advice: null,
    changes: { ...NO_CHANGES, ...changes },
  };
}

test('name apps of which only the texts differ, and those that were changed elsewhere', () => {
  const conflict = { field: 'name', published: 'Clock', described: 'Uhr', recorded: 'Time' } as const;
  const edited = { field: 'name', before: 'Door', after: 'Gate' } as const;
  const apps = [
    unchanged('clock', { conflicts: [conflict] }),
    unchanged('door', { fields: [edited] }),
    unchanged('lamp'),
  ];
  const { annotations, outputs } = resultOf('release', releaseReport(VERSION, apps, new Set()), library);
  expect(annotations).toEqual([
    { title: 'conflict clock', text: expect.stringContaining('“Uhr”: it was changed elsewhere') },
  ]);
  expect(outputs).toMatchObject({ outcome: 'findings', errors: 1, apps: '["clock","door"]' });
  expect(JSON.parse(outputs.counts)).toMatchObject({ unchanged: 3, changedTexts: 1, conflicts: 1 });
});

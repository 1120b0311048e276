import { afterEach, describe, expect, test } from 'vitest';
import { setRetirement } from '../../src/author/about.ts';
import { appToPublish } from '../../src/publish/listed-app.ts';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import { planRetirement } from '../../src/publish/deprecate.ts';
import { StoredDocument } from '../../src/publish/stored-document.ts';
import { JUDGEMENT, placeOf } from '../publish/memory.ts';
import { writeFiles } from '../bundle/tree.ts';
import { releaseIn, repository, sources, textOf } from '../cli/release-fixture.ts';
import {
  aboutOf,
  history,
  OPTIONS,
  outcomes,
  type Place,
  PLACE_NAMES,
  prepared,
  registryOf,
  publishApps,
} from './apps-fixture.ts';

/** About files on every store. */

const places: Place[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

async function registry(name: string, keys: readonly string[]): Promise<Place> {
  const place = await registryOf(name, keys);
  places.push(place);
  return place;
}

describe.each(PLACE_NAMES)('in a store: %s', (name) => {
  test('a release writes the notes of each app, with the versions', async () => {
    const place = await registry(name, ['a', 'b']);
    const apps = [
      { ...(await prepared('a')), notes: (version: string) => `Notes of ${version}.` },
      { ...(await prepared('b')), notes: () => null },
    ];
    const results = await publishApps(placeOf(place.open()), apps, OPTIONS);
    expect(outcomes(results)).toEqual(['a: published', 'b: published']);
    const store = place.open();
    const about = await aboutOf(store, 'a');
    expect(about).toMatchObject({ versions: { '1.0.0': { notes: 'Notes of 1.0.0.' } } });
    const published = about?.versions['1.0.0']?.published ?? '';
    // A bucket has a clock of its own.
    if (name === 'bucket') expect(Math.abs(Date.parse(published) - Date.now())).toBeLessThan(60_000);
    else expect(published).toBe(JUDGEMENT.now);
    expect(await aboutOf(store, 'b')).toBeNull();
    if (place.remote !== undefined)
      expect(history(place.remote)).toMatchObject({ commits: 2, subject: 'Publish a 1.0.0, b 1.0.0' });
  });
});

const isFirst = (version: string): boolean => version === '1.0.0';

test('an entry that another process added meanwhile is kept', async () => {
  const place = await registry('memory', ['a']);
  await publishApps(
    placeOf(place.open()),
    [await prepared('a', '1.0.0', '1'), await prepared('a', '1.0.1', '2')],
    OPTIONS,
  );
  const at = placeOf(place.open());
  const settings = { ...JUDGEMENT, since: '2026-01-01' };
  const reason = { reason: 'broken', message: 'No.', use: null } as const;
  const { plan } = await planRetirement(
    at,
    await appToPublish(at, 'a'),
    { selects: isFirst, asGiven: '1.0.0' },
    reason,
    settings,
  );
  await at.store.create('apps/a/versions.about.json', Buffer.from('{ "schema": 1, "x": 1 }'));
  await applyPlan(plan, at.store);
  const stored = await at.store.read('apps/a/versions.about.json');
  if (stored === null) throw new Error('it is there');
  const document = StoredDocument.of(stored, 'versions.about.json');
  expect(document.value).toMatchObject({ x: 1, versions: { '1.0.0': { deprecated: { reason: 'broken' } } } });
  expect(setRetirement(document, '1.0.0', { ...reason, since: '2026-01-01' })).toBeNull();
});

test('release takes the notes from the changelog of the app', async () => {
  const root = await repository(sources({ clock: '1.0.0', lamp: '2.0.0' }), { listed: ['clock', 'lamp'] });
  writeFiles(root, { 'src/clock/CHANGELOG.md': '# clock\n\n## 1.0.0\n\n### Major Changes\n\n- First.\n' });
  writeFiles(root, { 'src/lamp/CHANGELOG.md': '# lamp\n\n## 1.0.0\n\n- Old.\n' });
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { published: 2 } } });
  expect(JSON.parse(textOf(root, 'apps/clock/versions.about.json') ?? '')).toMatchObject({
    versions: { '1.0.0': { notes: '### Major Changes\n\n- First.' } },
  });
  expect(textOf(root, 'apps/lamp/versions.about.json')).toBeNull();
});

test.each([
  { name: 'a folder', files: { 'src/clock/CHANGELOG.md/x': '' }, problem: 'CHANGELOG.md is a folder.' },
  {
    name: 'another encoding',
    files: { 'src/clock/CHANGELOG.md': Buffer.from('\ufeff## 1.0.0\n\nFirst.\n', 'utf16le') },
    problem: 'CHANGELOG.md is not UTF-8.',
  },
])('release and its check refuse a changelog that cannot be read: $name', async ({ files, problem }) => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  writeFiles(root, files);
  for (const check of [true, false]) {
    const { code, report } = await releaseIn(root, { check });
    expect([code, report.apps[0]?.state, report.apps[0]?.message]).toEqual([
      1,
      'broken',
      expect.stringContaining(problem),
    ]);
  }
  expect(textOf(root, 'apps/clock/versions.about.json')).toBeNull();
});

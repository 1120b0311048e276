import { describe, expect, test } from 'vitest';
import { type RegistryDiff, diffRegistries } from '../../../src/core/diff/diff.ts';
import { checksum } from '../../support/core-facts.ts';
import { BASE, entry, metadataWith, snapshot } from '../../support/snapshots.ts';

const oneApp = snapshot(['a'], { a: metadataWith('1.0.0', '1.1.0') });
const version = (number: string, more: object = {}): object => ({
  version: number,
  artifactUrl: `${BASE}apps/a/versions/${number}.tar.gz`,
  artifactChecksum: checksum(1),
  ...more,
});
const signed = (path: string, time: number): string => `${BASE}${path}?expires=200000000${time}&signature=abc${time}`;
const appWithVersions = (...versions: object[]) => snapshot(['a'], { a: { versions } });
const changes = ({ apps }: RegistryDiff): string[] =>
  apps.flatMap(({ key, change, fields, versions }) => [
    `${change} ${key}`,
    ...fields.map(({ name, before, after }) => `${name}: ${before} → ${after}`),
    ...versions.map((v) => `${v.change} ${v.version}`),
  ]);

describe('the changes between two snapshots', () => {
  test.each([
    ['the same', oneApp, oneApp, []],
    [
      'versions in another order',
      appWithVersions(version('1.0.0'), version('2.0.0')),
      appWithVersions(version('2.0.0'), version('1.0.0')),
      [],
    ],
    ['apps in another order', snapshot(['a', 'b']), snapshot(['b', 'a']), []],
    ['an app more', snapshot(['a']), snapshot(['a', 'b']), ['added b', 'added 1.0.0']],
    ['an app less', snapshot(['a', 'b']), snapshot(['a']), ['removed b', 'removed 1.0.0']],
    [
      'a version more, newest first',
      appWithVersions(version('1.0.0')),
      appWithVersions(version('1.0.0'), version('1.9.0'), version('1.10.0')),
      ['changed a', 'added 1.10.0', 'added 1.9.0'],
    ],
    [
      'other bytes',
      appWithVersions(version('1.0.0')),
      appWithVersions(version('1.0.0', { artifactChecksum: checksum(2) })),
      ['changed a', 'changed 1.0.0'],
    ],
    [
      'a version whose spelling was corrected, which subscribers were not offered before',
      appWithVersions(version('v1.0.0'), version('v2.0.0')),
      appWithVersions(version('1.0.0')),
      ['changed a', 'added 1.0.0', 'removed v2.0.0'],
    ],
    [
      'another address',
      appWithVersions(version('1.0.0')),
      appWithVersions(version('1.0.0', { artifactUrl: 'https://x.test/1.tar.gz' })),
      ['changed a', 'moved 1.0.0'],
    ],
    [
      'a URL that was signed again',
      snapshot(
        { apps: { a: entry('a', { appMetadataUrl: signed('meta.json', 1) }) } },
        { a: { versions: [version('1.0.0', { artifactUrl: signed('1.tar.gz', 1) })] } },
      ),
      snapshot(
        { apps: { a: entry('a', { appMetadataUrl: signed('meta.json', 2) }) } },
        { a: { versions: [version('1.0.0', { artifactUrl: signed('1.tar.gz', 2) })] } },
      ),
      [],
    ],
    [
      'the same URL in another form',
      appWithVersions(version('1.0.0', { artifactUrl: 'https://x.test/1.tar.gz' })),
      appWithVersions(version('1.0.0', { artifactUrl: 'https://X.test:443/1.tar.gz' })),
      [],
    ],
    [
      'two entries of a version in another order',
      appWithVersions(version('1.0.0'), version('1.0.0', { artifactChecksum: checksum(2) })),
      appWithVersions(version('1.0.0', { artifactChecksum: checksum(2) }), version('1.0.0')),
      [],
    ],
    [
      'another name',
      snapshot({ apps: { a: entry('a') } }),
      snapshot({ apps: { a: entry('a', { name: 'B' }) } }),
      ['changed a', expect.stringMatching(/^name: .* → B$/)],
    ],
    [
      'keys that are names of everything',
      snapshot({ apps: {} }),
      snapshot(['__proto__x', 'constructor']),
      ['added __proto__x', 'added 1.0.0', 'added constructor', 'added 1.0.0'],
    ],
  ])('are listed: %s', (_, before, after, expected) =>
    expect(changes(diffRegistries(before, after))).toEqual(expected),
  );
});

test('of several entries of a version, one that was not listed before is shown, at any place', () => {
  const [first, other] = [version('1.0.0'), version('1.0.0', { artifactChecksum: checksum(2) })];
  for (const after of [appWithVersions(first, other), appWithVersions(other, first)])
    expect(diffRegistries(appWithVersions(first), after).apps[0]?.versions).toMatchObject([
      { change: 'changed', checksum: { before: checksum(1), after: checksum(2) } },
    ]);
});

test('vanishing apps are listed with the reason', () => {
  const found = diffRegistries(snapshot(['a', 'b', 'c']), snapshot(['a', 'b'], { a: metadataWith('v1') }));
  expect(found.vanishing).toEqual(['a', 'c']);
  expect(found.apps.map(({ key, visible, because }) => ({ key, visible, because }))).toEqual([
    { key: 'a', visible: { before: null, after: false }, because: ['no-valid-versions'] },
    { key: 'c', visible: { before: null, after: null }, because: [] },
  ]);
});

describe('apps that were not read', () => {
  const elsewhere = {
    ...oneApp,
    apps: oneApp.apps.map((app) => ({
      ...app,
      metadata: { ...app.metadata, content: { missing: { code: 'not-in-source', source: 'the bucket' } } as const },
      artifacts: [],
    })),
  };

  test.each([
    ['after', oneApp, elsewhere],
    ['before', elsewhere, oneApp],
    ['on both sides', elsewhere, elsewhere],
    ['at all', oneApp, { ...oneApp, apps: [] }],
  ])('(%s) are neither added nor withdrawn', (_, before, after) => {
    const found = diffRegistries(before, after);
    expect([found.apps, found.vanishing]).toEqual([[], []]);
    expect(found.notCompared).toEqual([{ key: 'a', reason: expect.stringMatching(/^it (is|was) not/) as string }]);
  });

  test('do not hide other changes or new and removed apps', () => {
    const renamed = snapshot({ apps: { a: entry('a', { name: 'B' }), b: entry('b') } });
    const after = {
      ...renamed,
      apps: renamed.apps.map((app) => ({ ...app, metadata: elsewhere.apps[0]!.metadata, artifacts: [] })),
    };
    const found = diffRegistries(oneApp, after);
    expect(changes(found).map((line) => line.split(':')[0])).toEqual(['changed a', 'name', 'added b']);
    expect(found.notCompared.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(diffRegistries(after, oneApp).vanishing).toEqual([]);
    expect(diffRegistries(oneApp, snapshot([])).vanishing).toEqual(['a']);
  });
});

test('the highest versions before and after are stated', () => {
  const [app] = diffRegistries(
    appWithVersions(version('1.0.0'), version('2.0.0')),
    appWithVersions(version('1.0.0')),
  ).apps;
  expect(app?.latest).toEqual({ before: '2.0.0', after: '1.0.0' });
});

test('added and removed hosts are listed', () => {
  const found = diffRegistries(
    appWithVersions(version('1.0.0')),
    appWithVersions(version('1.0.0'), version('1.1.0', { artifactUrl: 'https://cdn.test:8443/x' })),
  );
  expect(found.hosts).toEqual({ added: ['cdn.test:8443'], removed: [] });
});

test('the summary counts changes', () => {
  const before = snapshot(['a', 'b'], { a: metadataWith('1.0.0') });
  const after = snapshot(['a', 'c'], { a: metadataWith('1.0.0', '1.1.0') });
  expect(diffRegistries(before, after).summary).toMatchObject({
    appsAdded: 1,
    appsRemoved: 1,
    appsChanged: 1,
    versionsAdded: 2,
    versionsRemoved: 1,
    versionsChanged: 0,
  });
});

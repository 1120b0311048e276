import { describe, expect, test } from 'vitest';
import type { Provenance } from '../../../src/core/registry/lock-file.ts';
import { NO_CHANGES } from '../../../src/core/release/entry-changes.ts';
import { releaseReport, type ReleasedApp } from '../../../src/core/release/report.ts';
import { type BuiltApp, decideState, nextVersion, RELEASE_STATES } from '../../../src/core/release/state.ts';

const listedAs = (...versions: [string, string][]) =>
  versions.map(([version, artifactChecksum]) => ({
    version,
    artifactChecksum,
    artifactUrl: `https://a.example/${version}`,
  }));
const from = (sources: string, esbuild = '0.28.2', appreg = '0.1.0'): Provenance => ({
  sources,
  toolchain: { appreg, esbuild },
});
const recordedAs = (artifactChecksum: string, provenance: Provenance | null) => ({ artifactChecksum, provenance });

/** An app that declares 1.1.0, and is built to the bytes `new` from the sources `s1`. */
function stateOf(app: Partial<BuiltApp>): ReturnType<typeof decideState> {
  return decideState({
    declared: '1.1.0',
    checksum: 'new',
    provenance: () => from('s1'),
    listed: [],
    isDescribed: false,
    recorded: null,
    isMaintained: false,
    ...app,
  });
}

const old = listedAs(['1.0.0', 'x'], ['1.1.0', 'old']);

test.each<[string, Partial<BuiltApp>, string]>([
  ['the manifest does not list the app', { listed: null }, 'unlisted'],
  ['no version is listed', { listed: [] }, 'new'],
  ['higher than every listed version', { listed: listedAs(['1.0.0', 'x'], ['1.0.9', 'new']) }, 'new'],
  ['listed with these bytes', { listed: listedAs(['1.1.0', 'new']) }, 'unchanged'],
  ['listed with these bytes, below a plain one', { listed: listedAs(['2.0.0', 'x'], ['1.1.0', 'new']) }, 'reverted'],
  ['the plain one is higher by number', { listed: listedAs(['1.10.0', 'x'], ['1.1.0', 'new']) }, 'reverted'],
  [
    'below a plain one, in a maintenance branch',
    { listed: listedAs(['2.0.0', 'x'], ['1.1.0', 'new']), isMaintained: true },
    'unchanged',
  ],
  ['below a pre-release alone', { listed: listedAs(['2.0.0-beta.1', 'x'], ['1.1.0', 'new']) }, 'unchanged'],
  [
    'below a plain one and a pre-release',
    { listed: listedAs(['2.0.0-beta.1', 'x'], ['1.2.0', 'x'], ['1.1.0', 'new']) },
    'reverted',
  ],
  ['beside a build of it', { listed: listedAs(['1.1.0+b', 'x'], ['1.1.0', 'new']) }, 'unchanged'],
  ['beside an invalid higher version', { listed: listedAs(['v2.0.0', 'x'], ['1.1.0', 'new']) }, 'unchanged'],
  [
    'a listed pre-release whose release is published',
    { declared: '1.1.0-beta.1', listed: listedAs(['1.1.0-beta.1', 'new'], ['1.1.0', 'x']) },
    'reverted',
  ],
  [
    'a listed pre-release above the plain ones',
    { declared: '2.0.0-beta.1', listed: listedAs(['2.0.0-beta.1', 'new'], ['1.4.0', 'x']) },
    'unchanged',
  ],
  [
    'rebuilt, below a plain one',
    { listed: listedAs(['2.0.0', 'x'], ['1.1.0', 'old']), recorded: recordedAs('old', from('s1', '0.27.0')) },
    'reverted',
  ],
  [
    'rebuilt, below a plain one, in a maintenance branch',
    {
      listed: listedAs(['2.0.0', 'x'], ['1.1.0', 'old']),
      recorded: recordedAs('old', from('s1', '0.27.0')),
      isMaintained: true,
    },
    'rebuilt',
  ],
  ['listed with other bytes, without a record', { listed: old }, 'changed'],
  ['listed with other bytes, below the highest', { listed: listedAs(['2.0.0', 'x'], ['1.1.0', 'old']) }, 'changed'],
  ['other sources', { listed: old, recorded: recordedAs('old', from('s0')) }, 'changed'],
  [
    'other sources and another toolchain',
    { listed: old, recorded: recordedAs('old', from('s0', '0.27.0')) },
    'changed',
  ],
  ['the same sources, another esbuild', { listed: old, recorded: recordedAs('old', from('s1', '0.27.0')) }, 'rebuilt'],
  [
    'the same sources, another appreg',
    { listed: old, recorded: recordedAs('old', from('s1', '0.28.2', '0.0.9')) },
    'rebuilt',
  ],
  // Such as another target in the configuration.
  ['the same sources and toolchain', { listed: old, recorded: recordedAs('old', from('s1')) }, 'changed'],
  ['a record without sources', { listed: old, recorded: recordedAs('old', null) }, 'changed'],
  ['a record of other bytes than listed', { listed: old, recorded: recordedAs('x', from('s1', '0.27.0')) }, 'changed'],
  ['lower than the highest', { listed: listedAs(['1.2.0', 'x']) }, 'behind'],
  ['lower than the highest by number, not by text', { listed: listedAs(['1.10.0', 'x']) }, 'behind'],
  ['a pre-release of a listed version', { declared: '1.2.0-rc.1', listed: listedAs(['1.2.0', 'x']) }, 'behind'],
  ['lower than a listed pre-release', { listed: listedAs(['1.0.0', 'x'], ['2.0.0-rc.1', 'y']) }, 'new'],
  ['lower than the only version, a pre-release', { listed: listedAs(['2.0.0-rc.1', 'y']) }, 'new'],
  [
    'lower than a plain version below a pre-release',
    { listed: listedAs(['1.2.0', 'x'], ['2.0.0-rc.1', 'y']) },
    'behind',
  ],
  [
    'a pre-release below a listed one, above the plain ones',
    { declared: '2.0.0-beta.1', listed: listedAs(['1.0.0', 'x'], ['2.0.0-rc.1', 'y']) },
    'behind',
  ],
  ['a build of a listed version', { declared: '1.2.0+b', listed: listedAs(['1.2.0', 'x']) }, 'behind'],
  ['above a pre-release', { listed: listedAs(['1.1.0-rc.1', 'x']) }, 'new'],
  ['an invalid version is listed, too', { listed: listedAs(['v9', 'x'], ['1.0.0', 'x']) }, 'new'],
  ['withdrawn, with other bytes', { listed: listedAs(['1.0.0', 'x']), recorded: recordedAs('old', null) }, 'changed'],
  ['withdrawn, with these bytes', { listed: listedAs(['1.0.0', 'x']), recorded: recordedAs('new', null) }, 'new'],
])('%s: %j is %s', (_, app, state) => {
  expect(stateOf(app).state).toBe(state);
});

test('a listed checksum in another form is of the same bytes', () => {
  const checksum = `sha256:${'0a1b2c3d4e5f6978'.repeat(4)}`;
  const shouted = `sha256:${'0A1B2C3D4E5F6978'.repeat(4)}`;
  expect(stateOf({ checksum, listed: listedAs(['1.0.0', shouted]), declared: '1.0.0' }).state).toBe('unchanged');
  const recorded = recordedAs(shouted, null);
  expect(stateOf({ checksum, listed: [], declared: '1.0.0', recorded }).withdrawn).toBe(false);
});

test('the checksum of the declared version is reported, and the highest version', () => {
  expect(stateOf({ listed: old })).toMatchObject({ listedChecksum: 'old', highest: '1.1.0' });
  expect(stateOf({ listed: listedAs(['1.9.0', 'x'], ['1.10.0', 'y']) })).toMatchObject({
    listedChecksum: null,
    highest: '1.10.0',
  });
});

function provenance(): never {
  throw new Error('the sources were read');
}

test('the sources are read only if the bytes differ and something is recorded', () => {
  expect(stateOf({ listed: listedAs(['1.1.0', 'new']), provenance }).state).toBe('unchanged');
  expect(stateOf({ listed: old, provenance }).state).toBe('changed');
});

test.each([
  [['1.0.0'], [], '1.0.1'],
  [['1.0.0', '1.2.9'], [], '1.2.10'],
  [['1.0.0'], ['1.0.1', '1.0.2'], '1.0.3'],
  [['2.0.0-rc.1'], [], '2.0.0'],
  [['2.0.0-rc.1'], ['2.0.0'], '2.0.1'],
  [['1.0.0+build'], [], '1.0.1'],
  [['nonsense', '1.0.0'], [], '1.0.1'],
  [['9007199254740993.0.0'], [], '0.0.1'],
  [['9007199254740993.0.0', '1.2.0'], [], '1.2.1'],
])('above %j, without %j, is %s', (versions, taken, next) => {
  expect(nextVersion(versions, new Set(taken))).toBe(next);
});

function app(key: string, state: ReleasedApp['state'], published = false): ReleasedApp {
  const result = { key, folder: `apps/${key}`, state, declared: '1.0.0', listed: null, checksum: null };
  return { ...result, listedChecksum: null, published, message: null, advice: null, changes: NO_CHANGES };
}

describe('the report', () => {
  test('counts every state, zeros included, and sorts by key', () => {
    const report = releaseReport('0.1.0', [app('b', 'new', true), app('a', 'unchanged')], new Set());
    expect(Object.keys(report.summary)).toEqual([
      ...RELEASE_STATES,
      'published',
      'failed',
      'changedTexts',
      'conflicts',
      'withoutFolder',
    ]);
    expect(report.summary).toMatchObject({ unchanged: 1, new: 1, behind: 0, published: 1, failed: 0 });
    expect(report.apps.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test.each(RELEASE_STATES)('%s', (state) => {
    const clean = ['unchanged', 'new', 'rebuilt'].includes(state);
    const report = releaseReport('0.1.0', [app('a', state)], new Set());
    expect(report.outcome).toBe(clean ? 'clean' : 'findings');
    expect(report.notable).toBe(!['unchanged', 'rebuilt'].includes(state));
  });

  test('a broken app and one that could not be published have failed', () => {
    const report = releaseReport('0.1.0', [app('a', 'broken'), app('b', 'new')], new Set(['b']));
    expect(report).toMatchObject({ outcome: 'findings', summary: { failed: 2, broken: 1, new: 1 } });
  });
});

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isMissing } from '../../../src/core/facts/facts.ts';
import {
  baselineOf,
  baselineVersionsOf,
  baselineFromSnapshot,
  publishedVersionsIn,
} from '../../../src/observe/baseline/baseline.ts';
import type { Workspace } from '../../../src/observe/workspace/places.ts';
import { commitAll, folder, git, errorOf, write } from '../../support/folders.ts';
import { BASE, NOT_IN_WORKSPACE, entry, metadataWith, snapshot } from '../../support/snapshots.ts';

const registry = (...keys: string[]): object => ({ apps: Object.fromEntries(keys.map((key) => [key, entry(key)])) });
const files = {
  'registry.json': registry('a', 'b'),
  'apps/a/versions.json': metadataWith('1.0.0', '1.1.0'),
  'apps/b/versions.json': metadataWith('2.0.0'),
};
const at = (root: string, more: Partial<Workspace> = {}): Workspace => ({
  root,
  manifest: 'registry.json',
  baseUrl: BASE,
  ...more,
});
const versionsOf = (versions: unknown): unknown =>
  Array.isArray(versions) ? versions.map((v: { version: string }) => v.version) : versions;

describe('a folder as the baseline', () => {
  const before = folder(files);
  const earlier = baselineOf(before, at(folder()), '/');

  test('lists its apps and their versions', () => {
    expect(earlier.keys).toEqual(['a', 'b']);
    expect(versionsOf(earlier.app('a'))).toEqual(['1.0.0', '1.1.0']);
    expect(earlier.app('a')).toEqual(metadataWith('1.0.0', '1.1.0').versions);
  });

  test('returns null for unlisted apps, including names of inherited members', () => {
    expect(['c', 'constructor', '__proto__', 'toString'].map((key) => earlier.app(key))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('may have another base URL', () => {
    const moved = baselineOf(before, at(folder(), { baseUrl: 'https://new.example.com/' }), '/');
    expect(versionsOf(moved.app('b'))).toEqual(['2.0.0']);
    expect(versionsOf(baselineOf(before, at(folder(), { baseUrl: null }), '/').app('b'))).toEqual(['2.0.0']);
  });

  test('states which metadata is missing or unreadable', () => {
    const partly = folder({ ...files, 'registry.json': registry('a', 'b', 'gone'), 'apps/b/versions.json': '{' });
    const unseen = baselineOf(partly, at(folder()), '/');
    expect(unseen.app('gone')).toMatchObject({ missing: { state: 'absent' } });
    expect(unseen.app('b')).toMatchObject({ missing: { state: 'unreadable' } });
  });

  test('is rejected without a manifest', () => {
    expect(errorOf(() => baselineOf(folder(), at(folder()), '/'))).toMatchObject({
      known: true,
      code: 'baseline-unusable',
    });
  });

  test('may have a manifest with another name', () => {
    expect(
      baselineOf(
        folder({ 'old.json': registry('a'), 'apps/a/versions.json': metadataWith('1.0.0') }),
        at(folder()),
        '/',
      ).keys,
    ).toEqual(['a']);
  });

  test('is rejected with an invalid manifest', () => {
    expect(errorOf(() => baselineOf(folder({ 'registry.json': '{' }), at(folder()), '/'))).toMatchObject({
      code: 'baseline-unusable',
    });
  });

  test('is resolved relative to the current folder', () => {
    expect(baselineOf('.', at(folder()), before).keys).toEqual(['a', 'b']);
  });
});

describe('a file as the baseline', () => {
  test('may be a manifest, whose folder contains the metadata', () => {
    const root = folder({ ...files, 'old.json': registry('a') });
    const earlier = baselineOf(join(root, 'old.json'), at(folder()), '/');
    expect(earlier.keys).toEqual(['a']);
    expect(versionsOf(earlier.app('a'))).toEqual(['1.0.0', '1.1.0']);
  });

  test('may contain saved facts', () => {
    const facts = snapshot(['a', 'b'], { a: metadataWith('1.0.0'), b: NOT_IN_WORKSPACE });
    const root = folder({ 'facts.json': facts });
    const earlier = baselineOf('facts.json', at(folder()), root);
    expect(earlier).toMatchObject({ source: 'facts.json', keys: ['a', 'b'] });
    expect(versionsOf(earlier.app('a'))).toEqual(['1.0.0']);
    expect(isMissing(earlier.app('b'))).toBe(true);
    expect(earlier.app('c')).toBe(null);
    expect(versionsOf(baselineFromSnapshot(facts, 'x').app('a'))).toEqual(['1.0.0']);
  });

  test('distinguishes apps that were not observed from unlisted apps', () => {
    const facts = snapshot(['a', 'b']);
    facts.apps.pop();
    expect(baselineFromSnapshot(facts, 'x').app('b')).toMatchObject({ missing: { state: 'not-observed' } });
    expect(baselineFromSnapshot(facts, 'x').app('c')).toBeNull();
  });

  const sound = snapshot(['a']);
  const unread = { metadata: { content: { missing: { code: 'offline' } } } };
  test.each<{ name: string; more: object; message: RegExp }>([
    {
      name: 'another format',
      more: { snapshot: 2 },
      message: /^facts\.json:\d+:\d+: “snapshot” must be 1, the format .*, not 2\.$/,
    },
    {
      name: 'no manifest',
      more: { manifest: undefined },
      message: /^facts\.json:1:1: “manifest” is missing\. It must be an object\./,
    },
    {
      name: 'a manifest without content',
      more: { manifest: {} },
      message: /^facts\.json:\d+:\d+: “content” is missing in “manifest”\./,
    },
    {
      name: 'a content of no kind',
      more: { manifest: { content: {} } },
      message: /has 3 errors:\n {2}facts\.json:\d+:\d+: “text” is missing in “manifest\.content”/,
    },
    {
      name: 'a content that is missing for no reason',
      more: { manifest: { content: { missing: 1 } } },
      message: /“code” is missing in “manifest\.content\.missing”/,
    },
    {
      name: 'bytes that are not base64',
      more: { manifest: { content: { text: null, base64: '?', bytes: 1 } } },
      message: /base64/,
    },
    {
      name: 'a content without its size',
      more: { manifest: { content: { text: '{}', base64: null } } },
      message: /bytes/,
    },
    {
      name: 'neither text nor bytes',
      more: { manifest: { content: { text: null, base64: null, bytes: 0 } } },
      message: /“manifest\.content\.text” must be text, because “base64” is null, not null/,
    },
    { name: 'no apps', more: { apps: undefined }, message: /“apps” is missing\. It must be a list/ },
    { name: 'apps by key', more: { apps: {} }, message: /“apps” must be a list, not an object/ },
    { name: 'an app that is a text', more: { apps: ['a'] }, message: /“apps\[0\]” must be an object, not “a”/ },
    { name: 'an app without a key', more: { apps: [unread] }, message: /“key” is missing in “apps\[0\]”/ },
    {
      name: 'an app without metadata',
      more: { apps: [{ key: 'a' }] },
      message: /“metadata” is missing in “apps\[0\]”/,
    },
    {
      name: 'metadata that is a text',
      more: { apps: [{ key: 'a', metadata: 'x' }] },
      message: /“apps\[0\]\.metadata” must be an object, not “x”/,
    },
  ])('of saved facts with $name is refused, with the place', ({ more, message }) => {
    const root = folder({ 'facts.json': { ...sound, ...more } });
    expect(errorOf(() => baselineOf('facts.json', at(root), root))).toMatchObject({
      code: 'facts-invalid',
      exit: 2,
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ['{', /x\.json:1:2: /],
    ['{}', /neither/],
    ['[]', /neither/],
    ['', /x\.json:1:1: /],
  ])('is rejected if it contains %j', (text, message) => {
    const root = folder({ 'x.json': text });
    expect(errorOf(() => baselineOf('x.json', at(root), root))).toMatchObject({
      known: true,
      code: 'baseline-unusable',
      message: expect.stringMatching(message),
    });
  });
});

describe('a git ref as the baseline', () => {
  const root = folder({ 'site/x': '' });
  git(root, 'init', '--quiet');
  commitAll(root);
  git(root, 'tag', 'v0');
  const site = join(root, 'site');
  write(site, files);
  commitAll(root);
  git(root, 'tag', 'v1');
  write(site, {
    'apps/a/versions.json': metadataWith('9.0.0'),
    'registry.json': JSON.stringify(registry('a')).replaceAll(BASE, 'https://new.example.com/'),
  });
  commitAll(root);

  test('may contain the workspace in a subfolder, with another base URL', () => {
    const earlier = baselineOf('v1', at(site, { baseUrl: 'https://new.example.com/' }), root);
    expect(earlier).toMatchObject({ source: 'v1', keys: ['a', 'b'] });
    expect(versionsOf(earlier.app('a'))).toEqual(['1.0.0', '1.1.0']);
  });

  test('without a manifest reports all apps as missing with the reason', () => {
    const earlier = baselineOf('v0', at(site), root);
    expect(earlier.keys).toEqual([]);
    const reason = { missing: { code: 'baseline-without-manifest', manifest: 'registry.json', source: 'v0' } };
    expect(earlier.app('a')).toEqual(reason);
    expect(earlier.absent).toEqual(reason);
  });

  test('may be used for one metadata file', () => {
    expect(versionsOf(baselineVersionsOf('v1', at(site), 'apps/a/versions.json', root))).toEqual(['1.0.0', '1.1.0']);
    expect(baselineVersionsOf('v0', at(site), 'apps/a/versions.json', root)).toBe(null);
  });

  test('is refused if a file or folder has that name, with the forms that name one of them', () => {
    write(root, { 'v1/registry.json': registry('a'), 'v1/apps/a/versions.json': metadataWith('7.0.0') });
    expect(errorOf(() => baselineOf('v1', at(site), root))).toMatchObject({
      code: 'baseline-ambiguous',
      hint: 'Write ./v1 for the folder, or refs/tags/v1 for the tag.',
    });
    expect(versionsOf(baselineOf('./v1', at(site), root).app('a'))).toEqual(['7.0.0']);
    expect(versionsOf(baselineOf('refs/tags/v1', at(site), root).app('a'))).toEqual(['1.0.0', '1.1.0']);
  });
});

test('the baseline of one metadata file may be another file or a folder', () => {
  const root = folder({ 'old.json': metadataWith('1.0.0'), 'before/apps/a/versions.json': metadataWith('2.0.0') });
  expect(versionsOf(baselineVersionsOf('old.json', at(root), 'apps/a/versions.json', root))).toEqual(['1.0.0']);
  expect(versionsOf(baselineVersionsOf('before', at(root), 'apps/a/versions.json', root))).toEqual(['2.0.0']);
});

test('the baseline contains only complete entries', () => {
  const whole = metadataWith('1.0.0').versions[0]!;
  expect(
    publishedVersionsIn(
      JSON.parse(
        JSON.stringify({
          versions: [whole, null, 1, {}, { ...whole, version: 1 }, { ...whole, artifactUrl: undefined }],
        }),
      ),
    ),
  ).toEqual([whole]);
  expect([
    publishedVersionsIn(undefined),
    publishedVersionsIn(null),
    publishedVersionsIn({ versions: {} }),
    publishedVersionsIn([]),
  ]).toEqual([null, null, null, null]);
});

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runLock } from '../../src/cli/commands/lock.ts';
import { lockBaseline, readLock } from '../../src/workspace/lock.ts';
import { folder, write } from '../support/folders.ts';
import { contextIn } from './author-support.ts';

const BASE = 'https://apps.example.com/';

/** A workspace with one app. @param appMetadataUrl where its metadata file is */
function workspace(appMetadataUrl: string, files: Record<string, string | object>): string {
  const root = folder();
  const entry = {
    name: 'A',
    description: 'Does a thing.',
    blockStyle: { iconUrl: `${BASE}a.svg`, color: '#112233' },
    appMetadataUrl,
  };
  write(root, { 'appreg.config.json': { baseUrl: BASE }, 'registry.json': { apps: { a: entry } }, ...files });
  return root;
}

test.each([
  [`${BASE}a@b%20c.json`, true],
  [`${BASE}a%40b%20c.json`, true],
  [`${BASE}other.json`, false],
  ['https://other.example.com/a@b%20c.json', false],
])('the lock file of a workspace is that of the registry %s: %j', (url, isOwn) => {
  const root = folder();
  write(root, { 'appreg.lock.json': '{"lock":1,"apps":{}}' });
  const baseline = lockBaseline({ root, config: { baseUrl: BASE, manifest: 'a@b c.json' } }, url);
  expect(baseline !== null).toBe(isOwn);
});

describe('lock', () => {
  test.each<[name: string, files: Record<string, string | object>]>([
    ['is missing', {}],
    ['is not JSON', { 'a.json': '{' }],
    ['has no versions', { 'a.json': {} }],
  ])('fails if a metadata file %s', async (_, files) => {
    const context = contextIn(workspace(`${BASE}a.json`, files));
    expect(await runLock(context, undefined, {})).toBe(1);
    expect(context.printed.log.join()).toContain('Not recorded: the versions of a (');
    expect(context.printed.out).toEqual(['appreg.lock.json: 0 versions, 0 new']);
  });

  test('takes another form of the recorded checksum, and a digest in place of none, for the same version', async () => {
    const digest = 'acf3f69e4729be94f1d125224b1548b9c56acccf8a9599620744bb3f2e377266';
    const artifactUrl = `${BASE}a.tar.gz`;
    const listing = (...checksums: string[]): object => ({
      versions: checksums.map((artifactChecksum, index) => ({
        version: `1.${index}.0`,
        artifactUrl,
        artifactChecksum,
      })),
    });
    const wrong = [`sha256:${digest.toUpperCase()}`, 'sha256:unknown', `sha256:${digest}`];
    const root = workspace(`${BASE}a.json`, { 'a.json': listing(...wrong) });
    expect(await runLock(contextIn(root), undefined, {})).toBe(0);
    const other = `sha256:${digest.replace('a', 'b')}`;
    write(root, { 'a.json': listing('sha256:unknown') });
    expect(await runLock(contextIn(root), undefined, {})).toBe(1);
    write(root, { 'a.json': listing(`sha256:${digest}`, other, other) });
    const context = contextIn(root);
    expect(await runLock(context, undefined, {})).toBe(1);
    expect(context.printed.error.join('\n')).toMatch(/1\.2\.0/);
    expect(context.printed.error.join('\n')).not.toMatch(/1\.[01]\.0/);
    // The version without a digest is recorded once it has one.
    expect(context.printed.out).toEqual(['appreg.lock.json: 3 versions, 1 new, 1 error']);
  });

  test('refuses another workspace by its folder and by its manifest, and writes nothing', async () => {
    const root = workspace(`${BASE}a.json`, { 'a.json': { versions: [] } });
    const other = workspace(`${BASE}b.json`, { 'b.json': { versions: [] } });
    for (const where of [other, join(other, 'registry.json')])
      await expect(runLock(contextIn(root), where, {})).rejects.toMatchObject({ code: 'option-conflict' });
    expect([root, other].filter((one) => readLock(one) !== null)).toEqual([]);
    for (const where of [root, join(root, 'registry.json')]) expect(await runLock(contextIn(root), where, {})).toBe(0);
  });

  test('records any workspace in a folder that is none', async () => {
    const other = workspace(`${BASE}a.json`, { 'a.json': { versions: [] } });
    const root = folder();
    expect(await runLock(contextIn(root), other, {})).toBe(0);
    expect(readLock(root)).not.toBeNull();
  });

  test('succeeds for an app without versions', async () => {
    const context = contextIn(workspace(`${BASE}a.json`, { 'a.json': { versions: [] } }));
    expect(await runLock(context, undefined, {})).toBe(0);
    expect(context.printed.log).toEqual([]);
  });

  test('succeeds for an app whose metadata file is on another host, and says so', async () => {
    const context = contextIn(workspace('https://other.example.com/a.json', {}));
    expect(await runLock(context, undefined, {})).toBe(0);
    expect(context.printed.log.join()).toContain('Not recorded: the versions of a (');
  });

  test.each<[name: string, manifest: string | object, error: string]>([
    ['not JSON', '{ bad', 'The property name bad has no quotes.'],
    ['a metadata file', { versions: [] }, 'This is an app metadata file (it has "versions"), not a registry manifest.'],
  ])('says why the manifest cannot be used: %s', async (_, manifest, error) => {
    const context = contextIn(workspace(`${BASE}a.json`, { 'registry.json': manifest }));
    await expect(runLock(context, undefined, {})).rejects.toMatchObject({
      code: 'registry-unusable',
      message: `The manifest at registry.json cannot be used: ${error}`,
    });
  });

  test('says why the manifest of a live registry cannot be used', async () => {
    const context = contextIn(folder());
    await expect(runLock(context, 'https://registry.invalid/registry.json', {})).rejects.toMatchObject({
      code: 'registry-unusable',
      message: expect.stringMatching(/cannot be used: The manifest cannot be fetched: the host name does not exist\.$/),
    });
  });
});

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a lock file that may not be read is not to be deleted',
  () => {
    const root = folder({ 'appreg.lock.json': '{ "lock": 1, "apps": {} }' });
    chmodSync(join(root, 'appreg.lock.json'), 0);
    expect(() => readLock(root)).toThrow(expect.objectContaining({ hint: 'Check the permissions of the file.' }));
  },
);

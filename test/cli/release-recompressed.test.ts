import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { startServer } from '../../src/serve/server.ts';
import { writeFiles } from '../bundle/tree.ts';
import { commitAll, git } from '../support/folders.ts';
import { contextIn } from './author-support.ts';
import { BASE, releaseIn, repository, sources, statesOf, textOf } from './release-fixture.ts';

/** Artifacts with the same tar and another compression: an earlier version of appreg on a Node with another zlib. */

const ARTIFACT = 'apps/clock/versions/1.0.0.tar.gz';

/** A repository whose clock 1.0.0 is published as another compressor writes it; without a lock file. */
async function recompressed(): Promise<string> {
  const root = await repository(sources({ clock: '1.0.0', lamp: '1.0.0' }), { listed: ['clock', 'lamp'] });
  await releaseIn(root);
  const bytes = gzipSync(gunzipSync(readFileSync(join(root, ARTIFACT))), { level: 1 });
  writeFileSync(join(root, 'other.tar.gz'), bytes);
  for (const file of [ARTIFACT, 'appreg.lock.json']) rmSync(join(root, file));
  writeFiles(root, { 'apps/clock/versions.json': '{ "versions": [] }\n' });
  const options = { artifact: 'other.tar.gz', readBack: false, anyContent: true };
  expect(await runPublishVersion(contextIn(root), 'clock', '1.0.0', options)).toBe(0);
  return root;
}

test('another compression of the same tar is rebuilt, and not published', async () => {
  const root = await recompressed();
  const metadata = textOf(root, 'apps/clock/versions.json');
  for (const options of [{ check: true }, {}, { bump: true }]) {
    const run = await releaseIn(root, options);
    expect(run).toMatchObject({ code: 0, report: { outcome: 'clean', summary: { rebuilt: 1, unchanged: 1 } } });
    expect(run.apps['clock']).toMatchObject({
      state: 'rebuilt',
      message: expect.stringContaining('only compressed differently. The published 1.0.0 is not changed.'),
    });
    expect(run.apps['clock']?.checksum).not.toBe(run.apps['clock']?.listedChecksum);
  }
  expect(textOf(root, 'apps/clock/versions.json')).toBe(metadata);
  expect(textOf(root, 'src/clock/VERSION')).toBe('1.0.0\n');
  writeFiles(root, { 'src/clock/main.ts': 'export const app = 2;\n' });
  expect(statesOf(await releaseIn(root, { check: true }))).toEqual({ clock: 'changed', lamp: 'unchanged' });
});

test('publish-version with another compression is refused, and says that the content is the same', async () => {
  const root = await recompressed();
  const before = textOf(root, 'apps/clock/versions.json');
  for (const dryRun of [true, false]) {
    const published = runPublishVersion(contextIn(root), 'clock', '1.0.0', {
      entry: 'src/clock/main.ts',
      readBack: false,
      anyContent: true,
      dryRun,
    });
    await expect(published).rejects.toMatchObject({
      code: 'immutable',
      exit: 1,
      message: expect.stringContaining(
        'clock 1.0.0 is already published with the same content, compressed differently',
      ),
    });
  }
  expect(textOf(root, 'apps/clock/versions.json')).toBe(before);
});

test('--against a folder, a git ref or a URL compares with the artifacts there', async () => {
  const root = await recompressed();
  git(root, 'init', '--quiet');
  commitAll(root, 'published');
  const serving = await startServer({
    root,
    host: '127.0.0.1',
    port: 0,
    manifest: 'registry.json',
    serviceOrigins: [],
    rewriteFrom: BASE,
    https: false,
  });
  try {
    for (const against of ['.', 'HEAD', serving.manifestUrl])
      expect([against, statesOf(await releaseIn(root, { check: true, against }))]).toEqual([
        against,
        { clock: 'rebuilt', lamp: 'unchanged' },
      ]);
  } finally {
    await serving.close();
  }
  // An artifact that is not in the state cannot be compared.
  rmSync(join(root, ARTIFACT));
  expect(statesOf(await releaseIn(root, { check: true, against: '.' }))).toMatchObject({ clock: 'changed' });
});

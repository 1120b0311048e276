import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import { type ArtifactKeeper } from '../../src/artifacts/keeper.ts';
import { type RefreshContext } from '../../src/refresh/plan.ts';
import { type Database } from '../../src/db/tables/tables.ts';
import { startArtifactFiller } from '../../src/jobs/fill-artifacts.ts';

/** A database without artifacts to fill, of which the first statements fail. */
function openFailingDatabase(failures: number): { db: Kysely<Database>; statements: string[] } {
  const statements: string[] = [];
  const driver = new DummyDriver();
  driver.acquireConnection = async () => ({
    async executeQuery({ sql }) {
      statements.push(sql);
      if (statements.length <= failures) throw new Error('no database');
      return { rows: [] };
    },
    async *streamQuery() {},
  });
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return { db, statements };
}

test('after an error all artifacts are looked for again, and after that only requested ones', async () => {
  const { db, statements } = openFailingDatabase(2);
  const events: string[] = [];
  const context = { db, log: (_: string, event: string) => void events.push(event) } as unknown as RefreshContext;
  const filler = startArtifactFiller(context, { store: 'store' } as ArtifactKeeper, 5);
  await expect.poll(() => statements.length).toBeGreaterThanOrEqual(5);
  await filler.stop();
  const forAll = statements.slice(0, 5).map((statement) => statement.includes('keep_after IS NULL'));
  expect(forAll).toEqual([true, true, true, false, false]);
  expect(events).toEqual(['last-copies-not-checked', 'artifacts-not-filled', 'artifacts-not-filled']);
});

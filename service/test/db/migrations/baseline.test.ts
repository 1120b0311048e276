import { type KyselyPlugin, sql } from 'kysely';
import { expect, test } from 'vitest';
import { claimUnkeptArtifacts } from '../../../src/db/unkept-artifacts.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrations/migrate.ts';
import { startDatabase } from '../../../../test/support/database.ts';
import { addApp, addOrganization, addRegistry, addSubscription } from '../../database-fixture.ts';

/** Returns the plan of each raw statement instead of its rows. */
function explaining(plans: string[]): KyselyPlugin {
  return {
    transformQuery({ node }) {
      if (node.kind !== 'RawNode') return node;
      const [first = '', ...rest] = node.sqlFragments;
      return { ...node, sqlFragments: [`EXPLAIN ${first}`, ...rest] };
    },
    async transformResult({ result }) {
      plans.push(...result.rows.flatMap((row) => Object.values(row).map(String)));
      return { ...result, rows: [] };
    },
  };
}

test('an index finds the artifacts that a subscriber waits for', { timeout: 60_000 }, async () => {
  const { db } = openDatabase((await startDatabase()).url, 1, () => {});
  try {
    await migrate(db);
    const registry = await addRegistry(db, 'https://apps.example.com/registry.json');
    await addSubscription(db, await addOrganization(db), registry);
    await addApp(db, registry, 'clock');
    await sql`INSERT INTO versions
      (registry_id, app_key, version, artifact_url, artifact_checksum, state, keep_after)
      SELECT ${registry}, 'clock', '2.0.' || n, 'https://apps.example.com/clock.tar.gz',
        'sha256:' || encode(sha256(n::text::bytea), 'hex'), 'verified', now() + INTERVAL '1 hour'
      FROM generate_series(1, 5000) AS n`.execute(db);
    await sql`ANALYZE`.execute(db);
    const plans: string[] = [];
    await claimUnkeptArtifacts(db.withPlugin(explaining(plans)), 'store', 4, true);
    expect(plans.join('\n')).toMatch(/Scan (using|on) versions_keep_after_idx/);
  } finally {
    await db.destroy();
  }
});

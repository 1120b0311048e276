import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../src/service/database/database.ts';
import { migrate } from '../../../../src/service/database/migrations/migrate.ts';
import { confirmedSubscriptions } from '../../../../src/service/database/migrations/014-confirmed-subscriptions.ts';
import { startDatabase } from '../../../support/database.ts';
import { addOrganization, addRegistry, addSubscription } from '../../database-fixture.ts';

test('subscriptions are confirmed if their registry was good since then', { timeout: 60_000 }, async () => {
  const { db } = openDatabase((await startDatabase()).url, 2, () => {});
  try {
    await migrate(db);
    const before = new Date('2026-01-01Z');
    const after = new Date('2026-03-01Z');
    const good = { checkedAt: after, goodAt: after, nextCheckAt: after };
    const registries = {
      good: await addRegistry(db, 'https://good.test/', good),
      refused: await addRegistry(db, 'https://refused.test/', { ...good, goodAt: before, failingSince: before }),
      stale: await addRegistry(db, 'https://stale.test/', { ...good, checkedAt: before, goodAt: before }),
      new: await addRegistry(db, 'https://new.test/', { checkedAt: null, goodAt: null }),
    };
    const organization = await addOrganization(db);
    for (const [name, id] of Object.entries(registries)) await addSubscription(db, organization, id, { name });
    await sql`UPDATE subscriptions SET created_at = '2026-02-01Z'`.execute(db);
    await sql`ALTER TABLE subscriptions DROP COLUMN registry_since, DROP COLUMN confirmed_at,
      DROP COLUMN refused_at`.execute(db);
    await confirmedSubscriptions.up(db);
    const { rows } = await sql`SELECT name, confirmed_at, refused_at, next_check_at > now() - INTERVAL '1 hour' AS due
      FROM subscriptions JOIN registries ON registries.id = registry_id ORDER BY name`.execute(db);
    expect(rows).toEqual([
      { name: 'good', confirmedAt: after, refusedAt: null, due: false },
      { name: 'new', confirmedAt: null, refusedAt: null, due: true },
      { name: 'refused', confirmedAt: null, refusedAt: after, due: true },
      { name: 'stale', confirmedAt: null, refusedAt: null, due: true },
    ]);
  } finally {
    await db.destroy();
  }
});

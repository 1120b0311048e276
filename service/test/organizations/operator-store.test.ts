import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Actor, SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { deleteOldAuditEntries, listAuditEntries, recordAudit } from '../../src/db/audit.ts';
import { deleteOrganization, listOrganizations, setSuspended, createOrganization } from '../../src/db/organizations.ts';
import { addDueJobs, claimJobs, endJobs } from '../../src/db/jobs.ts';
import { openSession } from '../../src/db/sessions.ts';
import { deleteOldDeliveries } from '../../src/db/deliveries.ts';
import { addAccess } from '../api/access-fixture.ts';
import { addApp, addRegistry, addSubscription, openTestDatabase, type TestDatabase } from '../database-fixture.ts';

const OPERATOR: Actor = { type: 'operator', token: null, address: '192.0.2.1' };

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

let count = 0;
/** An organization with everything that it can have, also a registry of its own. */
async function organization(): Promise<{ id: string; shared: number; own: number }> {
  const { db } = database;
  const created = await createOrganization(db, 'Acme', null, SERVICE_ACTOR);
  const { id } = created.organization;
  count += 1;
  const due = { nextCheckAt: new Date(0) };
  const shared = await addRegistry(db, `https://shared-${count}.example.com/registry.json`, due);
  const own = await addRegistry(db, `https://own-${count}.example.com/registry.json`, { ...due, ownerId: id });
  for (const registry of [shared, own]) {
    await addSubscription(db, id, registry);
    await addApp(db, registry, 'mail');
  }
  await addAccess(db, id, 'https://hooks.example.com/');
  await openSession(db, created.organization, created.token!.id, SERVICE_ACTOR);
  return { id, shared, own };
}

async function dueIds(): Promise<number[]> {
  await addDueJobs(database.db, 100);
  const claims = await claimJobs(database.db, false, 100);
  await endJobs(database.db, claims);
  return claims.map(({ registryId }) => registryId);
}

/** All rows that contain the id, by table. */
async function rowsWith(id: string): Promise<Record<string, number>> {
  const { db } = database;
  const counts: Record<string, number> = {};
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select from ${sql.table(name)} t where to_jsonb(t)::text like ${`%${id}%`}`.execute(db);
    if (rows.length > 0) counts[name] = rows.length;
  }
  return counts;
}

test('registries that only a suspended organization subscribes to are not checked', async () => {
  const { id, shared, own } = await organization();
  const other = await createOrganization(database.db, 'Other', null, SERVICE_ACTOR);
  expect(await dueIds()).toEqual(expect.arrayContaining([shared, own]));
  expect((await setSuspended(database.db, id, true, OPERATOR))!.suspendedAt).not.toBeNull();
  expect(await dueIds()).not.toContain(shared);
  await addSubscription(database.db, other.organization.id, shared);
  expect(await dueIds()).toContain(shared);
  expect(await dueIds()).not.toContain(own);
  await setSuspended(database.db, id, true, OPERATOR);
  expect((await setSuspended(database.db, id, false, OPERATOR))!.suspendedAt).toBeNull();
  expect(await dueIds()).toContain(own);
  const { entries } = await listAuditEntries(database.db, id, { action: null, limit: 2, after: null });
  expect(entries.map(({ action }) => action)).toEqual(['organization-resumed', 'organization-suspended']);
});

test('a deleted organization leaves nothing but what the operator did, and shared registries', async () => {
  const { id, shared, own } = await organization();
  expect(Object.keys(await rowsWith(id)).length).toBeGreaterThan(5);
  expect(await deleteOrganization(database.db, id, OPERATOR)).toBe(true);
  expect(await rowsWith(id)).toEqual({ audit_entries: 1 });
  const left = await database.db.selectFrom('registries').select('id').where('id', 'in', [shared, own]).execute();
  expect(left).toEqual([{ id: shared }]);
  expect(await dueIds()).not.toContain(shared);
  expect(await deleteOrganization(database.db, id, OPERATOR)).toBe(false);
});

test('organizations are paged in order of creation, and searched by a part of their name', async () => {
  const names = ['Umbrella 1', 'umbrella 2', 'UMBRELLA 3 %'];
  for (const name of names) await createOrganization(database.db, name, null, SERVICE_ACTOR);
  const found: string[] = [];
  let after: string | null = null;
  do {
    const page = await listOrganizations(database.db, { search: 'Umbrella', limit: 2, after });
    found.push(...page.organizations.map(({ name }) => name));
    after = page.next;
  } while (after !== null);
  expect(found).toEqual(names);
  const literal = await listOrganizations(database.db, { search: '%', limit: 10, after: null });
  expect(literal.organizations.map(({ name }) => name)).toEqual(['UMBRELLA 3 %']);
});

test('audit entries are kept for 400 days, finished deliveries for 30', async () => {
  const { db } = database;
  const { id } = await organization();
  await recordAudit(db, { organizationId: id, actor: OPERATOR, action: 'organization-suspended' });
  await sql`update audit_entries set at = now() - interval '399 days' where organization_id = ${id}`.execute(db);
  await sql`update webhook_deliveries set finished_at = now() - interval '29 days' where finished_at is not null`.execute(
    db,
  );
  const counts = async () => {
    const { rows } = await sql<{ audit: string; deliveries: string }>`select
      (select count(*) from audit_entries where organization_id = ${id}) as audit,
      (select count(*) from webhook_deliveries) as deliveries`.execute(db);
    return rows[0]!;
  };
  const before = await counts();
  await deleteOldAuditEntries(db);
  await deleteOldDeliveries(db);
  expect(await counts()).toEqual(before);
  await sql`update audit_entries set at = now() - interval '401 days' where organization_id = ${id}`.execute(db);
  await sql`update webhook_deliveries set finished_at = now() - interval '31 days' where finished_at is not null`.execute(
    db,
  );
  await deleteOldAuditEntries(db);
  await deleteOldDeliveries(db);
  const after = await counts();
  expect([after.audit, Number(after.deliveries) < Number(before.deliveries)]).toEqual(['0', true]);
});

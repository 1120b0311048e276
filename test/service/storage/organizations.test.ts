import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/service/storage/migrations/migrate.ts';
import { type Db, openDatabase } from '../../../src/service/storage/database.ts';
import { createOrganization, organizationOf, rotateToken } from '../../../src/service/storage/organizations.ts';
import { closeSession, openSession, organizationOfSession } from '../../../src/service/storage/sessions.ts';
import { startDatabase } from '../../support/database.ts';

let db: Db;
beforeAll(async () => {
  ({ db } = openDatabase((await startDatabase()).url, 4, () => undefined));
  await migrate(db);
}, 60_000);
afterAll(() => db.destroy());

describe('an organization', () => {
  test('is found by its token, which is not stored in the database', async () => {
    const { organization, token } = await createOrganization(db, 'Ours', null);
    expect(token).toMatch(/^apr_[\w-]{43}$/);
    expect(await organizationOf(db, token!)).toEqual(organization);
    const rows = await db.selectFrom('organizations').selectAll().execute();
    const stored = JSON.stringify(rows.map((row) => ({ ...row, tokenHash: row.tokenHash.toString('latin1') })));
    expect(stored).not.toContain(token!.slice(4));
  });

  test.each(['', 'apr_', `apr_${'x'.repeat(43)}`, `Bearer apr_${'x'.repeat(43)}`, 'apr_\0', "apr_' or true --"])(
    'is not found by the invalid token %j',
    async (token) => {
      expect(await organizationOf(db, token)).toBe(null);
      expect(await organizationOfSession(db, token)).toBe(null);
    },
  );

  test('is created once for an idempotency key, also by concurrent clients', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => createOrganization(db, 'Once', 'key-1')));
    expect(new Set(made.map(({ organization }) => organization.id)).size).toBe(1);
    expect(made.filter(({ token }) => token !== null)).toHaveLength(1);
    const other = await createOrganization(db, 'Other', 'key-2');
    expect(other.organization.id).not.toBe(made[0]!.organization.id);
  });

  test('receives a new token, which ends the previous one and its sessions', async () => {
    const { organization, token } = await createOrganization(db, 'Turned', null);
    const other = await createOrganization(db, 'Left alone', null);
    const { cookie } = await openSession(db, organization.id);
    const next = await rotateToken(db, organization.id);
    expect(await organizationOf(db, token!)).toBe(null);
    expect(await organizationOfSession(db, cookie)).toBe(null);
    expect((await organizationOf(db, next))?.id).toBe(organization.id);
    expect((await organizationOf(db, other.token!))?.id).toBe(other.organization.id);
  });

  test('can have a name with any characters', async () => {
    const { organization } = await createOrganization(db, 'a\0b\ud800', null);
    expect(organization.name).toBe('a\ufffdb\ufffd');
  });
});

describe('a session', () => {
  test('is valid for its organization until it is closed', async () => {
    const { organization } = await createOrganization(db, 'Here', null);
    const first = await openSession(db, organization.id);
    const second = await openSession(db, organization.id);
    expect(await organizationOfSession(db, first.cookie)).toEqual(organization);
    await closeSession(db, first.cookie);
    expect(await organizationOfSession(db, first.cookie)).toBe(null);
    expect(await organizationOfSession(db, second.cookie)).toEqual(organization);
  });

  test('expires, and is removed afterwards', async () => {
    const { organization } = await createOrganization(db, 'Late', null);
    const { cookie } = await openSession(db, organization.id);
    await db
      .updateTable('sessions')
      .set({ expiresAt: new Date(Date.now() - 1_000) })
      .where('organizationId', '=', organization.id)
      .execute();
    expect(await organizationOfSession(db, cookie)).toBe(null);
    await openSession(db, organization.id);
    const left = await db.selectFrom('sessions').select('hash').where('organizationId', '=', organization.id).execute();
    expect(left).toHaveLength(1);
  });
});

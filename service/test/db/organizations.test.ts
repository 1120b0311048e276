import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { type Db, openDatabase } from '../../src/db/database.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { createOrganization } from '../../src/db/organizations.ts';
import { closeSession, identityOfSession, openSession } from '../../src/db/sessions.ts';
import { identityOfToken, rotateToken } from '../../src/db/tokens.ts';
import { startDatabase } from '../../../test/support/database.ts';

let db: Db;
beforeAll(async () => {
  ({ db } = openDatabase((await startDatabase()).url, 4, () => undefined));
  await migrate(db);
}, 60_000);
afterAll(() => db.destroy());

/** An organization, and its first token. */
async function create(name: string, key: string | null = null) {
  const { organization, token } = await createOrganization(db, name, key, SERVICE_ACTOR);
  return { organization, tokenId: token?.id ?? '', token: token?.secret ?? null };
}

async function organizationOf(token: string): Promise<unknown> {
  return (await identityOfToken(db, token))?.organization ?? null;
}

async function organizationOfSession(cookie: string): Promise<unknown> {
  return (await identityOfSession(db, cookie))?.organization ?? null;
}

describe('an organization', () => {
  test('is found by its token, which is not stored in the database', async () => {
    const { organization, token } = await create('Ours');
    expect(token).toMatch(/^apr_[\w-]{43}$/);
    expect(await organizationOf(token!)).toEqual(organization);
    const rows = await db.selectFrom('tokens').selectAll().execute();
    const stored = JSON.stringify(rows.map((row) => ({ ...row, hash: row.hash.toString('latin1') })));
    expect(stored).not.toContain(token!.slice(4));
  });

  test.each(['', 'apr_', `apr_${'x'.repeat(43)}`, `Bearer apr_${'x'.repeat(43)}`, 'apr_\0', "apr_' or true --"])(
    'is not found by the invalid token %j',
    async (token) => {
      expect(await organizationOf(token)).toBe(null);
      expect(await organizationOfSession(token)).toBe(null);
    },
  );

  test('is created once for an idempotency key, also by concurrent clients', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => create('Once', 'key-1')));
    expect(new Set(made.map(({ organization }) => organization.id)).size).toBe(1);
    expect(made.filter(({ token }) => token !== null)).toHaveLength(1);
    const other = await create('Other', 'key-2');
    expect(other.organization.id).not.toBe(made[0]!.organization.id);
  });

  test('receives a new token, which ends the previous one and its sessions', async () => {
    const { organization, tokenId, token } = await create('Turned');
    const other = await create('Left alone');
    const { cookie } = await openSession(db, organization, tokenId, SERVICE_ACTOR);
    const { secret: next } = await rotateToken(db, organization, tokenId, SERVICE_ACTOR);
    expect(await organizationOf(token!)).toBe(null);
    expect(await organizationOfSession(cookie)).toBe(null);
    expect(await organizationOf(next)).toMatchObject({ id: organization.id });
    expect(await organizationOf(other.token!)).toEqual(other.organization);
  });

  test('can have a name with any characters', async () => {
    const { organization } = await create('a\0b\ud800');
    expect(organization.name).toBe('a\ufffdb\ufffd');
  });
});

describe('a session', () => {
  test('is valid for its organization until it is closed', async () => {
    const { organization, tokenId } = await create('Here');
    const first = await openSession(db, organization, tokenId, SERVICE_ACTOR);
    const second = await openSession(db, organization, tokenId, SERVICE_ACTOR);
    expect(await organizationOfSession(first.cookie)).toEqual(organization);
    await closeSession(db, first.cookie, '192.0.2.1');
    expect(await organizationOfSession(first.cookie)).toBe(null);
    expect(await organizationOfSession(second.cookie)).toEqual(organization);
  });

  test('expires, and is removed afterwards', async () => {
    const { organization, tokenId } = await create('Late');
    const { cookie } = await openSession(db, organization, tokenId, SERVICE_ACTOR);
    await db
      .updateTable('sessions')
      .set({ expiresAt: new Date(Date.now() - 1_000) })
      .where('organizationId', '=', organization.id)
      .execute();
    expect(await organizationOfSession(cookie)).toBe(null);
    await openSession(db, organization, tokenId, SERVICE_ACTOR);
    const left = await db.selectFrom('sessions').select('hash').where('organizationId', '=', organization.id).execute();
    expect(left).toHaveLength(1);
  });
});

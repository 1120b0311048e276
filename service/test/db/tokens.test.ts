import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Actor, SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { type Scope } from '../../src/domain/scopes.ts';
import { listAuditEntries } from '../../src/db/audit.ts';
import { createOrganization } from '../../src/db/organizations.ts';
import { identityOfSession, openSession } from '../../src/db/sessions.ts';
import {
  createToken,
  identityOfToken,
  listTokens,
  writeTokenUse,
  revokeToken,
  rotateToken,
} from '../../src/db/tokens.ts';
import { openTestDatabase, type TestDatabase } from '../database-fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

async function organization(): Promise<{ id: string; first: string }> {
  const created = await createOrganization(database.db, 'Acme', null, SERVICE_ACTOR);
  return { id: created.organization.id, first: created.token!.id };
}

async function add(id: string, scope: Scope, expiresAt: Date | null = null): Promise<Added> {
  const { token, secret } = (await createToken(database.db, id, { name: scope, scope, expiresAt }, SERVICE_ACTOR))!;
  return { id: token.id, secret };
}

interface Added {
  id: string;
  secret: string;
}

async function rotate({ id, secret }: Added): Promise<string> {
  const { organization } = (await identityOfToken(database.db, secret))!;
  return (await rotateToken(database.db, organization, id, SERVICE_ACTOR)).secret;
}

async function signIn({ id, secret }: Added): Promise<string> {
  const { organization } = (await identityOfToken(database.db, secret))!;
  return (await openSession(database.db, organization, id, SERVICE_ACTOR)).cookie;
}

/** Its end was a second ago. */
async function end(id: string): Promise<void> {
  await sql`update tokens set expires_at = now() - interval '1 second' where id = ${id}`.execute(database.db);
}

describe('a token', () => {
  test('has a scope, and is refused after its end', async () => {
    const { id } = await organization();
    const { id: token, secret } = await add(id, 'read', new Date(Date.now() + 60_000));
    expect(await identityOfToken(database.db, secret)).toMatchObject({
      organization: { id },
      token: { id: token, scope: 'read' },
      expired: false,
    });
    await end(token);
    expect((await identityOfToken(database.db, secret))!.expired).toBe(true);
  });

  test('opens sessions that end with it', async () => {
    const { id } = await organization();
    for (const ending of ['end', 'deletion', 'rotation']) {
      const token = await add(id, 'manage');
      const cookie = await signIn(token);
      expect(await identityOfSession(database.db, cookie)).toMatchObject({ token: { id: token.id, scope: 'manage' } });
      if (ending === 'end') await end(token.id);
      else if (ending === 'deletion') await revokeToken(database.db, id, token.id, SERVICE_ACTOR);
      else await rotate(token);
      expect(await identityOfSession(database.db, cookie), ending).toBeNull();
    }
  });

  test('has its last use written at most once a minute', async () => {
    const { id, first } = await organization();
    const lastUse = async () => (await listTokens(database.db, id, { limit: 1, after: null })).tokens[0]!.lastUsedAt;
    expect(await lastUse()).toBeNull();
    await writeTokenUse(database.db, first);
    const noted = await lastUse();
    expect(noted).not.toBeNull();
    await writeTokenUse(database.db, first);
    expect(await lastUse()).toBe(noted);
    await sql`update tokens set last_used_at = now() - interval '61 seconds' where id = ${first}`.execute(database.db);
    await writeTokenUse(database.db, first);
    expect(Date.now() - Date.parse((await lastUse())!)).toBeLessThan(30_000);
  });

  test('that is rotated keeps its name and scope, and does not affect others', async () => {
    const { id } = await organization();
    const [turned, other] = [await add(id, 'manage'), await add(id, 'read')];
    const cookie = await signIn(other);
    const next = await rotate(turned);
    expect(await identityOfToken(database.db, turned.secret)).toBeNull();
    expect((await identityOfToken(database.db, next))!.token).toEqual({
      id: turned.id,
      name: 'manage',
      scope: 'manage',
    });
    expect(await identityOfToken(database.db, other.secret)).not.toBeNull();
    expect(await identityOfSession(database.db, cookie)).not.toBeNull();
  });
});

describe('the last token with the scope admin', () => {
  test('is kept, also if others have ended', async () => {
    const { id, first } = await organization();
    await add(id, 'manage');
    expect(await revokeToken(database.db, id, first, SERVICE_ACTOR)).toBe('last-admin');
    const ended = await add(id, 'admin', new Date(Date.now() + 60_000));
    await end(ended.id);
    expect(await revokeToken(database.db, id, first, SERVICE_ACTOR)).toBe('last-admin');
    await add(id, 'admin');
    expect(await revokeToken(database.db, id, first, SERVICE_ACTOR)).toBe('deleted');
    expect(await revokeToken(database.db, id, first, SERVICE_ACTOR)).toBe('missing');
  });

  test('is kept if two of them are deleted concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, first } = await organization();
      const second = await add(id, 'admin');
      const outcomes = await Promise.all(
        [first, second.id].map((token) => revokeToken(database.db, id, token, SERVICE_ACTOR)),
      );
      expect(outcomes.toSorted()).toEqual(['deleted', 'last-admin']);
    }
  });
});

test('the audit log says who did what to a token, without its value', async () => {
  const { id, first } = await organization();
  const actor: Actor = { type: 'token', token: { id: first, name: 'First token' }, address: '192.0.2.1' };
  const created = (await createToken(database.db, id, { name: 'CI', scope: 'read', expiresAt: null }, actor))!;
  await revokeToken(database.db, id, created.token.id, { ...actor, type: 'session' });
  const { entries } = await listAuditEntries(database.db, id, { action: null, limit: 10, after: null });
  const target = { id: created.token.id, name: 'CI' };
  expect(entries).toMatchObject([
    { action: 'token-deleted', actor: { type: 'session', address: '192.0.2.1' }, target },
    { action: 'token-created', actor, target, details: { scope: 'read' } },
    { action: 'organization-created', actor: SERVICE_ACTOR },
  ]);
  expect(JSON.stringify(entries)).not.toContain('apr_');
});

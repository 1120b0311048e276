import { createHash, randomBytes } from 'node:crypto';
import { Migrator, sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../src/service/database/database.ts';
import { registriesAndSubscriptions } from '../../../../src/service/database/migrations/001-registries-and-subscriptions.ts';
import { tokensAuditWebhooks } from '../../../../src/service/database/migrations/008-tokens-audit-webhooks.ts';
import { identityOfSession } from '../../../../src/service/tokens/sessions-store.ts';
import { identityOfToken } from '../../../../src/service/tokens/store.ts';
import { startDatabase } from '../../../support/database.ts';

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

test(
  'the token and the sessions of an organization stay valid, with the scope admin',
  { timeout: 60_000 },
  async () => {
    const { db } = openDatabase((await startDatabase()).url, 2, () => {});
    try {
      const steps = { '001': registriesAndSubscriptions, '008': tokensAuditWebhooks };
      const migrator = new Migrator({ db, provider: { getMigrations: async () => steps } });
      await migrator.migrateTo('001');
      const [token, cookie] = [`apr_${randomBytes(32).toString('base64url')}`, randomBytes(32).toString('base64url')];
      const { rows } = await sql<{ id: string }>`
      insert into organizations (name, token_hash, token_since) values ('Acme', ${hashOf(token)}, '2026-01-01Z')
      returning id`.execute(db);
      await sql`insert into sessions (hash, organization_id, expires_at)
      values (${hashOf(cookie)}, ${rows[0]!.id}, now() + interval '1 day')`.execute(db);
      await migrator.migrateToLatest();
      const identity = await identityOfToken(db, token);
      expect(identity).toMatchObject({
        organization: { id: rows[0]!.id, name: 'Acme', tokenSince: '2026-01-01T00:00:00.000Z' },
        token: { scope: 'admin' },
        suspended: false,
      });
      expect(await identityOfSession(db, cookie)).toEqual(identity);
    } finally {
      await db.destroy();
    }
  },
);

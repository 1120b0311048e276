import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db } from '../../src/db/database.ts';
import { createToken, digestOfSecret } from '../../src/db/tokens.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { OPERATOR, openWebFixture, type WebFixture } from '../web-fixture.ts';
import { callApi } from './contract.ts';

/** Organizations and tokens that are deleted or rotated while one of their requests is handled. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app();
});
afterAll(() => web.stop());

const deleteOrganization = (tx: Db, id: string) => tx.deleteFrom('organizations').where('id', '=', id).execute();

/** Sends a request while a deletion is not committed yet. */
async function whileDeleting<Answer>(remove: (tx: Db) => Promise<unknown>, send: () => Promise<Answer>) {
  let answer: Promise<Answer>;
  await web.db.transaction().execute(async (tx) => {
    await remove(tx);
    answer = send();
    await expect.poll(isWaiting, { interval: 20 }).toBe(true);
  });
  return answer!;
}

/** Whether a statement waits for the end of the transaction. */
async function isWaiting(): Promise<boolean> {
  const { rows } = await sql`SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`.execute(web.db);
  return rows.length > 0;
}

test.each<[string, string, unknown?]>([
  ['POST', '/api/tokens', { name: 'Another', scope: 'read' }],
  ['POST', '/api/webhooks', { url: 'https://hooks.example.com/' }],
  ['POST', '/api/organization/token'],
])('%s %s of an organization that is being deleted is refused as with an invalid token', async (method, path, body) => {
  const { id, token } = await web.join();
  const send = () => callApi(app, method, path, { token, body });
  const answer = await whileDeleting((tx) => deleteOrganization(tx, id), send);
  expect([answer.status, answer.json['type']]).toEqual([401, 'urn:appreg:problem:unauthorized']);
  expect(answer.headers.get('www-authenticate')).toContain('invalid_token');
});

test('the operator cannot issue a token for an organization that is being deleted', async () => {
  const { id } = await web.join();
  const send = () => callApi(app, 'POST', `/api/organizations/${id}/token`, { token: OPERATOR });
  const answer = await whileDeleting((tx) => deleteOrganization(tx, id), send);
  expect([answer.status, answer.json['detail']]).toEqual([404, 'The organization does not exist.']);
});

test('a token that is being deleted cannot be rotated', async () => {
  const { id } = await web.join();
  const wanted = { name: 'Second', scope: 'admin', expiresAt: null } as const;
  const { token, secret } = (await createToken(web.db, id, wanted, SERVICE_ACTOR))!;
  const remove = (tx: Db) => tx.deleteFrom('tokens').where('id', '=', token.id).execute();
  const answer = await whileDeleting(remove, () => callApi(app, 'POST', '/api/organization/token', { token: secret }));
  expect(answer.status).toBe(401);
});

/** Gives the tokens of an organization a new value. */
const rotateTo = (next: string, id: string) => (tx: Db) =>
  tx
    .updateTable('tokens')
    .set({ hash: digestOfSecret(next), secretSince: sql<Date>`now()` })
    .where('organizationId', '=', id)
    .execute();

test('a token that is being rotated cannot be rotated with its previous value', async () => {
  const { id, token } = await web.join();
  const next = `apr_${'n'.repeat(43)}`;
  const answer = await whileDeleting(rotateTo(next, id), () =>
    callApi(app, 'POST', '/api/organization/token', { token }),
  );
  expect([answer.status, answer.json['type']]).toEqual([401, 'urn:appreg:problem:unauthorized']);
  expect((await callApi(app, 'GET', '/api/organization', { token: next })).status).toBe(200);
});

const post = (path: string, fields: Record<string, string>, cookie = '') =>
  app.request(path, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded', cookie },
    body: new URLSearchParams(fields).toString(),
  });

test('a form of an organization that is being deleted says that the session has ended', async () => {
  const { id, token } = await web.join();
  const signedIn = await post('/sign-in', { token });
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  const send = async () => post('/settings/tokens', { name: 'Another', scope: 'read' }, cookie);
  const answer = await whileDeleting((tx) => deleteOrganization(tx, id), send);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('You are no longer signed in');
});

test('a token that is being rotated does not sign in with its previous value', async () => {
  const { id, token } = await web.join();
  const rotate = rotateTo(`apr_${'s'.repeat(43)}`, id);
  const answer = await whileDeleting(rotate, async () => post('/sign-in', { token }));
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
});

test('none of this is logged as a defect', () => {
  expect(web.logged.filter(({ event }) => event === 'defect')).toEqual([]);
});

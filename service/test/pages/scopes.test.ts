import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { type Scope } from '../../src/domain/scopes.ts';
import { listAuditEntries } from '../../src/db/audit.ts';
import { createToken } from '../../src/db/tokens.ts';
import { addApp, addRegistry, addSubscription } from '../database-fixture.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** What a person may do on the pages depends on the token that was used to sign in. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app();
});
afterAll(() => web.stop());

const HEADERS = {
  'sec-fetch-site': 'same-origin',
  origin: 'http://localhost',
  host: 'localhost',
  'content-type': 'application/x-www-form-urlencoded',
};

async function post(path: string, cookie: string, fields: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams(fields).toString();
  return app.request(path, { method: 'POST', body, headers: { ...HEADERS, cookie } });
}

async function get(path: string, cookie: string): Promise<Response> {
  return app.request(path, { headers: { accept: 'text/html', cookie } });
}

interface Member {
  organization: string;
  tokenId: string;
  secret: string;
  cookie: string;
}

async function signIn(scope: Scope): Promise<Member> {
  const { id: organization } = await web.join();
  const wanted = { name: `${scope} token`, scope, expiresAt: null };
  const { token, secret } = (await createToken(web.db, organization, wanted, SERVICE_ACTOR))!;
  const response = await post('/sign-in', '', { token: secret });
  expect(response.status).toBe(303);
  return { organization, tokenId: token.id, secret, cookie: response.headers.get('set-cookie')!.split(';')[0]! };
}

async function actionsOf({ organization }: Member) {
  const { entries } = await listAuditEntries(web.db, organization, { action: null, limit: 100, after: null });
  return entries.map(({ action, actor, outcome }) => [action, actor.type, actor.token?.name ?? null, outcome]);
}

test('a session of a read token shows the pages, and changes nothing', async () => {
  const member = await signIn('read');
  const registry = await addRegistry(web.db, `https://${member.organization}.example.com/registry.json`);
  const id = await addSubscription(web.db, member.organization, registry, { name: 'Kept' });
  const list = '/settings/registries';
  for (const path of [list, `${list}/${id}`, '/apps']) expect((await get(path, member.cookie)).status, path).toBe(200);
  for (const path of [
    `${list}/subscribe`,
    ...['refresh', 'settings/rename', 'unsubscribe'].map((verb) => `${list}/${id}/${verb}`),
  ]) {
    const response = await post(path, member.cookie, { name: 'Changed', url: 'https://x.example.com/registry.json' });
    expect(response.status, path).toBe(403);
    expect(await response.text()).toContain('Not allowed with this token');
  }
  const row = await web.db.selectFrom('subscriptions').select('name').where('id', '=', id).executeTakeFirst();
  expect([row, web.refreshes]).toEqual([{ name: 'Kept' }, []]);
  const [newest] = await actionsOf(member);
  expect(newest).toEqual(['request-refused', 'session', 'read token', 'refused']);
});

/** All pages that are linked from the first one, by path, with the addresses that their forms are sent to by POST. */
async function crawl({ cookie }: Member): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const waiting = ['/settings/registries', '/apps'];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (found.has(path)) continue;
    const response = await get(path, cookie);
    expect(response.status, path).toBe(200);
    const text = await response.text();
    found.set(
      path,
      [...text.matchAll(/<form[^>]* method="post" action="([^"]*)"/g)].map(([, action = '']) => action),
    );
    const links = [...text.matchAll(/<a[^>]* href="([^"#:]*)"/g)].map(([, href = '']) => `/${href}`.split('?')[0]!);
    waiting.push(...links.filter((href) => href.startsWith('/apps') || href.startsWith('/settings')));
  }
  return found;
}

test.each([
  ['read', [], ['settings/registries/subscribe', 'settings/organization/token', 'rename', 'refresh', 'auth']],
  [
    'manage',
    ['settings/registries/subscribe', 'rename', 'refresh', 'auth', 'unsubscribe'],
    ['settings/organization/token'],
  ],
  [
    'admin',
    ['settings/registries/subscribe', 'rename', 'refresh', 'settings/organization/token', 'settings/tokens'],
    [],
  ],
] as const)('a session of the scope %s is offered what it may do', async (scope, offered, withheld) => {
  const member = await signIn(scope);
  const registry = await addRegistry(web.db, `https://offers-${scope}.example.com/registry.json`);
  await addApp(web.db, registry, 'clock');
  await addSubscription(web.db, member.organization, registry);
  const pages = await crawl(member);
  expect(pages.size).toBeGreaterThanOrEqual(8);
  const actions = new Set([...pages.values()].flat());
  const isOffered = (action: string): boolean => [...actions].some((one) => one.endsWith(action));
  expect(offered.filter((action) => !isOffered(action))).toEqual([]);
  expect(withheld.filter(isOffered)).toEqual([]);
  if (scope === 'read') expect([...actions]).toEqual(['sign-out']);
});

test('a page says which scope an action needs', async () => {
  const { cookie } = await signIn('read');
  for (const path of ['/settings/registries', '/apps'])
    expect(await (await get(path, cookie)).text(), path).toContain(
      'Subscribing requires a token with the scope “manage”; yours has “read”.',
    );
});

test('a session of a manage token changes subscriptions, but no tokens', async () => {
  const member = await signIn('manage');
  const registry = await addRegistry(web.db, `https://${member.organization}.example.com/registry.json`);
  const id = await addSubscription(web.db, member.organization, registry);
  expect((await post(`/settings/registries/${id}/settings/rename`, member.cookie, { name: 'Changed' })).status).toBe(
    303,
  );
  expect((await post('/settings/organization/token', member.cookie, { sure: 'yes' })).status).not.toBe(200);
  expect((await app.request('/api/registries', { headers: { authorization: `Bearer ${member.secret}` } })).status).toBe(
    200,
  );
  const actions = await actionsOf(member);
  expect(actions).toContainEqual(['registry-renamed', 'session', 'manage token', 'done']);
  expect(actions).toContainEqual(['session-opened', 'session', 'manage token', 'done']);
  await post('/sign-out', member.cookie);
  expect((await actionsOf(member))[0]).toEqual(['session-closed', 'session', 'manage token', 'done']);
});

test('a token that has ended does not sign in, and its session asks to sign in again', async () => {
  const member = await signIn('admin');
  await web.db
    .updateTable('tokens')
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where('id', '=', member.tokenId)
    .execute();
  const response = await get('/apps', member.cookie);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fapps']);
  const again = await post('/sign-in', '', { token: member.secret });
  expect([again.status, await again.text()]).toEqual([403, expect.stringContaining('This token has expired')]);
});

test('a member of a suspended organization sees that it is suspended', async () => {
  const member = await signIn('admin');
  await web.db
    .updateTable('organizations')
    .set({ suspendedAt: new Date() })
    .where('id', '=', member.organization)
    .execute();
  const response = await get('/apps', member.cookie);
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('suspended')]);
  const again = await post('/sign-in', '', { token: member.secret });
  expect([again.status, await again.text()]).toEqual([403, expect.stringContaining('suspended')]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken, TOKENS_LIMIT } from '../../src/db/tokens.ts';
import { addRegistry } from '../database-fixture.ts';
import { insertSubscription } from '../../src/db/new-subscriptions.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The pages of tokens, the audit log and the history, with sessions of every scope. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;

beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({ openSignUp: true });
});
afterAll(() => web.stop());

const ACTOR = { type: 'operator', token: null, address: null } as const;

async function get(path: string, cookie: string): Promise<Response> {
  return app.request(path, { headers: { accept: 'text/html', cookie } });
}

async function post(path: string, fields: Record<string, string>, cookie = ''): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', cookie };
  return app.request(path, { method: 'POST', body: new URLSearchParams(fields).toString(), headers });
}

async function signInWith(token: string): Promise<string> {
  return (await post('/sign-in', { token })).headers.get('set-cookie')!.split(';')[0]!;
}

async function signIn(): Promise<{ id: string; token: string; cookie: string }> {
  const made = await web.join();
  return { ...made, cookie: await signInWith(made.token) };
}

describe('the page of tokens', () => {
  test('creates a token with a scope and an end, shows it once, and logs it', async () => {
    const { id, cookie } = await signIn();
    const expires = `${new Date().getUTCFullYear() + 9}-01-02`;
    const answer = await post('/settings/tokens', { name: 'CI <b>', scope: 'manage', expires }, cookie);
    const page = await answer.text();
    const secret = /apr_[\w-]{43}/.exec(page)![0];
    expect(page).toContain('CI &lt;b&gt;');
    const list = await (await get('/settings/tokens', cookie)).text();
    expect(list).toContain('CI &lt;b&gt;');
    expect(list).toContain(expires);
    expect(list).not.toContain('apr_');
    expect((await get('/settings/registries', await signInWith(secret))).status).toBe(200);
    const entry = { event: 'token-created', organization: id, scope: 'manage' };
    expect(web.logged).toContainEqual(expect.objectContaining(entry));
    expect(JSON.stringify(web.logged)).not.toContain(secret);
  });

  test.each([
    [{ name: '' }, 'The name is empty.'],
    [{ name: 'a', expires: '2020-01-01' }, 'The date is in the past.'],
    [{ name: 'a', expires: '2020-99-99' }, 'This is not a date.'],
    [{ name: 'a', expires: 'tomorrow' }, 'This is not a date.'],
    [{ name: 'a', expires: '2027-02-30' }, 'This is not a date.'],
    [{ name: 'a', expires: '2999-01-02' }, 'The date is more than ten years ahead.'],
  ])('refuses %j', async (fields, message) => {
    const { cookie } = await signIn();
    const answer = await post('/settings/tokens', { scope: 'read', ...fields }, cookie);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(message)]);
  });

  test('has all tokens, also those that the operator issued beyond the limit', async () => {
    const { id, cookie } = await signIn();
    for (let i = 1; i < TOKENS_LIMIT; i += 1)
      await createToken(web.db, id, { name: `Token ${i}`, scope: 'read', expiresAt: null }, ACTOR);
    const wanted = { name: 'Issued later', scope: 'admin', expiresAt: null } as const;
    const { token } = (await createToken(web.db, id, wanted, ACTOR))!;
    expect(await (await get('/settings/tokens', cookie)).text()).toContain('Issued later');
    expect((await get(`/settings/tokens/${token.id}/delete`, cookie)).status).toBe(200);
  });

  test('deletes a token, whose sessions end, and keeps the last one that can make others', async () => {
    const { id, cookie } = await signIn();
    const other = (await createToken(web.db, id, { name: 'Other', scope: 'read', expiresAt: null }, ACTOR))!;
    const session = await signInWith(other.secret);
    expect((await get('/apps', session)).status).toBe(200);
    const path = `/settings/tokens/${other.token.id}/delete`;
    expect(await (await get(path, cookie)).text()).toContain('Delete the token');
    expect((await post(path, {}, cookie)).headers.get('location')).toBe('/settings/tokens?done=deleted');
    expect((await get('/apps', session)).status).toBe(303);
    expect((await get(path, cookie)).status).toBe(404);
    expect(web.logged).toContainEqual(expect.objectContaining({ event: 'token-deleted', token: other.token.id }));
    const [own] = /settings\/tokens\/([0-9a-f-]{36})\/delete/.exec(
      await (await get('/settings/tokens', cookie)).text(),
    )!;
    const answer = await post(`/${own}`, {}, cookie);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('the last token')]);
  });

  test.each(['read', 'manage'] as const)(
    'is neither linked nor shown to a session with the scope %s',
    async (scope) => {
      const { id } = await signIn();
      const token = (await createToken(web.db, id, { name: 'Other', scope, expiresAt: null }, ACTOR))!;
      const cookie = await signInWith(token.secret);
      const list = await (await get('/settings/registries', cookie)).text();
      for (const page of ['tokens', 'audit']) {
        expect(list).not.toContain(`href="settings/${page}"`);
        const answer = await get(`/settings/${page}`, cookie);
        expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Not allowed')]);
      }
      expect((await post('/settings/tokens', { name: 'x', scope: 'admin' }, cookie)).status).toBe(403);
    },
  );

  test('shows nothing of another organization', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const token = (await createToken(web.db, one.id, { name: 'Hidden name', scope: 'read', expiresAt: null }, ACTOR))!;
    expect(await (await get('/settings/tokens', other.cookie)).text()).not.toContain('Hidden name');
    const path = `/settings/tokens/${token.token.id}/delete`;
    expect((await get(path, other.cookie)).status).toBe(404);
    await post(path, {}, other.cookie);
    expect(await (await get('/settings/tokens', one.cookie)).text()).toContain('Hidden name');
    for (const page of ['audit', 'audit?action=token-issued'])
      expect(await (await get(`/settings/${page}`, other.cookie)).text()).not.toContain('Hidden name');
  });
});

test('the audit log lists changes, and can be filtered by action', async () => {
  const { cookie } = await signIn();
  await post('/settings/tokens', { name: 'For the audit', scope: 'read', expires: '' }, cookie);
  const all = await (await get('/settings/audit', cookie)).text();
  expect(all).toContain('<b>Token created</b>');
  expect(all).toContain('<b>Signed in</b>');
  expect(all).toContain('For the audit');
  const filtered = await (await get('/settings/audit?action=token-created', cookie)).text();
  expect(filtered).toContain('<b>Token created</b>');
  expect(filtered).not.toContain('<b>Signed in</b>');
  expect((await get('/settings/audit?after=x&action=none', cookie)).status).toBe(200);
});

test('the history lists the events of the own registries, by type and by app', async () => {
  const [one, other] = [await signIn(), await signIn()];
  const registry = await addRegistry(web.db, 'https://apps.test/history.json');
  const { id } = await insertSubscription(web.db, one.id, registry, { name: 'Ours', actor: ACTOR, confirmed: true });
  const page = async (path: string, cookie = one.cookie): Promise<string> => (await get(path, cookie)).text();
  expect(await page(`/settings/registries/${id}/history?type=all`)).toContain('The organization subscribed');
  expect(await page(`/settings/registries/${id}/history?type=all&app=clock`)).toContain('No events');
  expect(await page(`/settings/registries/${id}/history`)).toContain('No events');
  expect(await page('/settings/history')).toContain('Ours');
  expect(await page('/settings/history?after=x')).toContain('Ours');
  expect(await page('/settings/history', other.cookie)).not.toContain('Ours');
  expect((await get(`/settings/registries/${id}/history`, other.cookie)).status).toBe(404);
});

test('an unknown page has the navigation of those who are signed in', async () => {
  const { cookie } = await signIn();
  for (const path of ['/nowhere', '/settings/registries/none', '/apps/none/none', '/apps/a/b/c']) {
    const answer = await get(path, cookie);
    const page = await answer.text();
    expect([path, answer.status]).toEqual([path, 404]);
    expect(page).toContain('aria-label="Main"');
    expect(page).toContain('Sign out');
    expect(page).not.toContain('href="sign-in"');
  }
  expect(await (await get('/nowhere', '')).text()).toContain('href="sign-in"');
});

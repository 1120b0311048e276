import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRegistry, addSubscription } from '../database-fixture.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The pages with secrets: credentials of registries, and webhooks. They are write-only. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;

beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({ openSignUp: true });
});
afterAll(() => web.stop());

async function get(path: string, cookie: string): Promise<Response> {
  return app.request(path, { headers: { accept: 'text/html', cookie } });
}

async function post(path: string, fields: Record<string, string>, cookie = ''): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', cookie };
  return app.request(path, { method: 'POST', body: new URLSearchParams(fields).toString(), headers });
}

async function signIn(): Promise<{ id: string; cookie: string }> {
  const { id, token } = await web.join();
  return { id, cookie: (await post('/sign-in', { token })).headers.get('set-cookie')!.split(';')[0]! };
}

async function subscribed(url: string): Promise<{ path: string; cookie: string }> {
  const { id, cookie } = await signIn();
  const registry = await addRegistry(web.db, url);
  return { path: `/settings/registries/${await addSubscription(web.db, id, registry)}`, cookie };
}

test('credentials are stored, named by their type, and never shown', async () => {
  const { path, cookie } = await subscribed('https://private.test/registry.json');
  const answer = await post(`${path}/settings/auth`, { auth: 'bearer', 'auth-token': 'the-secret-token' }, cookie);
  expect(answer.headers.get('location')).toBe(`${path}/settings?done=auth-set`);
  const page = await (await get(answer.headers.get('location')!, cookie)).text();
  expect(page).toContain('Bearer token, set');
  expect(page).toContain('The credentials were saved.');
  expect(page).not.toContain('the-secret-token');
  expect(JSON.stringify(web.logged)).not.toContain('the-secret-token');
  await post(`${path}/settings/auth`, { auth: 'none' }, cookie);
  expect(await (await get(`${path}/settings`, cookie)).text()).toContain('without credentials');
});

test('credentials that a service without SECRETS_KEY cannot store receive the status of the API', async () => {
  const { path, cookie } = await subscribed('https://keyless.test/registry.json');
  const keyless = web.app({ secretsKeys: [] });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', cookie };
  const body = 'auth=bearer&auth-token=the-secret-token';
  const answer = await keyless.request(`${path}/settings/auth`, { method: 'POST', body, headers });
  expect(answer.status).toBe(501);
  expect(await answer.text()).toContain('its operator has not set SECRETS_KEY');
});

test.each([
  [{ auth: 'bearer', 'auth-token': 'Bearer the-secret' }, 'begins with “Bearer ”'],
  [{ auth: 'basic', 'auth-username': 'a:b', 'auth-password': 'the-secret' }, 'contains a colon'],
  [{ auth: 'header', 'auth-name': 'Host', 'auth-value': 'the-secret' }, 'not a header for credentials'],
])('credentials that are not valid are refused next to their field, and not repeated: %j', async (fields, message) => {
  const { path, cookie } = await subscribed(`https://private.test/${fields.auth}.json`);
  for (const [to, more] of [
    [`${path}/settings/auth`, {}],
    ['/settings/registries/subscribe', { url: 'https://private.test/new.json', name: 'Private' }],
  ] as const) {
    const answer = await post(to, { ...fields, ...more }, cookie);
    const page = await answer.text();
    expect([answer.status, page]).toEqual([400, expect.stringContaining(message)]);
    expect(page).toContain('aria-invalid="true"');
    expect(page).not.toContain('the-secret');
  }
});

test('a webhook is created with a secret that is shown once, tested, disabled and deleted', async () => {
  const { cookie } = await signIn();
  const created = await post(
    '/settings/webhooks',
    { url: 'https://hooks.example.com/x', 'event-failing': 'yes' },
    cookie,
  );
  const page = await created.text();
  expect(page).toMatch(/whsec_[\w+/=]{20,}/);
  const [path] = /settings\/webhooks\/[0-9a-f-]{36}/.exec(page)!;
  const list = await (await get('/settings/webhooks', cookie)).text();
  expect(list).toContain('https://hooks.example.com/x');
  expect(list).not.toContain('whsec_');
  const tested = await post(`/${path}/test`, {}, cookie);
  expect(await (await get(tested.headers.get('location')!, cookie)).text()).toContain('The event is being sent.');
  await post(`/${path}/disable`, {}, cookie);
  const disabled = await (await get(`/${path}`, cookie)).text();
  expect(disabled).toContain('Disabled');
  expect(disabled).toContain('Cancelled');
  const other = await signIn();
  expect((await get(`/${path}`, other.cookie)).status).toBe(404);
  expect((await get(`/${path}/delete`, other.cookie)).status).toBe(404);
  for (const verb of ['test', 'enable', 'disable'])
    expect((await post(`/${path}/${verb}`, {}, other.cookie)).status).toBe(404);
  await post(`/${path}/delete`, {}, other.cookie);
  expect((await get(`/${path}`, cookie)).status).toBe(200);
  expect((await post(`/${path}/delete`, {}, cookie)).headers.get('location')).toBe('/settings/webhooks?done=deleted');
  expect((await get(`/${path}`, cookie)).status).toBe(404);
});

test.each(['', 'hooks.example.com', 'https://user:password@hooks.example.com/'])(
  'a webhook with the URL %j is refused next to its field',
  async (url) => {
    const { cookie } = await signIn();
    const answer = await post('/settings/webhooks', { url }, cookie);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('id="url-error"')]);
  },
);

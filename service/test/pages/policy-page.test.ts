import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { createToken } from '../../src/db/tokens.ts';
import { addApp, addRegistry, addSubscription } from '../database-fixture.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The page that sets the policy of a registry: its preview, its faults with their places, and its confirmation. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
let organization: string;
let token: string;
let subscription: string;
let path: string;
let cookie: string;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app();
});
afterAll(() => web.stop());
beforeEach(async () => {
  ({ id: organization, token } = await web.join());
  const registry = await addRegistry(web.db, `https://apps.test/${organization}.json`);
  await addApp(web.db, registry, 'clock', {}, { '1.0.0': {}, '1.1.0': {} });
  subscription = await addSubscription(web.db, organization, registry);
  path = `/settings/registries/${subscription}/policy`;
  cookie = await signIn(token);
});

async function signIn(secret: string): Promise<string> {
  return (await post('/sign-in', { token: secret })).headers.get('set-cookie')!.split(';')[0]!;
}

async function post(to: string, fields: Record<string, string>, session = ''): Promise<Response> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    origin: 'http://localhost',
    host: 'localhost',
    cookie: session,
  };
  return app.request(to, { method: 'POST', body: new URLSearchParams(fields).toString(), headers });
}

async function page(to = path, session = cookie): Promise<string> {
  const response = await app.request(to, { headers: { cookie: session } });
  expect(response.status).toBe(200);
  return response.text();
}

async function api(method: string, rest = '', body?: object) {
  const response = await app.request(`/api/registries/${subscription}/policy${rest}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return response.status === 204 ? null : ((await response.json()) as Record<string, unknown>);
}

const DENY = { schema: 1, deny: ['clock@1.1.0'] };

test('what the page sets is what the API returns, and the other way round', async () => {
  const saved = await post(path, { policy: JSON.stringify(DENY), do: 'save' }, cookie);
  const settings = `/settings/registries/${subscription}/settings`;
  expect([saved.status, saved.headers.get('location')]).toEqual([303, `${settings}?done=policy-set`]);
  expect(await api('GET')).toEqual({ policy: DENY });
  expect(await page(`${settings}?done=policy-set`)).toMatch(/The policy was saved[\s\S]*A policy decides/);
  const other = { ...DENY, minimumAge: '2h', minimumAgeExclude: ['*'] };
  expect(await api('PUT', '', { policy: other })).toEqual({ policy: other });
  expect(await page()).toContain('&quot;minimumAge&quot;: &quot;2h&quot;');
  const shown = await page(`/apps/${subscription}/clock`);
  expect(shown).toContain('The policy of your organization holds it back');
  expect(shown).toContain('deny[0] &quot;clock@1.1.0&quot;');
  expect((await post(path, { do: 'remove' }, cookie)).headers.get('location')).toBe(`${settings}?done=policy-removed`);
  expect(await api('GET')).toEqual({ policy: null });
  const audit = await page('/settings/audit');
  expect(audit.match(/Policy changed/g)!.length).toBeGreaterThanOrEqual(3);
  expect(await page(`/settings/registries/${subscription}/history?type=all`)).toContain(
    'removed the policy of the registry',
  );
});

test('the preview shows the same as that of the API, and changes nothing', async () => {
  const text = JSON.stringify(DENY, null, 4);
  const shown = await post(path, { policy: text, do: 'preview' }, cookie);
  expect(shown.status).toBe(200);
  const html = await shown.text();
  expect(html).toContain('1 version that is offered now would be held back, and 0 versions would appear.');
  expect(html).toContain(text.replaceAll('"', '&quot;'));
  const tables = html
    .slice(html.indexOf('id="preview"'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  expect(tables).toContain('App Now With the policy clock 1.1.0 1.0.0');
  expect(await api('POST', '/preview', { policy: DENY })).toMatchObject({
    hidden: 1,
    appearing: 0,
    hiddenVersions: [{ app: 'clock', version: '1.1.0', line: 'deny[0] "clock@1.1.0"', offeredAt: null }],
    latest: [{ app: 'clock', before: '1.1.0', after: '1.0.0' }],
  });
  expect(await api('GET')).toEqual({ policy: null });
});

test.each<[string, string, RegExp]>([
  ['a text that is not JSON', '{ "schema": 1,\n  "deny": [', /Line 2, column \d+: /],
  ['an unknown field', '{\n  "schema": 1,\n  "dney": []\n}', /Line 3, column 3: .*Unknown field “dney”/],
  ['an entry that is no range', '{ "schema": 1, "deny": ["clock@high"] }', /Line 1, column \d+: .*“high”/],
  ['nothing', '', /The policy was not saved/],
  ['markup', '<script>alert(1)</script>', /&lt;script&gt;/],
])('%s is refused with its place, and the text is kept', async (_, policy, words) => {
  for (const action of ['preview', 'save']) {
    const response = await post(path, { policy, do: action }, cookie);
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toMatch(words);
    expect(html).not.toContain('<script>alert');
    expect(html).toContain(policy.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'));
  }
  expect(await api('GET')).toEqual({ policy: null });
});

test('one that hides everything is saved only with its confirmation', async () => {
  const policy = '{ "schema": 1, "deny": ["*"] }';
  const refused = await post(path, { policy, do: 'save' }, cookie);
  expect(refused.status).toBe(409);
  expect(await refused.text()).toMatch(/no version would be offered any more[\s\S]*name="confirm"/);
  expect(await api('GET')).toEqual({ policy: null });
  expect((await post(path, { policy, do: 'save', confirm: 'yes' }, cookie)).status).toBe(303);
  expect(await page(`/apps/${subscription}/clock`)).toContain(
    'The policy of your organization holds all of its versions back.',
  );
});

test('a session with the scope read sees that there is a policy, and changes nothing', async () => {
  await api('PUT', '', { policy: DENY });
  const reader = await createToken(web.db, organization, { name: 'r', scope: 'read', expiresAt: null }, SERVICE_ACTOR);
  const session = await signIn(reader!.secret);
  const html = await page(path, session);
  expect(html).toMatch(/<textarea[^>]* readonly/);
  expect(html).not.toContain('<button name="do"');
  expect(html).toContain('requires a token with the scope “manage”');
  expect(html).toContain('deny');
  expect((await post(path, { do: 'remove' }, session)).status).toBe(403);
  expect(await api('GET')).toEqual({ policy: DENY });
});

test('needs a session, and the registry of the organization', async () => {
  expect((await post(path, { do: 'remove' })).headers.get('location')).toMatch(/^\/sign-in/);
  const other = await signIn((await web.join()).token);
  expect((await post(path, { policy: JSON.stringify(DENY), do: 'save' }, other)).status).toBe(404);
  expect(await api('GET')).toEqual({ policy: null });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { safeRedirectPath } from '../../src/ui/session.ts';
import { addApp, addIcon, addRegistry, addSubscription } from '../database-fixture.ts';
import { openWebFixture, reportOn, type WebFixture } from '../web-fixture.ts';
import { openDatabase } from '../../src/db/database.ts';
import { pack } from '../../src/db/packed.ts';
import { webApp } from '../../src/web-app.ts';

/** The routes of the pages: authentication, refused requests, and the data of each organization. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;

beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({ openSignUp: true });
});
afterAll(() => web.stop());

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost', host: 'localhost' };

async function get(path: string, cookie = '', to = app): Promise<Response> {
  return to.request(path, { headers: { accept: 'text/html', cookie } });
}

async function post(
  path: string,
  fields: Record<string, string> = {},
  cookie = '',
  headers: Record<string, string> = SAME_ORIGIN,
  to = app,
): Promise<Response> {
  const body = new URLSearchParams(fields).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return to.request(path, { method: 'POST', body, headers: { ...type, cookie, ...headers } });
}

function cookieOf(answer: Response): string {
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}

async function signIn(): Promise<{ id: string; token: string; cookie: string }> {
  const made = await web.join();
  return { ...made, cookie: cookieOf(await post('/sign-in', { token: made.token })) };
}

describe('signing in', () => {
  test('opens a session with a cookie that is not available to scripts and other sites', async () => {
    const { token } = await web.join();
    const answer = await post('/sign-in', { token, next: '/apps?q=x' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/apps?q=x']);
    const attributes = answer.headers.get('set-cookie')!.split('; ').slice(1);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']));
    expect(attributes).not.toContain('Secure');
    expect((await get('/settings/registries', cookieOf(answer))).status).toBe(200);
  });

  test('over HTTPS sets a cookie for HTTPS and this host only', async () => {
    const { token } = await web.join();
    const secure = web.app({ publicUrl: 'https://registries.test/' });
    const own = { 'sec-fetch-site': 'same-origin', origin: 'https://registries.test' };
    const answer = await post('/sign-in', { token }, '', own, secure);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-appreg=[\w-]{43}; (?=.*HttpOnly)(?=.*Secure)(?!.*Domain)/,
    );
    expect((await get('/settings/registries', cookieOf(answer), secure)).status).toBe(200);
  });

  test.each(['', 'apr_wrong', `apr_${'x'.repeat(43)}`])('is refused with the token %j', async (token) => {
    const answer = await post('/sign-in', { token });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await answer.text()).toContain('aria-invalid="true"');
  });

  test('is required without a session: the redirect contains the path to return to', async () => {
    const answer = await get('/settings/registries?done=x');
    expect(answer.headers.get('location')).toBe('/sign-in?next=%2Fsettings%2Fregistries%3Fdone%3Dx');
    const made = `appreg=${'x'.repeat(43)}`;
    expect((await get('/apps', made)).headers.get('location')).toBe('/sign-in?next=%2Fapps');
    // Of a form, whose page follows.
    const sent = await post('/settings/registries/subscribe', { name: 'x' }, made);
    expect(sent.headers.get('location')).toBe('/sign-in?next=%2Fsettings%2Fregistries%2Fsubscribe');
  });

  test('is required again after signing out, also with the old cookie', async () => {
    const { cookie } = await signIn();
    const out = await post('/sign-out', {}, cookie);
    expect(out.headers.get('set-cookie')).toMatch(/^appreg=; Max-Age=0/);
    expect((await get('/apps', cookie)).status).toBe(303);
  });

  test.each([
    ['/apps', '/apps'],
    ['/a/../../apps?q=1', '/apps?q=1'],
    ['//evil.test', '/'],
    ['/\\evil.test', '/'],
    ['/x/..//evil.test', '/'],
    ['https://evil.test/', '/'],
    ['/\t/evil.test', '/'],
    ['javascript:alert(1)', '/'],
    ['', '/'],
  ])('with next=%j continues at %j', (next, to) => {
    expect(safeRedirectPath(next)).toBe(to);
  });
});

describe('a form', () => {
  const FOREIGN: Record<string, Record<string, string>> = {
    'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
    'another site with our origin': { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
    'a sibling site': { 'sec-fetch-site': 'same-site', origin: 'http://localhost' },
    'another origin': { origin: 'http://localhost:8080', host: 'localhost' },
    'a sandboxed frame': { origin: 'null', host: 'localhost' },
    'an unknown origin': { host: 'localhost' },
  };

  test.each(Object.keys(FOREIGN))('from %s is refused, also with a session', async (from) => {
    const { id, cookie } = await signIn();
    const registry = await addRegistry(web.db, `https://apps.test/${id}.json`);
    const own = await addSubscription(web.db, id, registry);
    // Every form: a new one is covered without a change here.
    const paths = app.routes
      .filter(({ method, path }) => method === 'POST' && !path.startsWith('/api/'))
      .map(({ path }) => path.replaceAll(/:\w+(?:\{[^}]*\})?/g, own));
    expect(paths.length).toBeGreaterThan(15);
    const refused = await Promise.all(
      paths.map(
        async (path) => `${path} ${(await post(path, { name: 'x', sure: 'yes' }, cookie, FOREIGN[from])).status}`,
      ),
    );
    expect(refused).toEqual(paths.map((path) => `${path} 403`));
    expect((await get(`/settings/registries/${own}`, cookie)).status).toBe(200);
  });

  test.each([{ origin: 'http://localhost', host: 'localhost' }, { 'sec-fetch-site': 'same-origin' }])(
    'from the page itself is accepted: %j',
    async (headers) => {
      const { token } = await web.join();
      expect((await post('/sign-in', { token }, '', headers as Record<string, string>)).status).toBe(303);
    },
  );

  test('is at an address that leads to its page by GET, such as after a refused form', async () => {
    const { id, cookie } = await signIn();
    const own = await addSubscription(web.db, id, await addRegistry(web.db, `https://apps.test/forms-${id}.json`));
    const gets = new Set(app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
    const forms = app.routes.filter(({ method, path }) => method === 'POST' && !path.startsWith('/api/'));
    expect(forms.filter(({ path }) => !gets.has(path))).toEqual([]);
    const settings = `/settings/registries/${own}/settings`;
    const refused = await post(`${settings}/rename`, { name: '' }, cookie);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('aria-invalid="true"')]);
    for (const [address, page] of [
      [`${settings}/rename`, settings],
      [`/settings/webhooks/${own}/deliveries/${own}`, `/settings/webhooks/${own}`],
      ['/settings/organization/token', '/settings/organization'],
      ['/sign-out', '/'],
    ] as const)
      expect((await get(address, cookie)).headers.get('location')).toBe(page);
  });

  test('that is too large or sent too often is refused', async () => {
    expect((await post('/sign-in', { token: 'x'.repeat(100_000) })).status).toBe(413);
    const busy = web.app();
    const statuses = new Set<number>();
    for (let i = 0; i < 70; i++) statuses.add((await post('/sign-in', { token: 'x' }, '', SAME_ORIGIN, busy)).status);
    expect([...statuses]).toEqual([403, 429]);
  });
});

describe('signing up', () => {
  test('shows the token once, and creates one organization if the form is sent twice', async () => {
    const form = await (await get('/sign-up')).text();
    const key = /name="key" value="([^"]+)"/.exec(form)![1]!;
    const first = await post('/sign-up', { name: 'Acme <b>', key });
    const page = await first.text();
    const token = /apr_[\w-]{43}/.exec(page)![0];
    expect(page).toContain('Acme &lt;b&gt;');
    expect(page).not.toContain('<b>');
    expect((await get('/settings/registries', cookieOf(first))).status).toBe(200);
    const second = await post('/sign-up', { name: 'Acme <b>', key });
    expect([second.status, second.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await second.text()).not.toContain('apr_');
    expect((await post('/sign-in', { token })).status).toBe(303);
  });

  test('is refused unless the operator opened it', async () => {
    const closed = web.app({ openSignUp: false });
    expect((await get('/sign-up', '', closed)).status).toBe(403);
    expect((await post('/sign-up', { name: 'Acme' }, '', SAME_ORIGIN, closed)).status).toBe(403);
    expect(await (await get('/sign-in', '', closed)).text()).not.toContain('/sign-up');
  });

  test.each(['', '   ', 'x'.repeat(101), 'a\u202eb'])('is refused with the name %j', async (name) => {
    const answer = await post('/sign-up', { name });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('The name ')]);
  });

  test('can be followed by a new token, which replaces the previous one and keeps this browser signed in', async () => {
    const { token, cookie } = await signIn();
    const unsure = await post('/settings/organization/token', {}, cookie);
    expect(unsure.headers.get('location')).toBe('/settings/organization');
    const answer = await post('/settings/organization/token', { sure: 'yes' }, cookie);
    const fresh = /apr_[\w-]{43}/.exec(await answer.text())![0];
    expect(fresh).not.toBe(token);
    expect((await get('/apps', cookieOf(answer))).status).toBe(200);
    expect((await get('/apps', cookie)).status).toBe(303);
    expect((await post('/sign-in', { token })).status).toBe(403);
    expect((await post('/sign-in', { token: fresh })).status).toBe(303);
  });
});

describe('the pages', () => {
  test('show nothing of another organization', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const registry = await addRegistry(web.db, 'https://apps.test/tenants.json', {
      report: await pack(reportOn('https://apps.test/tenants.json')),
    });
    const icon = await addIcon(web.db, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml');
    await addApp(web.db, registry, 'secret', { icon });
    const id = await addSubscription(web.db, one.id, registry, { name: 'Ours' });
    const places = ['', '/health', '/settings', '/report.json', '/report.md', '/unsubscribe'].map(
      (place) => `/settings/registries/${id}${place}`,
    );
    places.push(`/icons/${icon.toString('hex')}`, `/apps/${id}/secret`, `/apps/${id}?key=secret`);
    for (const place of places) {
      expect([place, (await get(place, one.cookie)).status]).toEqual([place, 200]);
      expect([place, (await get(place, other.cookie)).status]).toEqual([place, 404]);
    }
    for (const verb of ['refresh', 'rename'])
      expect((await post(`/settings/registries/${id}/${verb}`, { name: 'x' }, other.cookie)).status).toBe(404);
    await post(`/settings/registries/${id}/unsubscribe`, {}, other.cookie);
    expect(await (await get('/settings/registries', one.cookie)).text()).toContain('Ours');
    for (const query of ['', `?registry=${id}`, '?q=secret', '?show=all'])
      expect(await (await get(`/apps${query}`, other.cookie)).text()).not.toContain('The secret');
  });

  test('have a policy that allows only their own script', async () => {
    const { cookie } = await signIn();
    for (const path of ['/sign-in', '/nowhere', '/settings/registries', '/settings/registries/none']) {
      const answer = await get(path, path === '/sign-in' ? '' : cookie);
      const policy = answer.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.text()).not.toMatch(/<[^>]+\s(style|on\w+)=|<script>|<style/);
    }
  });

  test('serve icons only as images', async () => {
    const { id, cookie } = await signIn();
    const registry = await addRegistry(web.db, 'https://apps.test/icons.json');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const icon = await addIcon(web.db, Buffer.from(svg), 'image/svg+xml');
    await addApp(web.db, registry, 'icon', { icon });
    await addSubscription(web.db, id, registry);
    const answer = await get(`/icons/${icon.toString('hex')}`, cookie);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    expect((await get(`/icons/${icon.toString('hex')}`)).status).toBe(404);
  });

  test('show apps whose keys have a meaning in paths', async () => {
    const { id, cookie } = await signIn();
    const registry = await addRegistry(web.db, 'https://apps.test/unusual-keys.json');
    const keys = ['..', '', 'a/b?c#d', '%2e%2e', 'ü"\'<'];
    for (const key of keys) await addApp(web.db, registry, key, { name: `Name of ${key}` });
    const own = await addSubscription(web.db, id, registry);
    const page = await (await get(`/settings/registries/${own}`, cookie)).text();
    for (const key of keys) {
      const href = `/apps/${own}?${new URLSearchParams({ key }).toString()}`;
      expect(page).toContain(`"${href.slice(1)}"`);
      const answer = await get(href, cookie);
      expect(answer.status).toBe(200);
    }
  });

  test('search and filter apps', async () => {
    const { id, cookie } = await signIn();
    const registry = await addRegistry(web.db, 'https://apps.test/search.json');
    await addApp(web.db, registry, 'clock');
    await addApp(web.db, registry, 'lamp', { visible: false, because: ['app-key-unsafe'] });
    const own = await addSubscription(web.db, id, registry);
    const names = async (query: string): Promise<string[]> => {
      const page = await (await get(`/settings/registries/${own}?${query}`, cookie)).text();
      return ['The clock', 'The lamp'].filter((name) => page.includes(name));
    };
    expect(await names('')).toEqual(['The clock', 'The lamp']);
    expect(await names('q=LAMP')).toEqual(['The lamp']);
    expect(await names('show=hidden')).toEqual(['The lamp']);
    expect(await names('show=visible')).toEqual(['The clock']);
    expect(await names('q=lamp&show=visible')).toEqual([]);
    expect(await names('q=%E2%80%8B')).toEqual(['The clock', 'The lamp']);
    expect(await names('page=2')).toEqual(['The clock', 'The lamp']);
    expect(await names('page=x&sort=newest')).toEqual(['The clock', 'The lamp']);
  });

  test('show the apps of all registries for a registry that the organization unsubscribed from', async () => {
    const { id, cookie } = await signIn();
    const registry = await addRegistry(web.db, `https://apps.test/left-${id}.json`);
    await addApp(web.db, registry, 'clock');
    await addSubscription(web.db, id, registry);
    const text = await (await get('/apps?show=all&registry=018f0000-0000-7000-8000-000000000000', cookie)).text();
    expect(text).toContain('/clock"');
  });

  test('shorten a search between two characters, not within one', async () => {
    const { cookie } = await signIn();
    const answer = await get(`/apps?q=${'a'.repeat(199)}%F0%9F%98%80`, cookie);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(`value="${'a'.repeat(199)}"`);
  });

  test('request a refresh, also shortly after a check, and return to the same tab', async () => {
    const { id, cookie } = await signIn();
    const old = await addRegistry(web.db, 'https://apps.test/old.json');
    const registry = await addRegistry(web.db, 'https://apps.test/fresh.json', { checkedAt: new Date() });
    const [due, recent] = [await addSubscription(web.db, id, old), await addSubscription(web.db, id, registry)];
    web.refreshes.length = 0;
    const answer = await post(`/settings/registries/${due}/refresh`, { tab: 'health' }, cookie);
    expect(web.refreshes).toEqual([old]);
    expect(answer.headers.get('location')).toMatch(`/settings/registries/${due}/health?requested=`);
    expect(await (await get(answer.headers.get('location')!, cookie)).text()).toContain('Checking…');
    const soon = await post(`/settings/registries/${recent}/refresh`, {}, cookie);
    expect(web.refreshes).toEqual([old, registry]);
    expect(await (await get(soon.headers.get('location')!, cookie)).text()).toContain('Checking…');
  });

  test('show the end of a check beside a form, but replace no page that a form responded with', async () => {
    const { id, cookie } = await signIn();
    const registry = await addRegistry(web.db, 'https://apps.test/beside.json', { nextCheckAt: new Date() });
    const path = `/settings/registries/${await addSubscription(web.db, id, registry)}/settings`;
    const page = await (await get(path, cookie)).text();
    expect([/data-again/.test(page), /http-equiv/.test(page)]).toEqual([true, false]);
    expect(await (await post(`${path}/rename`, { name: '' }, cookie)).text()).not.toContain('data-again');
  });

  test('contain only links below the path of a proxy', async () => {
    const proxied = web.app({ publicUrl: 'https://flows.test/registries/', openSignUp: true });
    const { token } = await web.join();
    const own = { 'sec-fetch-site': 'same-origin', origin: 'https://flows.test' };
    const answer = await post('/sign-in', { token, next: '/apps' }, '', own, proxied);
    expect(answer.headers.get('location')).toBe('/registries/apps');
    const cookie = cookieOf(answer);
    const page = await (await get('/settings/organization', cookie, proxied)).text();
    expect(page).toContain('<base href="/registries/" />');
    const links = [...page.matchAll(/ (?:href|action|src)="([^"]*)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(8);
    for (const link of links) expect(new URL(link, 'https://flows.test/registries/').href).toMatch(/\/registries\//);
    expect(page).toContain('href="./settings/organization#main"');
    expect(await (await get('///evil.test', '', proxied)).text()).toContain('href=".///evil.test#main"');
  });

  test('respond to unknown paths with a page for browsers and a problem document for programs', async () => {
    const people = await get('/nowhere');
    expect([people.status, people.headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')]);
    const program = await app.request('/nowhere');
    expect(program.headers.get('content-type')).toBe('application/problem+json');
    expect((await get('/api/nowhere')).headers.get('content-type')).toBe('application/problem+json');
  });

  test('respond to unknown paths with the navigation for members, and without it for others', async () => {
    const { token } = await web.join();
    const cookie = cookieOf(await post('/sign-in', { token, next: '/apps' }));
    const answer = await get('/settings/nowhere', cookie);
    const page = await answer.text();
    expect(answer.status).toBe(404);
    expect(page).toContain('<nav aria-label="Main">');
    expect(page).toContain('This page does not exist.');
    expect(page).not.toContain('sign-in');
    expect(await (await get('/settings/nowhere')).text()).toContain('href="sign-in"');
  });

  test('respond with status 503 and a hint to retry without a database', async () => {
    const { db } = openDatabase('postgres://127.0.0.1:2/none', 1, () => {});
    const lost = webApp({ ...web.service, db });
    const answer = await get('/apps', `appreg=${'x'.repeat(43)}`, lost);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.text()).toContain('Try again in a moment');
    expect(web.logged.at(-2)).toMatchObject({ level: 'warn', event: 'database-error', fault: 'unreachable' });
    await db.destroy();
  });

  test('serve versioned assets as immutable', async () => {
    const page = await (await get('/sign-in')).text();
    const href = `/${/href="(assets\/style\.css\?v=\w+)"/.exec(page)![1]!}`;
    expect((await get(href)).headers.get('cache-control')).toContain('immutable');
    expect((await get('/assets/style.css')).headers.get('cache-control')).toBe('no-cache');
    expect((await get('/assets/..%2froutes.ts')).status).toBe(404);
    expect((await get('/assets/constructor')).status).toBe(404);
  });
});

// Scenario: every page shows every hostile text in a browser.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PAGE_HEADERS } from '../../src/ui/request.ts';
import { type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { allowing, openWebFixture, type WebFixture } from '../web-fixture.ts';
import { encoded, type HostileWorld, openHostileWorld, wellFormed } from './hostile-world.ts';
import { FORBIDDEN, parsePage, type ParsedPage } from './parsed-page.ts';

/**
 * Hostile texts in every field that a registry, a member or a stranger can set. No page has an element, an attribute or
 * a URL that comes from one. The pages and forms are those of the application: one that this file does not know fails.
 */

vi.setConfig({ testTimeout: 120_000 });

const LONG = 'A'.repeat(5000);
/** What follows the mark of a field. The parts that matter come first, since pages shorten texts. */
const PAYLOADS: Record<string, string> = {
  'an element': '<script>zqx()</script><img src=x onerror=zqx()>',
  'the end of an attribute': '" onmouseover="zqx()" style="color:red" x="',
  'the end of an attribute in single quotes': "' onfocus='zqx()' autofocus x='",
  'the end of an element': '</title></textarea></style></script></noscript><svg onload=zqx()>',
  'the end of a comment': '--><!--><iframe srcdoc=zqx></iframe><!--',
  'an attribute without quotes': ' onclick=zqx() href=javascript:zqx() ',
  'URLs that run': 'javascript:zqx()//data:text/html,<script>zqx()</script>',
  'references that browsers decode': '&lt;script&gt;&#60;b&#62;&quot; onclick=&quot;zqx()',
  'marks that reorder text': '\u202e\u2066\u200f\u2028gnp.exe',
  'control characters': '\0\u001b[31m\u009b2J\r\n\u0008\ud800',
  'a template': '${zqx()}{{zqx()}}`<%= zqx() %>',
  'a long text': LONG,
};

let web: WebFixture;
let host: FaultHost;
let app: ReturnType<WebFixture['app']>;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({ openSignUp: true }, allowing(100_000));
});
afterAll(() => web.stop());

const ORIGIN = 'http://localhost';

/** The paths of each page. */
function pathsOf(
  { registry, webhook, token, icon, keys }: HostileWorld['ids'],
  text: string,
): Record<string, string[]> {
  const at = (path: string): string[] => [path, `${path}?${queryOf(text)}`];
  const list = '/settings/registries';
  return {
    '/': at('/'),
    '/sign-in': at('/sign-in'),
    '/sign-up': at('/sign-up'),
    '/settings': at('/settings'),
    '/settings/organization': at('/settings/organization'),
    '/apps': [...at('/apps'), '/apps?filter=all&q=zq', '/apps?order=newest'],
    '/apps/:id': [`/apps/${registry}?key=${encodeURIComponent(keys[0]!)}`, ...at(`/apps/${registry}`)],
    '/apps/:id/:key': [...at(`/apps/${registry}/plain-key`), `/apps/${registry}/${encoded(text)}`],
    '/icons/:digest': [`/icons/${icon}`, `/icons/${encoded(text)}`],
    [list]: at(list),
    [`${list}/subscribe`]: at(`${list}/subscribe`),
    [`${list}/:id`]: [...at(`${list}/${registry}`), `${list}/${encoded(text)}`],
    [`${list}/:id/health`]: at(`${list}/${registry}/health`),
    [`${list}/:id/report.json`]: [`${list}/${registry}/report.json`],
    [`${list}/:id/report.md`]: [`${list}/${registry}/report.md`],
    [`${list}/:id/settings`]: at(`${list}/${registry}/settings`),
    [`${list}/:id/policy`]: at(`${list}/${registry}/policy`),
    [`${list}/:id/unsubscribe`]: at(`${list}/${registry}/unsubscribe`),
    [`${list}/:id/history`]: [...at(`${list}/${registry}/history`), `${list}/${registry}/history?app=${encoded(text)}`],
    '/settings/history': at('/settings/history'),
    '/settings/tokens': at('/settings/tokens'),
    '/settings/tokens/:id/delete': at(`/settings/tokens/${token}/delete`),
    '/settings/audit': [...at('/settings/audit'), '/settings/audit?outcome=refused'],
    '/settings/webhooks': at('/settings/webhooks'),
    '/settings/webhooks/:id': at(`/settings/webhooks/${webhook}`),
    '/settings/webhooks/:id/delete': at(`/settings/webhooks/${webhook}/delete`),
    ...addressesOfForms(registry, webhook, text),
  };
}

/** The addresses of forms that are no pages: they redirect. */
function addressesOfForms(registry: string, webhook: string, text: string): Record<string, string[]> {
  const [settings, ofWebhook] = ['/settings/registries/:id', '/settings/webhooks/:id'];
  const addresses = [
    '/sign-out',
    '/settings/organization/token',
    ...['refresh', 'settings/rename', 'settings/auth', 'settings/attestations'].map((name) => `${settings}/${name}`),
    ...['test', 'secret', 'enable', 'disable', 'deliveries/:delivery'].map((name) => `${ofWebhook}/${name}`),
  ];
  return Object.fromEntries(
    addresses.map((path) => {
      const filled = (id: string): string => path.replace(/:\w+/g, id);
      return [path, [filled(path.startsWith(settings) ? registry : webhook), filled(encoded(text))]];
    }),
  );
}

function queryOf(text: string): string {
  const names = [
    'q',
    'next',
    'done',
    'requested',
    'page',
    'filter',
    'order',
    'registry',
    'after',
    'key',
    'type',
    'app',
  ];
  return new URLSearchParams(Object.fromEntries(names.map((name) => [name, wellFormed(text)]))).toString();
}

const routesOf = (method: string): string[] => [
  ...new Set(
    app.routes
      .filter(
        (route) =>
          route.method === method && !/^\/api\/|\*|^\/(assets\/:name|healthz|readyz|metrics)$/.test(route.path),
      )
      .map(({ path }) => path),
  ),
];

async function request(path: string, cookie: string, fields?: Record<string, string>): Promise<Response> {
  const headers = { accept: 'text/html', cookie, 'sec-fetch-site': 'same-origin', host: 'localhost' };
  if (fields === undefined) return app.request(path, { headers });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return app.request(path, { method: 'POST', body: new URLSearchParams(fields), headers: { ...headers, ...type } });
}

async function signIn(token: string): Promise<string> {
  return (await request('/sign-in', '', { token })).headers.get('set-cookie')!.split(';')[0]!;
}

/** What is wrong with a response, and the page if it is one. */
async function checked(response: Response, path: string): Promise<ParsedPage> {
  const { headers } = response;
  const faults: string[] = [];
  const expectHeader = (name: string, expected: string | RegExp): void => {
    const value = headers.get(name) ?? '';
    const fits = typeof expected === 'string' ? value === expected : expected.test(value);
    if (!fits) faults.push(`${name}: ${value}`);
  };
  const location = headers.get('location');
  if (location !== null && new URL(location, ORIGIN).origin !== ORIGIN) faults.push(`location: ${location}`);
  const text = await response.text();
  const page: ParsedPage = { text: '', faults: [], forms: [] };
  const type = headers.get('content-type') ?? '';
  if (text !== '') expectHeader('x-content-type-options', 'nosniff');
  if (type === 'image/svg+xml') expectHeader('content-security-policy', /^default-src 'none';.* sandbox/);
  else if (text !== '' && !type.startsWith('text/html'))
    expectHeader('content-security-policy', /^default-src 'none';/);
  if (type.startsWith('text/html')) {
    expectHeader('content-security-policy', PAGE_HEADERS['Content-Security-Policy']!);
    Object.assign(page, parsePage(text, `${ORIGIN}${path}`));
  } else if (text !== '' && type !== 'image/svg+xml') {
    expectHeader('content-type', /^(application\/json|application\/problem\+json|text\/plain; charset=utf-8)$/);
    if (FORBIDDEN.test(text)) faults.push(`a forbidden character`);
  }
  return { ...page, faults: [...faults, ...page.faults].map((fault) => `${path.slice(0, 100)}: ${fault}`) };
}

describe.each(Object.keys(PAYLOADS))('%s', (name) => {
  const payload = PAYLOADS[name]!;
  let world: HostileWorld;
  beforeAll(async () => {
    host = await openFaultHost();
    world = await openHostileWorld(web, host, payload);
  }, 60_000);
  afterAll(() => host.close());

  test('in stored texts and in queries stays text, and is shown', async () => {
    const cookie = await signIn(world.token);
    const paths = pathsOf(world.ids, `zqquery${payload}`);
    expect(Object.keys(paths).toSorted()).toEqual(routesOf('GET').toSorted());
    let shown = '';
    const faults: string[] = [];
    for (const path of [...Object.values(paths).flat(), `/unknown/${encoded(payload)}`])
      for (const who of [cookie, '']) {
        const page = await checked(await request(path, who), path);
        faults.push(...page.faults);
        shown += page.text;
      }
    expect(faults).toEqual([]);
    expect(world.marks.filter((mark) => !shown.includes(mark))).toEqual([]);
    expect(shown).toContain('zqquery');
  });

  test('in every field of every form stays text', async () => {
    const cookie = await signIn(world.token);
    const visited = new Set<string>();
    const faults: string[] = [];
    const forms = new Map<string, { action: string; fields: string[] }>();
    for (const path of Object.values(pathsOf(world.ids, 'x')).flat())
      for (const who of [cookie, ''])
        for (const { action, fields, method } of (await checked(await request(path, who), path)).forms)
          if (method === 'POST') forms.set(action, { action, fields });
    const enable = `/settings/webhooks/${world.ids.webhook}/enable`;
    forms.set(enable, { action: enable, fields: [] });
    for (const { action, fields } of [...forms.values()].toSorted((a, b) => isLast(a) - isLast(b))) {
      visited.add(routeOf(action));
      const text = wellFormed(`zqtyped${payload}`);
      // With a session that the form before did not end.
      const fresh = await signIn(world.token);
      for (const of of [fields, ...fields.map((field) => [field])]) {
        const typed = Object.fromEntries(of.map((field) => [field, text]));
        faults.push(...(await checked(await request(action, fresh, typed), action)).faults);
      }
    }
    expect(faults).toEqual([]);
    expect([...visited].toSorted()).toEqual(routesOf('POST').toSorted());
  });
});

/** 1 for a form that ends what other forms are about. */
function isLast({ action }: { action: string }): number {
  return Number(/delete|unsubscribe|sign-out|disable|token$/.test(action));
}

/** The route of a form. */
function routeOf(action: string): string {
  const fits = routesOf('POST').filter((route) =>
    new RegExp(`^${route.replace(/:\w+(\{[^}]*\})?/g, '[0-9a-f-]{36}')}$`).test(action),
  );
  return fits[0] ?? action;
}

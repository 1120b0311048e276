import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Db } from '../../src/db/database.ts';
import type { WebFixture } from '../web-fixture.ts';
import { callApi, OPERATIONS } from './contract.ts';

/**
 * Everything that an organization can read: the routes of the OpenAPI document, the pages of the application, and the
 * bodies of its webhooks. A route with an unknown parameter fails.
 */

export interface Subscriber {
  token: string;
  organization: string;
  /** The subscription. */
  id: string;
  /** Values of path parameters. */
  values: Record<string, string>;
}

type App = ReturnType<WebFixture['app']>;

export const OF_ORGANIZATIONS = OPERATIONS.filter(
  ({ security }) => security.length > 0 && !security.some((way) => Object.keys(way).length === 0 || 'operator' in way),
);

/** The path with the values of its parameters. */
export function filled(path: string, { values }: Subscriber): string {
  return path.replace(/\{(\w+)\}|:(\w+)/g, (_, name?: string, other?: string) => {
    const value = values[name ?? other ?? ''];
    if (value === undefined) throw new Error(`This test has no value for “${path}”.`);
    return value;
  });
}

/** The texts of all responses, by route. */
export async function readEverything(db: Db, app: App, of: Subscriber): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { method, path } of OF_ORGANIZATIONS)
    if (method === 'GET') texts.set(path, (await callApi(app, 'GET', filled(path, of), of)).text);
  const cookie = await openSession(app, of);
  for (const page of pages(app)) {
    const response = await app.request(filled(page, of), { headers: { accept: 'text/html', cookie } });
    texts.set(page, `${response.status} ${await response.text()}`);
  }
  const { rows } = await sql<{ body: string }>`SELECT body FROM webhook_deliveries
    WHERE webhook_id IN (SELECT id FROM webhooks WHERE organization_id = ${of.organization})`.execute(db);
  texts.set('deliveries', rows.map(({ body }) => body).join());
  return texts;
}

async function openSession(app: App, { token }: Subscriber): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const response = await app.request('/sign-in', { method: 'POST', headers, body: new URLSearchParams({ token }) });
  return response.headers.get('set-cookie')!.split(';')[0]!;
}

/** All pages of the application, with the queries that show more of them. */
function pages(app: App): string[] {
  const paths = app.routes.filter(({ method, path }) => method === 'GET' && !path.startsWith('/api/'));
  const own = new Set(
    paths.map(({ path }) => path).filter((path) => !/\*|assets|^\/(healthz|readyz|metrics)$/.test(path)),
  );
  expect(own.size).toBeGreaterThan(15);
  return [...own, '/apps?q=canary', '/apps?order=newest', '/apps?filter=hidden', '/apps/:id?key=canary'];
}

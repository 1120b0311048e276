import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { openLog } from '../../src/log.ts';
import { createOrganization } from '../../src/db/organizations.ts';
import { webApp } from '../../src/web-app.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { expectNoSecret, textOfBytes } from '../../../test/support/leaks.ts';
import { checksum, gzipped, putRegistry } from '../../../test/support/live-registry.ts';
import { PLANTED } from '../../../test/support/planted.ts';
import { entry, tgz } from '../../../test/support/tar-builder.ts';
import { openRefreshHarness, type RefreshHarness } from '../refresh/refresh-harness.ts';
import { callApi } from './contract.ts';

/** The secrets in an artifact of a registry are in no table, response, page and log line of the service. */

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
  harness = await openRefreshHarness();
});
afterAll(async () => {
  await harness.stop();
  await host.close();
});

function asText(value: unknown): string {
  return Buffer.isBuffer(value) ? textOfBytes(value) : JSON.stringify(value);
}

/** All rows of all tables; what is packed in a column is unpacked. */
async function tablesAsText(): Promise<Map<string, string>> {
  const { db } = harness;
  const tables = await db.introspection.getTables();
  const texts = new Map<string, string>();
  for (const { schema, name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(`${schema}.${name}`)}`.execute(db);
    const values = rows.flatMap((row) => Object.values(row));
    texts.set(name, values.map(asText).join('\n'));
  }
  return texts;
}

test('planted secrets are found, and their values are nowhere', { timeout: 60_000 }, async () => {
  const live = putRegistry(host);
  const files = PLANTED.map(({ entry: path, text }, i) => entry(`${i}/${path}`, text));
  const bytes = tgz(entry('app.js', 'export {};\n'), ...files);
  live.versions[0]!.artifactChecksum = checksum(bytes);
  live.list();
  live.serve('2.tar.gz', gzipped(bytes));

  const { context, db, lines } = harness;
  const log = openLog((line) => void lines.push(line));
  const app = webApp({ ...context, log, stopping: new AbortController().signal, async requestRefresh() {} });
  const created = await createOrganization(db, 'Acme', null, SERVICE_ACTOR);
  const token = created.token!.secret;
  const responses: string[] = [];
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await callApi(app, method, `/api/${path}`, { token, ...(body !== undefined && { body }) });
    expect(response.status, path).toBeLessThan(300);
    responses.push(JSON.stringify([...response.headers]), response.text);
    return response.json;
  };
  const made = await call('POST', 'registries/subscribe', { url: live.url, name: 'Live' });
  const { id } = made.subscription;
  const { id: registry } = await db.selectFrom('registries').select('id').executeTakeFirstOrThrow();
  await harness.refresh(registry);
  // The second refresh uses the stored facts.
  await harness.refresh(registry, 25);

  const report = await call('GET', `registries/${id}/report`);
  const found = report.findings.filter(({ rule }: { rule: string }) => rule === 'artifact-secret');
  expect(found).toMatchObject([{ app: 'app-a', version: '2.0.0', severity: 'warning' }]);
  for (const path of ['registries', `registries/${id}`, 'apps', `registries/${id}/apps`, 'organization'])
    await call('GET', path);
  const { icon } = await call('GET', `registries/${id}/apps/app-a`);
  const { versions } = await call('GET', `registries/${id}/apps/app-a/versions`);
  expect(versions).toHaveLength(2);
  await call('GET', `icons/${icon}`);
  await call('POST', `registries/${id}/refresh`);

  const pages = await pagesOf(app, token);
  expect(pages.size).toBeGreaterThan(6);
  expect([...pages.values()].join('\n')).toContain(found[0].evidence.fingerprint);

  const tables = await tablesAsText();
  for (const name of ['registries', 'apps']) expect(tables.get(name), name).toContain(found[0].evidence.fingerprint);
  expect(lines.length).toBeGreaterThan(5);
  for (const text of [
    ...responses,
    ...pages.values(),
    ...tables.values(),
    ...lines,
    await context.metrics.registry.metrics(),
  ])
    expectNoSecret(text);
});

/** All pages that a member reaches by links, by their path. */
async function pagesOf(app: ReturnType<typeof webApp>, token: string): Promise<Map<string, string>> {
  const signIn = await app.request('/sign-in', {
    method: 'POST',
    body: new URLSearchParams({ token }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      origin: 'http://localhost',
      host: 'localhost',
    },
  });
  const cookie = signIn.headers.get('set-cookie')!.split(';')[0]!;
  const pages = new Map<string, string>();
  const queue = ['/settings/registries', '/apps'];
  for (let path = queue.shift(); path !== undefined && pages.size < 60; path = queue.shift()) {
    if (pages.has(path)) continue;
    const response = await app.request(path, { headers: { accept: 'text/html', cookie } });
    const text = await response.text();
    pages.set(path, text);
    expect(response.status, path).toBeLessThan(400);
    const base = new URL(/<base href="([^"]*)"/.exec(text)?.[1] ?? '', `http://localhost${path}`);
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      const { origin, pathname, search } = new URL(href.replaceAll('&amp;', '&'), base);
      if (origin === 'http://localhost') queue.push(pathname + search);
    }
  }
  return pages;
}

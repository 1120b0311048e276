import type { Selectable } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RegistryRow } from '../../src/db/tables/tables.ts';
import {
  answer,
  byMethod,
  CORS,
  type FaultHost,
  openFaultHost,
  raw,
  redirect,
  tagged,
} from '../../../test/support/fault-host.ts';
import { archive, checksum, faults, gzipped, SVG, verified } from '../../../test/support/live-registry.ts';
import { openAddressPolicy } from '../../src/config/outbound.ts';
import { refreshRegistry } from '../../src/refresh/refresh.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** What a refresh stores about a registry, and what remains valid while the registry changes. */

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(() => host.close());

interface Version {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
}

/** A registry on the host, by app: its versions, each with the text in its artifact. */
function serve(apps: Record<string, Record<string, string>>): string {
  const listed: Record<string, object> = {};
  for (const [key, versions] of Object.entries(apps)) {
    listed[key] = {
      name: `App ${key}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/${key}.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${key}.json`,
    };
    host.on(
      `/${key}.svg`,
      byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }),
    );
    list(
      key,
      Object.entries(versions).map(([version, text]) => published(key, version, text)),
    );
  }
  return host.on('/registry.json', tagged(JSON.stringify({ apps: listed })));
}

function published(key: string, version: string, text: string): Version {
  const bytes = archive(text);
  const artifactUrl = host.on(`/${key}-${version}.tar.gz`, gzipped(bytes));
  return { version, artifactUrl, artifactChecksum: checksum(bytes) };
}

function list(key: string, versions: readonly object[]): void {
  host.on(`/${key}.json`, tagged(JSON.stringify({ versions })));
}

const registry = (id: number): Promise<Selectable<RegistryRow>> =>
  harness.db.selectFrom('registries').where('id', '=', id).selectAll().executeTakeFirstOrThrow();

async function apps(id: number): Promise<Record<string, unknown>> {
  const rows = await harness.db.selectFrom('apps').where('registryId', '=', id).selectAll().orderBy('key').execute();
  return Object.fromEntries(
    rows.map((row) => [row.key, `${row.listed ? '' : 'not listed '}${row.visible} ${row.latest}`]),
  );
}

async function versions(id: number): Promise<Record<string, string>> {
  const rows = await harness.db
    .selectFrom('versions')
    .where('registryId', '=', id)
    .selectAll()
    .orderBy('version')
    .execute();
  return Object.fromEntries(
    rows.map((row) => [
      `${row.appKey} ${row.version}`,
      [row.state, row.rule, row.swappedChecksum && 'swapped', row.withdrawnAt && 'withdrawn'].filter(Boolean).join(' '),
    ]),
  );
}

describe('a correct registry', () => {
  test('is offered once its artifacts are verified', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one', '2.0.0': 'two' }, b: { '1.0.0': 'b' } }));
    expect(await harness.refresh(id)).toBe('good');
    expect(await apps(id)).toEqual({ a: 'true 2.0.0', b: 'true 1.0.0' });
    expect(await versions(id)).toEqual({ 'a 1.0.0': 'verified', 'a 2.0.0': 'verified', 'b 1.0.0': 'verified' });
    const row = await registry(id);
    expect(row).toMatchObject({ errors: 0, failures: 0, failingSince: null, resumeAfter: null });
    expect(row.nextCheckAt.getTime() - row.checkedAt!.getTime()).toBe(3_600_000);
    expect(faults(await harness.report(id)).filter((one) => one.startsWith('error'))).toEqual([]);
    const icon = await harness.db
      .selectFrom('apps')
      .innerJoin('icons', 'icons.sha256', 'apps.icon')
      .where('registryId', '=', id)
      .select(['type', 'bytes'])
      .executeTakeFirstOrThrow();
    expect([icon.type, icon.bytes.toString()]).toEqual(['image/svg+xml', SVG]);
  });

  test('costs one conditional request for each document, and one for each about file, while it is unchanged', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one', '2.0.0': 'two' }, b: { '1.0.0': 'b' } }));
    await harness.refresh(id);
    const first = faults(await harness.report(id));
    const before = await apps(id);
    for (const hours of [1.1, 2.2, 3.3]) {
      host.requests.length = 0;
      expect(await harness.refresh(id, hours)).toBe('good');
      expect(host.requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
        'GET /a.about.json',
        'GET /a.json',
        'GET /b.about.json',
        'GET /b.json',
        'GET /registry.json',
      ]);
      const listed = host.requests.filter(({ path }) => !path.endsWith('.about.json'));
      expect(listed.every(({ headers }) => headers['if-none-match'])).toBe(true);
      expect(faults(await harness.report(id))).toEqual(first);
    }
    expect(await apps(id)).toEqual(before);
    const { icon } = await harness.db
      .selectFrom('apps')
      .where('registryId', '=', id)
      .select('icon')
      .executeTakeFirstOrThrow();
    expect(icon).not.toBeNull();
  });

  test('is refreshed only if it is due and has a subscription', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one' } }));
    await harness.refresh(id);
    expect(await harness.refresh(id, 0.9)).toBe('not-due');
    await harness.db.deleteFrom('subscriptions').where('registryId', '=', id).execute();
    expect(await harness.refresh(id, 1.1)).toBe('no-subscribers');
    expect(await harness.refresh(987_654)).toBe('not-due');
  });
});

describe('a refresh reports the same as verify', () => {
  test.each<[string, () => void]>([
    ['a correct registry', () => {}],
    ['a missing metadata file', () => void host.on('/a.json', answer({ status: 404 }))],
    ['a missing icon', () => void host.on('/a.svg', answer({ status: 404 }))],
    ['a missing artifact', () => void host.on('/a-1.0.0.tar.gz', answer({ status: 404 }))],
    ['an artifact with other bytes', () => void host.on('/a-1.0.0.tar.gz', gzipped(archive('other')))],
    ['missing CORS headers', () => void host.on('/a.json', answer({ body: '{"versions":[]}' }))],
    ['a broken document', () => void host.on('/a.json', answer({ headers: CORS, body: '{"versions":[' }))],
    ['a host with status 503', () => void host.on('/a.json', answer({ status: 503 }))],
  ])('for %s, also the second time', async (_, breakIt) => {
    const url = serve({ a: { '1.0.0': 'one' }, b: { '1.0.0': 'b' } });
    breakIt();
    const { report } = await verified(url);
    const id = await harness.add(url);
    for (const hours of [0, 1.1]) {
      await harness.refresh(id, hours);
      expect(faults(await harness.report(id)).sort()).toEqual(faults(report).sort());
    }
  });
});

describe('published apps and versions', () => {
  test('remain valid if a version is swapped, withdrawn or rolled back', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one', '1.1.0': 'gone', '2.0.0': 'two' } }));
    await harness.refresh(id);
    const first = published('a', '1.0.0', 'one');
    list('a', [first, published('a', '2.0.0', 'swapped')]);
    expect(await harness.refresh(id, 1.1)).toBe('problems');
    expect(await versions(id)).toEqual({
      'a 1.0.0': 'verified',
      'a 1.1.0': 'verified withdrawn',
      'a 2.0.0': 'refused artifact-changed swapped',
    });
    expect(await apps(id)).toEqual({ a: 'true 1.0.0' });
    const found = faults(await harness.report(id)).join('\n');
    expect(found).toContain('error artifact-changed (metadata 2.0.0)');
    expect(found).toContain('error version-withdrawn (metadata 1.1.0)');
    const { artifactChecksum } = await harness.db
      .selectFrom('versions')
      .where('registryId', '=', id)
      .where('version', '=', '2.0.0')
      .select('artifactChecksum')
      .executeTakeFirstOrThrow();
    expect(artifactChecksum).toBe(checksum(archive('two')));

    list('a', [first]);
    await harness.refresh(id, 2.2);
    expect((await harness.report(id)).findings.find(({ cause }) => cause === 'newest')?.version).toBe('2.0.0');
    list('a', [first, published('a', '1.1.0', 'gone'), published('a', '2.0.0', 'two')]);
    expect(await harness.refresh(id, 3.3)).toBe('good');
    expect(Object.values(await versions(id))).toEqual(['verified', 'verified', 'verified']);
    expect(await apps(id)).toEqual({ a: 'true 2.0.0' });
  });

  test('do not include a version with other bytes than listed, until the listing or the file is fixed', async () => {
    serve({ a: { '1.0.0': 'one' } });
    const wrong = { ...published('a', '2.0.0', 'two'), artifactChecksum: checksum(archive('typo')) };
    list('a', [published('a', '1.0.0', 'one'), wrong]);
    const id = await harness.add(`${host.origin}/registry.json`);
    expect(await harness.refresh(id)).toBe('problems');
    expect(await versions(id)).toEqual({ 'a 1.0.0': 'verified', 'a 2.0.0': 'refused artifact-checksum-mismatch' });
    expect(await apps(id)).toEqual({ a: 'true 1.0.0' });
    list('a', [published('a', '1.0.0', 'one')]);
    expect(await harness.refresh(id, 1.1)).toBe('good');
    expect(Object.keys(await versions(id))).toEqual(['a 1.0.0']);
    list('a', [published('a', '1.0.0', 'one'), wrong]);
    expect(await harness.refresh(id, 2.2)).toBe('problems');
    list('a', [published('a', '1.0.0', 'one'), published('a', '2.0.0', 'two')]);
    expect(await harness.refresh(id, 3.3)).toBe('good');
    expect(await apps(id)).toEqual({ a: 'true 2.0.0' });
  });

  test('include a removed app, whose version is refused if it returns with other bytes', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one' }, b: { '1.0.0': 'b' } }));
    await harness.refresh(id);
    serve({ a: { '1.0.0': 'one' } });
    await harness.refresh(id, 1.1);
    expect(await apps(id)).toEqual({ a: 'true 1.0.0', b: 'not listed true 1.0.0' });
    expect(faults(await harness.report(id))).toContain('warning app-withdrawn (manifest)');
    serve({ a: { '1.0.0': 'one' }, b: { '1.0.0': 'other bytes now' } });
    await harness.refresh(id, 2.2);
    expect(await versions(id)).toEqual({ 'a 1.0.0': 'verified', 'b 1.0.0': 'refused artifact-changed swapped' });
  });

  test('do not include a removed app that was never offered', async () => {
    serve({ a: { '1.0.0': 'one' }, typo: {} });
    const id = await harness.add(`${host.origin}/registry.json`);
    await harness.refresh(id);
    expect(Object.keys(await apps(id))).toEqual(['a', 'typo']);
    serve({ a: { '1.0.0': 'one' } });
    await harness.refresh(id, 1.1);
    expect(Object.keys(await apps(id))).toEqual(['a']);
  });
});

describe('a refresh that fails', () => {
  test('preserves the last good state, and stores the time of the first failure', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one' } }));
    await harness.refresh(id);
    const good = await registry(id);
    host.on('/registry.json', answer({ status: 500 }));
    expect(await harness.refresh(id, 1.1)).toBe('failing');
    const first = await registry(id);
    expect(first).toMatchObject({ failures: 1, goodAt: good.goodAt, manifest: good.manifest });
    expect(first.failingSince).not.toBeNull();
    expect(first.nextCheckAt.getTime() - first.checkedAt!.getTime()).toBeLessThan(600_000);
    expect(await harness.refresh(id, 2.2)).toBe('failing');
    expect(await registry(id)).toMatchObject({ failures: 2, failingSince: first.failingSince });
    expect(await apps(id)).toEqual({ a: 'true 1.0.0' });
    expect(faults(await harness.report(id))).toContain('error unreachable status-500 (manifest)');
    serve({ a: { '1.0.0': 'one' } });
    expect(await harness.refresh(id, 3.3)).toBe('good');
    expect(await registry(id)).toMatchObject({ failures: 0, failingSince: null });
  });

  test.each([
    ['an HTML page', answer({ headers: { 'Content-Type': 'text/html' }, body: '<html>Log in</html>' })],
    ['broken JSON', answer({ body: '{"apps": {' })],
    ['an array of apps', answer({ body: '{"apps": []}' })],
    ['a response that is not HTTP', raw('hello\r\n\r\n')],
    ['a redirect loop', redirect('/registry.json')],
  ])('because of %s changes no app', async (_, behaviour) => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one' } }));
    await harness.refresh(id);
    host.on('/registry.json', behaviour);
    expect(await harness.refresh(id, 1.1)).toBe('failing');
    expect(await apps(id)).toEqual({ a: 'true 1.0.0' });
    expect((await harness.report(id)).summary.errors).toBeGreaterThan(0);
  });

  test('because its host is no longer allowed is reported as an error with the reason', async () => {
    const url = serve({ a: { '1.0.0': 'one' } });
    const id = await harness.add(url);
    await harness.refresh(id);
    const { context } = harness;
    const { guard } = context.outbound;
    context.outbound.guard = openAddressPolicy({ allowHosts: [], allowHttp: false, ownPorts: () => [] });
    await harness.refresh(id, 1);
    context.outbound.guard = guard!;
    const { findings } = await harness.report(id);
    expect(findings.find(({ severity }) => severity === 'error')).toMatchObject({
      rule: 'unreachable',
      cause: 'insecure-refused',
      message: expect.stringContaining('only to hosts that its operator allows') as string,
    });
  });

  test('for one metadata file preserves the versions of its app, and updates the others', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one' }, b: { '1.0.0': 'b' } }));
    await harness.refresh(id);
    host.on('/b.json', answer({ status: 404 }));
    list('a', [published('a', '1.0.0', 'one'), published('a', '1.1.0', 'more')]);
    expect(await harness.refresh(id, 1.1)).toBe('problems');
    const rows = await harness.db
      .selectFrom('apps')
      .where('registryId', '=', id)
      .select(['key', 'latest', 'failingSince'])
      .orderBy('key')
      .execute();
    expect(rows).toEqual([
      { key: 'a', latest: '1.1.0', failingSince: null },
      { key: 'b', latest: '1.0.0', failingSince: expect.any(Date) as Date },
    ]);
    serve({ a: { '1.0.0': 'one' }, b: { '1.0.0': 'b' } });
    await harness.refresh(id, 2.2);
    const after = await harness.db.selectFrom('apps').where('registryId', '=', id).select('failingSince').execute();
    expect(after.every(({ failingSince }) => failingSince === null)).toBe(true);
  });

  test('and is handed back stores no manifest that differs from its apps', async () => {
    const first = { a: { '1.0.0': 'one' } };
    const id = await harness.add(serve(first));
    await harness.refresh(id);
    serve({ ...first, b: { '1.0.0': 'b' } });
    host.on('/b.json', () => {});
    await harness.db
      .updateTable('registries')
      .set({ nextCheckAt: new Date(0) })
      .where('id', '=', id)
      .execute();
    const stopping = new AbortController();
    const refreshing = refreshRegistry(harness.context, id, stopping.signal);
    await expect.poll(async () => Object.keys(await apps(id))).toEqual(['a', 'b']);
    stopping.abort();
    expect(await refreshing).toBe('released');
    expect(Object.keys(await apps(id))).toEqual(['a', 'b']);
    serve(first);
    await harness.refresh(id, 0.1);
    expect(Object.keys(await apps(id))).toEqual(['a']);
  });

  test('is handed back if the node stops', async () => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one' } }));
    const stopping = new AbortController();
    host.on('/a.json', () => stopping.abort());
    expect(await refreshRegistry(harness.context, id, stopping.signal)).toBe('released');
    expect(await registry(id)).toMatchObject({ checkedAt: null });
  });
});

describe('icons are stored only if they are valid and safe:', () => {
  test.each<[string, string | Buffer, boolean]>([
    ['a valid icon', SVG, true],
    ['an icon with a script', SVG.replace('<rect', '<script>alert(1)</script><rect'), false],
    ['an icon with an event handler', SVG.replace('<rect', '<rect onload="x()"'), false],
    [
      'an icon with an external reference',
      SVG.replace('<rect', '<image href="https://evil.example/x.png"/><rect'),
      false,
    ],
    ['a broken icon', '<svg xmlns="http://www.w3.org/2000/svg"><rect>', false],
    ['an HTML page', '<html><body>no</body></html>', false],
    ['an icon that is too large', SVG.replace('<rect', `<desc>${'x'.repeat(1_000_000)}</desc><rect`), false],
  ])('%s', async (_, body, isStored) => {
    const id = await harness.add(serve({ a: { '1.0.0': 'one' } }));
    host.on('/a.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body }) }));
    await harness.refresh(id);
    const { icon } = await harness.db
      .selectFrom('apps')
      .where('registryId', '=', id)
      .select('icon')
      .executeTakeFirstOrThrow();
    expect(icon !== null).toBe(isStored);
  });

  test('two apps that show parts of one sprite share an icon, with separate fragments', async () => {
    const url = serve({ a: { '1.0.0': 'one' }, b: { '1.0.0': 'two' } });
    const app = (key: string): object => ({
      name: key,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/a.svg#${key}`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${key}.json`,
    });
    host.on('/registry.json', tagged(JSON.stringify({ apps: { a: app('a'), b: app('b') } })));
    const id = await harness.add(url);
    await harness.refresh(id);
    const rows = await harness.db
      .selectFrom('apps')
      .where('registryId', '=', id)
      .orderBy('key')
      .select(['icon', 'iconFragment'])
      .execute();
    expect(rows.map(({ iconFragment }) => iconFragment)).toEqual(['#a', '#b']);
    expect(rows[0]!.icon).not.toBeNull();
    expect(rows[0]!.icon!.equals(rows[1]!.icon!)).toBe(true);
  });
});

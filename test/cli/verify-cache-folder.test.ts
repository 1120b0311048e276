import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, tagged } from '../support/fault-host.ts';
import { gzipped, ORIGIN } from '../support/live-registry.ts';
import { cacheFixture, comparable, REVALIDATED } from './verify-cache-fixture.ts';

/** The folder of `verify --cache`: its files, what happens to unusable ones, and that it contains no secrets. */

const { cached, files, fixture, manifest } = cacheFixture();

describe('the cache folder', () => {
  test('contains files named by digests, which only the owner can read', async () => {
    await cached();
    for (const path of files()) {
      expect(path.slice(fixture.folder.length)).toMatch(
        /^[/\\]cache[/\\][0-9a-f]{32}[/\\]([0-9a-f]{32}|manifest)\.json$/,
      );
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(files()).toHaveLength(2);
  });

  test.each<[string, (text: string) => string]>([
    ['truncated', (text) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['a different document', () => '[1, 2]'],
    ['correctly structured with invalid facts', (text) => text.replaceAll('"hops":[', '"hops":[1,')],
  ])('ignores a file that is %s with a message, and rewrites it', async (_, spoil) => {
    const first = await cached();
    for (const path of files()) writeFileSync(path, spoil(readFileSync(path, 'utf8')));
    const second = await cached();
    expect(comparable(second.report)).toEqual(comparable(first.report));
    expect(second.requested).toEqual(first.requested);
    expect(second.logged).toEqual([expect.stringMatching(/2 files are not usable/)]);
    const third = await cached();
    expect([third.requested, third.logged]).toEqual([REVALIDATED, []]);
  });

  test('ignores a file of another format version without a message', async () => {
    await cached();
    for (const path of files()) writeFileSync(path, readFileSync(path, 'utf8').replace('{"cache":1', '{"cache":0'));
    const second = await cached();
    expect([second.requested.length, second.logged]).toEqual([5, []]);
  });

  test('drops apps that are no longer listed, and folders unused for a month', async () => {
    fixture.live.serve(
      'registry.json',
      tagged(JSON.stringify(manifest({ b: { appMetadataUrl: `${fixture.host.origin}/a.json` } }))),
    );
    await cached();
    expect(files()).toHaveLength(3);
    fixture.live.serve('registry.json', tagged(JSON.stringify(manifest())));
    await cached({ app: ['app-a'] });
    expect(files()).toHaveLength(3);
    await cached();
    expect(files()).toHaveLength(2);
    const [scope] = readdirSync(join(fixture.folder, 'cache'));
    const old = new Date(Date.now() - 40 * 86_400_000);
    utimesSync(join(fixture.folder, 'cache', scope!), old, old);
    await cached({ origin: [ORIGIN] });
    expect(readdirSync(join(fixture.folder, 'cache'))).not.toContain(scope);
  });

  test('is a usage error if it cannot be created', async () => {
    await expect(fixture.runs.verify(fixture.live.url, { cache: 'ca.pem/x' }, {})).rejects.toMatchObject({
      code: 'cache-unusable',
      exit: 2,
    });
  });

  test('is shared by parallel runs', async () => {
    const all = await Promise.all([cached(), cached(), cached(), cached()]);
    for (const { report, logged: remarks } of all)
      expect([report.outcome, remarks]).toEqual([all[0].report.outcome, []]);
    expect((await cached()).requested).toEqual(REVALIDATED);
  });
});

/** Only for requests with credentials, which it echoes. */
function guarded(body: string): ReturnType<typeof tagged> {
  return byMethod({
    GET: (request, socket) =>
      (request.headers['authorization']
        ? tagged(body, { 'X-Echo': request.headers['authorization'] })
        : answer({ status: 401 }))(request, socket),
  });
}

describe('the cache and secrets', () => {
  const SECRET = 's3cr3t-canary-value';

  test('contains no credentials, and is separate for each of them', async () => {
    fixture.live.serve('registry.json', guarded(JSON.stringify(manifest())));
    const header = { headerEnv: ['Authorization=TOKEN'] };
    await cached(header, { TOKEN: `Bearer ${SECRET}` });
    for (const path of files()) expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    expect((await cached(header, { TOKEN: `Bearer ${SECRET}` })).requested).toEqual(REVALIDATED);
    const other = await cached(header, { TOKEN: 'Bearer another-secret' });
    expect(other.requested).toEqual(['/1.tar.gz', '/2.tar.gz', '/a.json', '/a.svg', '/registry.json']);
    expect((await cached()).code).toBe(1);
  });

  test('omits a document with a secret, but not the artifacts that it lists', async () => {
    const signed = `${fixture.host.origin}/2.tar.gz?X-Amz-Signature=${SECRET}`;
    fixture.live.versions[0]!.artifactUrl = signed;
    fixture.live.list();
    await cached();
    for (const path of files()) expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    const second = await cached();
    expect(second.requested).toEqual(['/a.json', '/a.svg if changed', '/registry.json if changed']);
    expect(second.report.summary.artifacts).toBe(2);
  });

  test('omits the signature of a signed URL in a redirect', async () => {
    fixture.live.serve(
      '2.tar.gz',
      answer({ status: 302, headers: { ...CORS, Location: `/signed?X-Amz-Signature=${SECRET}` } }),
    );
    fixture.host.on('/signed', gzipped(fixture.live.artifact));
    const first = await cached();
    for (const path of files()) expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    const second = await cached();
    expect(second.requested).toEqual(REVALIDATED);
    expect(comparable(second.report)).toEqual(comparable(first.report));
  });
});

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mirror } from '../../src/mirror/mirror.ts';
import type { Mirrored, MirrorOptions } from '../../src/mirror/run.ts';
import { answer, type Behaviour, type FaultHost, openFaultHost, reset } from '../support/fault-host.ts';
import { gzipped, type Live, putRegistry } from '../support/live-registry.ts';

/** A mirror contains the companion files of the artifacts that it lists. */

let host: FaultHost;
let live: Live;
let root: string;
beforeAll(async () => void (host = await openFaultHost()));
afterAll(() => host.close());
beforeEach(() => {
  live = putRegistry(host);
  for (const path of PATHS) host.on(path, answer({ status: 404 }));
  root = mkdtempSync(join(tmpdir(), 'appreg-mirror-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const PATHS = ['/1.tar.gz.sigstore.json', '/1.tar.gz.cdx.json', '/2.tar.gz.sigstore.json', '/2.tar.gz.cdx.json'];
const [OLDER, , NEWEST] = PATHS as [string, string, string, string];
const COPY = 'apps/app-a/versions/2.0.0.tar.gz.sigstore.json';
const OLDER_COPY = 'apps/app-a/versions/1.0.0.tar.gz.sigstore.json';

function run(more: Partial<MirrorOptions> = {}): Promise<Mirrored> {
  host.requests.length = 0;
  return mirror(live.url, root, {
    base: 'https://mirror.example.com/r/',
    manifest: 'registry.json',
    apps: null,
    versions: 'all',
    prune: false,
    retries: 0,
    backoff: () => 1,
    ...more,
  });
}
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const isThere = (path: string): boolean => existsSync(join(root, path));
const requested = (): string[] =>
  host.requests
    .map(({ path }) => path)
    .filter((path) => PATHS.includes(path))
    .sort();
const file = (body: string): Behaviour => answer({ headers: { 'Content-Type': 'application/json' }, body });
const tagged =
  (body: string, etag: string): Behaviour =>
  (request, socket) =>
    (request.headers['if-none-match'] === etag
      ? answer({ status: 304, headers: { ETag: etag } })
      : answer({ headers: { ETag: etag }, body }))(request, socket);

test('a registry without them costs two requests for each app, and its result has none', async () => {
  expect(await run()).toMatchObject({ fetched: 2, companions: 0, problems: [] });
  expect(requested()).toEqual(['/2.tar.gz.cdx.json', '/2.tar.gz.sigstore.json']);
  await run({ skipCompanions: true });
  expect(requested()).toEqual([]);
});

test('they are copied byte for byte, of every version if the newest has one', async () => {
  host.on(NEWEST, file('{ "new": 1 }\n'));
  host.on(OLDER, file('{"old":1}'));
  expect(await run()).toMatchObject({ companions: 2, problems: [] });
  expect([read(COPY), read(OLDER_COPY)]).toEqual(['{ "new": 1 }\n', '{"old":1}']);
  expect(requested()).toEqual([OLDER, '/2.tar.gz.cdx.json', NEWEST].sort());
});

test('a second run does not receive them again, and fetches what was added', async () => {
  host.on(NEWEST, tagged('{"a":1}', '"v1"'));
  await run();
  host.on(OLDER, file('{"late":1}'));
  host.on(NEWEST, (request, socket) => {
    expect(request.headers['if-none-match']).toBe('"v1"');
    return answer({ status: 304 })(request, socket);
  });
  expect(await run()).toMatchObject({ companions: 1, problems: [] });
  expect([read(COPY), read(OLDER_COPY)]).toEqual(['{"a":1}', '{"late":1}']);
});

test.each<{ name: string; now: Behaviour; code: string }>([
  { name: 'that was changed', now: file('{"b":2}'), code: 'companion-changed' },
  { name: 'that was removed', now: answer({ status: 404 }), code: 'companion-removed' },
  { name: 'in place of which is a page', now: answer({ body: '<!doctype html>' }), code: 'companion-removed' },
  { name: 'with status 500', now: answer({ status: 500 }), code: 'unreachable' },
  { name: 'with an interrupted connection', now: reset(), code: 'unreachable' },
])('a copy is kept, and reported once: $name', async ({ now, code }) => {
  host.on(NEWEST, file('{"a":1}'));
  await run();
  host.on(NEWEST, now);
  const { problems, companions } = await run({ prune: true });
  expect(problems).toMatchObject([{ app: 'app-a', version: '2.0.0', code, url: host.origin + NEWEST }]);
  expect(companions).toBe(0);
  expect(read(COPY)).toBe('{"a":1}');
});

test.each<{ name: string; behaviour: Behaviour; codes: string[] }>([
  { name: 'status 403', behaviour: answer({ status: 403 }), codes: [] },
  { name: 'status 410', behaviour: answer({ status: 410 }), codes: [] },
  { name: 'a web page', behaviour: answer({ body: '<html><body>Not here' }), codes: [] },
  { name: 'status 503', behaviour: answer({ status: 503 }), codes: ['unreachable'] },
  { name: 'a text', behaviour: answer({ body: 'Not here' }), codes: ['companion-unreadable'] },
  { name: 'an array', behaviour: file('[]'), codes: ['companion-unreadable'] },
  { name: 'more than a megabyte', behaviour: file(`{"a":"${'x'.repeat(1e6)}"}`), codes: ['companion-too-large'] },
])('nothing is written for $name, and the version is listed', async ({ behaviour, codes }) => {
  host.on(NEWEST, behaviour);
  const { problems, versions } = await run();
  expect(problems.map(({ code }) => code)).toEqual(codes);
  expect(versions).toBe(2);
  expect(isThere(COPY)).toBe(false);
});

test('one that could not be requested is fetched by the next run', async () => {
  host.on(NEWEST, answer({ status: 503 }));
  await run();
  host.on(NEWEST, file('{"a":1}'));
  expect(await run()).toMatchObject({ companions: 1, problems: [] });
});

describe('a version that the mirror does not list', () => {
  test('has none, if its artifact is refused', async () => {
    host.on(NEWEST, file('{"a":1}'));
    host.on(OLDER, file('{"a":1}'));
    live.serve('2.tar.gz', gzipped('other'));
    expect(await run()).toMatchObject({ versions: 1, companions: 1, problems: [{ version: '2.0.0' }] });
    expect([isThere(COPY), isThere(OLDER_COPY)]).toEqual([false, true]);
  });

  test('has none, if the options leave it out', async () => {
    host.on(NEWEST, file('{"a":1}'));
    host.on(OLDER, file('{"a":1}'));
    await run({ versions: (version) => version === '1.0.0' });
    expect([isThere(COPY), isThere(OLDER_COPY)]).toEqual([false, true]);
    expect(requested()).toEqual(['/1.tar.gz.cdx.json', OLDER]);
  });

  test('loses it with --prune, and the others keep theirs', async () => {
    host.on(NEWEST, file('{"a":1}'));
    host.on(OLDER, file('{"b":1}'));
    await run();
    live.versions.pop();
    live.list();
    expect((await run()).pruned).toEqual([]);
    expect(isThere(OLDER_COPY)).toBe(true);
    const { pruned } = await run({ prune: true });
    expect(pruned.sort()).toEqual(['apps/app-a/versions/1.0.0.tar.gz', OLDER_COPY]);
    expect([isThere(COPY), isThere(OLDER_COPY)]).toEqual([true, false]);
  });
});

test('a version whose listed checksum changed keeps the companion file of the artifact in the mirror', async () => {
  host.on(NEWEST, file('{"a":1}'));
  await run();
  live.versions[0] = { ...live.versions[0]!, artifactChecksum: live.versions[1]!.artifactChecksum };
  live.list();
  host.on(NEWEST, file('{"b":1}'));
  expect((await run()).problems.map(({ code }) => code)).toEqual(['artifact-changed']);
  expect(read(COPY)).toBe('{"a":1}');
});

test('a file of others with the same name is neither replaced nor deleted', async () => {
  mkdirSync(join(root, 'apps/app-a/versions'), { recursive: true });
  writeFileSync(join(root, COPY), '{"mine":1}');
  host.on(NEWEST, file('{"a":1}'));
  expect((await run()).problems).toMatchObject([{ code: 'companion-changed' }]);
  live.versions.shift();
  live.list();
  await run({ prune: true });
  expect(read(COPY)).toBe('{"mine":1}');
});

test('nothing is requested beside a URL that is signed by its query', async () => {
  live.versions = live.versions.map((one) => ({ ...one, artifactUrl: `${one.artifactUrl}?X-Amz-Signature=abc` }));
  live.list();
  await run();
  expect(requested()).toEqual([]);
});

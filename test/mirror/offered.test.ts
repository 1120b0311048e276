import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mirror } from '../../src/mirror/mirror.ts';
import type { Mirrored } from '../../src/mirror/run.ts';
import { type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { checksum, gzipped, type Live, putRegistry } from '../support/live-registry.ts';

/** A mirror contains what a service would offer of the source. */

let host: FaultHost;
let live: Live;
let root: string;
beforeAll(async () => void (host = await openFaultHost()));
afterAll(() => host.close());
beforeEach(() => {
  live = putRegistry(host);
  host.requests.length = 0;
  root = mkdtempSync(join(tmpdir(), 'appreg-mirror-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(): Promise<Mirrored> {
  return mirror(live.url, root, {
    base: 'https://mirror.example.com/r/',
    manifest: 'registry.json',
    apps: null,
    versions: 'all',
    prune: false,
    backoff: () => 1,
  });
}
const listedVersions = (): string[] =>
  JSON.parse(readFileSync(join(root, 'apps/app-a/versions.json'), 'utf8')).versions.map(
    ({ version }: { version: string }) => version,
  );
const files = (): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' });
const artifactRequests = (): number => host.requests.filter(({ path }) => path.endsWith('.tar.gz')).length;
const listOnly = (versions: unknown[]): void => void host.on('/a.json', json({ versions }));

describe('what the service would not offer is left out, with the rule:', () => {
  const bad = Buffer.from('no archive');

  test('an artifact with the listed digest that is not an archive', async () => {
    live.serve('2.tar.gz', gzipped(bad));
    listOnly([{ ...live.versions[0], artifactChecksum: checksum(bad) }, live.versions[1]!]);
    const { problems } = await run();
    expect(problems).toMatchObject([{ app: 'app-a', version: '2.0.0', code: 'artifact-not-tar-gz' }]);
    expect(listedVersions()).toEqual(['1.0.0']);
    expect(files().filter((name) => name.includes('2.0.0'))).toEqual([]);
  });

  test('a version that is listed twice with different checksums', async () => {
    listOnly([live.versions[1]!, { ...live.versions[0], version: '1.0.0' }]);
    expect(await run()).toMatchObject({ apps: 0, problems: [{ version: '1.0.0', code: 'version-duplicate' }] });
  });

  test('a malformed checksum, and an entry that is not an object', async () => {
    listOnly([{ ...live.versions[0], artifactChecksum: 'TODO' }, live.versions[1]!, 'text']);
    const { problems } = await run();
    expect(problems.map(({ code }) => code).toSorted()).toEqual(['checksum-malformed', 'schema-violation']);
    expect(listedVersions()).toEqual(['1.0.0']);
  });

  test('an app that subscribers do not see, and one without a version is not an error', async () => {
    live.serve('registry.json', json({ apps: { 'app-a': { name: 'A' } } }));
    expect(await run()).toMatchObject({ apps: 0, problems: [{ app: 'app-a', code: 'schema-violation' }] });
    putRegistry(host);
    listOnly([]);
    expect(await run()).toMatchObject({ apps: 0, problems: [], unpublished: ['app-a'] });
  });

  test('an artifact that an interrupted run left in the folder', async () => {
    listOnly([{ ...live.versions[0], artifactChecksum: checksum(bad) }, live.versions[1]!]);
    mkdirSync(join(root, 'apps/app-a/versions'), { recursive: true });
    writeFileSync(join(root, 'apps/app-a/versions/2.0.0.tar.gz'), bad);
    writeFileSync(join(root, 'apps/app-a/versions/1.0.0.tar.gz'), live.older);
    expect(await run()).toMatchObject({ fetched: 0, problems: [{ version: '2.0.0', code: 'artifact-not-tar-gz' }] });
    expect(listedVersions()).toEqual(['1.0.0']);
    expect(artifactRequests()).toBe(0);
  });
});

test('versions that share an artifact are fetched once, and each has its file', async () => {
  live.versions[1] = { ...live.versions[0]!, version: '1.0.0' };
  live.list();
  expect(await run()).toMatchObject({ problems: [], versions: 2, fetched: 1 });
  for (const version of ['1.0.0', '2.0.0'])
    expect(existsSync(join(root, `apps/app-a/versions/${version}.tar.gz`))).toBe(true);
});

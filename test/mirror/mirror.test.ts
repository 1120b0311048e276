import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import type { AppFacts, DocumentFacts } from '../../src/core/facts/facts.ts';
import type { Mirrored, MirrorOptions } from '../../src/mirror/run.ts';
import { mirror } from '../../src/mirror/mirror.ts';
import { observeWorkspace } from '../../src/observe/workspace/observe-workspace.ts';
import { caseInsensitiveFolder } from '../support/case-insensitive.ts';
import { answer, type FaultHost, inTurn, json, openFaultHost, reset } from '../support/fault-host.ts';
import { checksum, gzipped, type Live, putRegistry } from '../support/live-registry.ts';

const BASE = 'https://mirror.example.com/r/';
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

function run(more: Partial<MirrorOptions> = {}): Promise<Mirrored> {
  return mirror(live.url, root, {
    base: BASE,
    manifest: 'registry.json',
    apps: null,
    versions: 'all',
    prune: false,
    backoff: () => 1,
    ...more,
  });
}
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const parsed = (path: string): any => JSON.parse(read(path));
const files = (): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.\w+$/.test(name) && !/^apps\/[^/]+$/.test(name))
    .sort();
const listedFiles = (): string[] =>
  (parsed('apps/app-a/versions.json').versions as { version: string }[]).map(({ version }) => version);
const artifactRequests = (): number => host.requests.filter(({ path }) => path.endsWith('.tar.gz')).length;

/** Errors that lint finds in the copy. */
async function errors(): Promise<string[]> {
  const apps: AppFacts[] = [];
  let manifest: DocumentFacts | null = null;
  const sink = {
    manifest: (facts: DocumentFacts) => void (manifest = facts),
    app: (facts: AppFacts) => void apps.push(facts),
    orphans() {},
  };
  await observeWorkspace({ root, manifest: 'registry.json', baseUrl: BASE }, sink, { nameOf: (name) => name });
  const report = judge(
    { snapshot: 1, target: '.', seenAt: new Date().toISOString(), origins: [], manifest: manifest!, apps, orphans: [] },
    { command: 'lint' },
  );
  return report.findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule);
}

test('a mirror contains everything with its own URLs, and lints clean', async () => {
  expect(await run()).toMatchObject({ apps: 1, versions: 2, fetched: 2, problems: [], kept: [], interrupted: false });
  expect(files()).toEqual([
    '.appreg-mirror.json',
    'apps/app-a/icon.svg',
    'apps/app-a/versions.json',
    'apps/app-a/versions/1.0.0.tar.gz',
    'apps/app-a/versions/2.0.0.tar.gz',
    'registry.json',
  ]);
  expect(parsed('registry.json').apps['app-a']).toMatchObject({
    appMetadataUrl: `${BASE}apps/app-a/versions.json`,
    blockStyle: { iconUrl: `${BASE}apps/app-a/icon.svg`, color: '#336699' },
  });
  expect(parsed('apps/app-a/versions.json').versions).toEqual(
    live.versions.map((one) => ({ ...one, artifactUrl: `${BASE}apps/app-a/versions/${one.version}.tar.gz` })),
  );
  expect(await errors()).toEqual([]);
});

test('artifacts that exist in the mirror are not downloaded again, also with a damaged state file', async () => {
  await run();
  host.requests.length = 0;
  expect(await run()).toMatchObject({ fetched: 0, bytes: 0 });
  writeFileSync(join(root, '.appreg-mirror.json'), '');
  expect(await run()).toMatchObject({ fetched: 0 });
  expect(artifactRequests()).toBe(0);
});

test('an artifact that was damaged on disk is downloaded again', async () => {
  await run();
  writeFileSync(join(root, 'apps/app-a/versions/1.0.0.tar.gz'), 'damaged');
  expect(await run()).toMatchObject({ fetched: 1, problems: [] });
  expect(await errors()).toEqual([]);
});

test('only a new version is downloaded', async () => {
  await run();
  const third = Buffer.from(live.artifact);
  live.versions.unshift({
    version: '3.0.0',
    artifactUrl: `${host.origin}/3.tar.gz`,
    artifactChecksum: checksum(third),
  });
  host.on('/3.tar.gz', gzipped(third));
  live.list();
  expect(await run()).toMatchObject({ fetched: 1 });
  expect(listedFiles()).toEqual(['3.0.0', '2.0.0', '1.0.0']);
});

test('unknown fields are preserved', async () => {
  host.on('/a.json', json({ note: 'x', versions: live.versions.map((one) => ({ ...one, released: '2026-01-01' })) }));
  await run();
  expect(parsed('apps/app-a/versions.json')).toMatchObject({ note: 'x', versions: [{ released: '2026-01-01' }, {}] });
});

describe('unavailable files', () => {
  test.each<{ name: string; breakIt: () => void; code: string }>([
    {
      name: 'an artifact with other bytes than listed',
      breakIt: () => live.serve('2.tar.gz', gzipped('other')),
      code: 'artifact-checksum-mismatch',
    },
    {
      name: 'an artifact with status 404',
      breakIt: () => live.serve('2.tar.gz', answer({ status: 404 })),
      code: 'unreachable',
    },
    {
      name: 'an artifact with an interrupted connection',
      breakIt: () => live.serve('2.tar.gz', reset()),
      code: 'unreachable',
    },
  ])('are left out and reported: $name', async ({ breakIt, code }) => {
    breakIt();
    const { problems, versions } = await run({ retries: 1 });
    expect(problems).toMatchObject([{ app: 'app-a', version: '2.0.0', code }]);
    expect(versions).toBe(1);
    expect(listedFiles()).toEqual(['1.0.0']);
    expect(existsSync(join(root, 'apps/app-a/versions/2.0.0.tar.gz'))).toBe(false);
    expect(files().filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(await errors()).toEqual([]);
  });

  test('are mirrored by the next run once they are available', async () => {
    live.serve('2.tar.gz', answer({ status: 500 }));
    await run({ retries: 0 });
    live.serve('2.tar.gz', gzipped(live.artifact));
    expect(await run()).toMatchObject({ fetched: 1, problems: [] });
    expect(listedFiles()).toEqual(['2.0.0', '1.0.0']);
  });

  test('from an interrupted attempt leave no bytes in the file of the next attempt', async () => {
    const long = Buffer.alloc(200_000, 1);
    live.serve(
      '2.tar.gz',
      inTurn(
        (_, socket) => void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n${long.toString('latin1')}`),
        gzipped(live.artifact),
      ),
    );
    expect(await run()).toMatchObject({ fetched: 2, problems: [] });
    expect(checksum(readFileSync(join(root, 'apps/app-a/versions/2.0.0.tar.gz')))).toBe(
      live.versions[0]!.artifactChecksum,
    );
  });

  test('include invalid metadata, which leaves out a new app and preserves a mirrored one', async () => {
    host.on('/a.json', answer({ body: '<html>' }));
    expect(await run()).toMatchObject({ apps: 0, problems: [{ code: 'document-unreadable' }] });
    live.list();
    await run();
    host.on('/a.json', answer({ status: 503 }));
    expect(await run({ retries: 0 })).toMatchObject({ apps: 1, problems: [{ code: 'unreachable' }] });
    expect(listedFiles()).toEqual(['2.0.0', '1.0.0']);
  });

  test('do not affect the fragment of an icon URL, which is preserved', async () => {
    await run();
    const { apps } = parsed('registry.json');
    const source = { ...apps['app-a'], appMetadataUrl: `${host.origin}/a.json` };
    source.blockStyle = { ...source.blockStyle, iconUrl: `${host.origin}/a.svg#clock` };
    live.serve('registry.json', json({ apps: { 'app-a': source } }));
    expect(await run()).toMatchObject({ apps: 1, problems: [] });
    expect(parsed('registry.json').apps['app-a'].blockStyle.iconUrl).toBe(`${BASE}apps/app-a/icon.svg#clock`);
    expect(await errors()).toEqual([]);
  });

  test('do not affect an icon that apps use with different fragments', async () => {
    await run();
    const { 'app-a': copied } = parsed('registry.json').apps;
    const withIcon = (fragment: string): object => ({
      ...copied,
      appMetadataUrl: `${host.origin}/a.json`,
      blockStyle: { ...copied.blockStyle, iconUrl: `${host.origin}/a.svg${fragment}` },
    });
    live.serve('registry.json', json({ apps: { 'app-a': withIcon(''), 'app-b': withIcon('#clock') } }));
    expect(await run()).toMatchObject({ apps: 2, problems: [] });
    expect(parsed('registry.json').apps['app-b'].blockStyle.iconUrl).toBe(`${BASE}apps/app-b/icon.svg#clock`);
    expect(read('apps/app-b/icon.svg')).toBe(read('apps/app-a/icon.svg'));
  });

  test('include an icon that is not an image, whose URL is preserved', async () => {
    live.serve('a.svg', answer({ body: '<html></html>' }));
    expect(await run()).toMatchObject({ apps: 1, problems: [{ code: 'icon-not-image' }] });
    expect(parsed('registry.json').apps['app-a'].blockStyle.iconUrl).toBe(`${host.origin}/a.svg`);
  });

  test('include an unusable manifest, for which nothing is written', async () => {
    live.serve('registry.json', answer({ body: '{}' }));
    await expect(run()).rejects.toMatchObject({ code: 'mirror-source-unusable', exit: 1 });
    expect(files()).toEqual([]);
  });
});

describe('the mirror preserves', () => {
  test('a version that has other bytes now', async () => {
    await run();
    live.versions[1] = { ...live.versions[1]!, artifactChecksum: checksum(live.artifact) };
    live.list();
    expect(await run()).toMatchObject({ problems: [{ code: 'artifact-changed', version: '1.0.0' }] });
    expect(parsed('apps/app-a/versions.json').versions[1].artifactChecksum).toBe(checksum(live.older));
    expect(await errors()).toEqual([]);
  });

  test('a version that the source withdrew, without --prune', async () => {
    await run();
    live.versions.pop();
    live.list();
    expect(await run()).toMatchObject({ kept: [{ app: 'app-a', version: '1.0.0' }], problems: [] });
    expect(listedFiles()).toEqual(['2.0.0', '1.0.0']);
    expect(await run({ prune: true })).toMatchObject({ kept: [], pruned: ['apps/app-a/versions/1.0.0.tar.gz'] });
    expect(listedFiles()).toEqual(['2.0.0']);
    expect(existsSync(join(root, 'apps/app-a/versions/1.0.0.tar.gz'))).toBe(false);
  });

  test('an app that the source withdrew, without --prune, and always files of others', async () => {
    await run();
    writeFileSync(join(root, 'apps/app-a/versions/mine.tar.gz'), 'mine');
    live.serve('registry.json', json({ apps: {} }));
    expect(await run()).toMatchObject({ apps: 1, kept: [{ app: 'app-a', version: null }] });
    expect((await run({ prune: true })).pruned).toHaveLength(2);
    expect(parsed('registry.json').apps).toEqual({});
    expect(read('apps/app-a/versions/mine.tar.gz')).toBe('mine');
  });
});

describe('a partial mirror', () => {
  test.each<{ name: string; options: Partial<MirrorOptions>; expected: string[] }>([
    { name: 'the latest version', options: { versions: 'latest' }, expected: ['2.0.0'] },
    { name: 'versions of a range', options: { versions: (version) => version.startsWith('1.') }, expected: ['1.0.0'] },
  ])('contains only $name', async ({ options, expected }) => {
    await run(options);
    expect(listedFiles()).toEqual(expected);
    expect(await errors()).toEqual([]);
  });

  test('contains the versions of an earlier run as well', async () => {
    await run({ versions: (version) => version === '1.0.0' });
    await run({ versions: 'latest' });
    expect(listedFiles()).toEqual(['2.0.0', '1.0.0']);
  });

  test('of an app that is not listed is refused', async () => {
    await expect(run({ apps: ['nope'] })).rejects.toMatchObject({ code: 'app-unknown' });
  });
});

test.each(['../x', '__proto__', 'a/b', 'CON'])('the key %j causes no file outside of the mirror', async (key) => {
  const entry = {
    name: 'x',
    description: 'x',
    blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#000000' },
    appMetadataUrl: `${host.origin}/a.json`,
  };
  live.serve('registry.json', answer({ body: `{"apps":{${JSON.stringify(key)}:${JSON.stringify(entry)}}}` }));
  const { problems } = await run();
  for (const { message } of problems) expect(message).not.toContain('Nothing was changed');
  expect(existsSync(join(root, '../x'))).toBe(false);
  for (const name of files()) expect(name).toMatch(/^(registry\.json|\.appreg-mirror\.json|apps\/[\w-]+\/)/);
});

test('a folder with a mirror of another registry is refused', async () => {
  await run();
  host.on('/other.json', json({ apps: {} }));
  await expect(
    mirror(`${host.origin}/other.json`, root, {
      base: BASE,
      manifest: 'registry.json',
      apps: null,
      versions: 'all',
      prune: false,
    }),
  ).rejects.toMatchObject({ code: 'mirror-source-differs' });
});

test('another base URL is refused: its files contain the first one', async () => {
  await run();
  const before = files().map(read);
  const other = { base: 'https://other.example.com/' };
  await expect(run(other)).rejects.toMatchObject({
    code: 'mirror-base-url-differs',
    exit: 2,
    summary: `This folder is a mirror for ${BASE}, and --base-url is ${other.base}. Its files would contain both URLs.`,
  });
  expect(files().map(read)).toEqual(before);
  // Also after a run that was killed before it wrote the configuration, and after a change of the configuration.
  const configuredBase = async (): Promise<string> => other.base;
  await expect(run({ configuredBase })).rejects.toMatchObject({ code: 'mirror-base-url-differs' });
  await run();
  expect(files().map(read)).toEqual(before);
});

describe('a registry that was not made by mirror is refused, and not changed:', () => {
  test.each(['registry.json', 'appreg.config.json', 'appreg.config.yaml'])('a folder with %s', async (name) => {
    writeFileSync(join(root, name), 'mine');
    await expect(run()).rejects.toMatchObject({
      code: 'mirror-folder-occupied',
      exit: 1,
      summary: `${root} contains a registry that was not made by appreg mirror: ${name} exists.`,
    });
    expect(files()).toEqual([name]);
    expect(read(name)).toBe('mine');
    expect(host.requests).toEqual([]);
  });
});

test('a file in place of the folder is refused', async () => {
  const folder = root;
  const file = join(folder, 'file');
  writeFileSync(file, 'mine');
  root = file;
  await expect(run()).rejects.toMatchObject({ code: 'not-a-folder', exit: 2, summary: `${file} is not a folder.` });
  root = join(file, 'below');
  await expect(run()).rejects.toMatchObject({ code: 'not-a-folder', exit: 2 });
  root = folder;
  expect(host.requests).toEqual([]);
});

test('an artifact that cannot be written is named by its own path', async () => {
  const artifact = 'apps/app-a/versions/2.0.0.tar.gz';
  mkdirSync(join(root, artifact, 'folder'), { recursive: true });
  await expect(run()).rejects.toThrow(`Cannot write ${join(root, artifact)}: `);
  expect(readdirSync(join(root, 'apps/app-a/versions')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('the state file is written before the manifest and the artifacts, so that a killed run can be resumed', async () => {
  let isThere = false;
  const artifact = gzipped(live.artifact);
  live.serve('2.tar.gz', (request, socket) => {
    isThere = existsSync(join(root, '.appreg-mirror.json')) && !existsSync(join(root, 'registry.json'));
    return artifact(request, socket);
  });
  await run();
  expect(isThere).toBe(true);
  expect(existsSync(join(root, 'registry.json'))).toBe(true);
});

test('an interrupted mirror never lists missing files, and is complete after another run', async () => {
  for (let i = 3; i < 12; i += 1) {
    const bytes = Buffer.from(live.artifact);
    live.versions.push({
      version: `${i}.0.0`,
      artifactUrl: `${host.origin}/${i}.tar.gz`,
      artifactChecksum: checksum(bytes),
    });
    host.on(`/${i}.tar.gz`, gzipped(bytes));
  }
  live.list();
  for (const after of [0, 1, 3, 6, 9]) {
    const stop = new AbortController();
    const before = artifactRequests();
    const poll = setInterval(() => artifactRequests() - before >= after && stop.abort(), 1);
    const { interrupted } = await run({ signal: stop.signal, concurrency: 1 });
    clearInterval(poll);
    if (interrupted && existsSync(join(root, 'registry.json'))) expect(await errors()).toEqual([]);
  }
  expect(await run()).toMatchObject({ versions: 11, problems: [], interrupted: false });
  expect(await errors()).toEqual([]);
});

test('on a case-insensitive file system, an app is not written to the folder of another app', async (context) => {
  const folder = caseInsensitiveFolder();
  if (typeof folder !== 'string') return context.skip(folder.missing);
  root = join(folder, 'mirror');
  mkdirSync(join(root, 'apps/APP-A/versions'), { recursive: true });
  const { problems, fetched } = await run();
  expect(fetched).toBe(0);
  expect(problems).toMatchObject([{ app: 'app-a', code: 'path-refused' }]);
  expect(problems[0]?.message).toContain('apps/APP-A');
  expect(files().filter((path) => path.startsWith('apps/APP-A/'))).toEqual([]);
});

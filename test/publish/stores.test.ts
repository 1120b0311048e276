import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runDiagnose } from '../../src/cli/commands/diagnose.ts';
import { runDiff } from '../../src/cli/commands/diff.ts';
import { runEditApp } from '../../src/cli/commands/edit-app.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { runLock } from '../../src/cli/commands/lock.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { runRelease } from '../../src/cli/commands/release.ts';
import { runRemoveApp } from '../../src/cli/commands/remove-app.ts';
import { runServe } from '../../src/cli/commands/serve.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import { openStore } from '../../src/cli/config/open-store.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { type Kind, openArena } from '../support/arena.ts';
import { runsIn } from '../support/cli-runs.ts';
import { write } from '../support/folders.ts';
import { git } from '../support/git-host.ts';
import { contextIn, type Recorded, refusal, snapshot } from '../cli/author-support.ts';
import { tarGz } from './memory.ts';

/** The commands that write, on every store: which files they write, and that a dry run writes nothing. */

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const APP = { name: 'A', description: 'An app.', icon: 'i.svg', blockColor: '#112233' };

type Opened = Awaited<ReturnType<typeof openArena>>;
const openedStores: Opened[] = [];
afterEach(async () => {
  for (const arena of openedStores.splice(0)) await arena.close();
});

/** Another host: release assets after redirects, and responses that are not archives. */
let assets: Server;
let otherFolder: string;
beforeAll(async () => {
  assets = createServer((request, response) => {
    const path = request.url!;
    if (path.startsWith('/latest/')) response.writeHead(302, { location: path.replace('/latest', '/signed') }).end();
    else if (path === '/signed/a.tar.gz') response.writeHead(301, { location: '/cdn/a.tar.gz?sig=a-canary' }).end();
    else if (path.startsWith('/cdn/a.tar.gz')) response.writeHead(200).end(tarGz('elsewhere'));
    else if (path === '/page.tar.gz') response.writeHead(200).end('<!doctype html><title>Sign in</title>');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => assets.listen(0, '127.0.0.1', resolve));
  otherFolder = `http://127.0.0.1:${(assets.address() as AddressInfo).port}`;
});
afterAll(() => void assets.close());

const checksumOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const rulesIn = ({ findings }: Report): string[] => findings.map(({ rule }) => rule);

function contextOf({ root, env }: Opened): Recorded {
  return { ...contextIn(root), env };
}

/** A registry with an app, and its version 1.0.0. */
async function registry(kind: Kind, app = 'a'): Promise<Opened> {
  const arena = await openArena(kind, { ceph: null });
  openedStores.push(arena);
  const flags = Object.fromEntries(
    arena.flags.flatMap((flag, i) => (i % 2 === 0 ? [[flag.slice(2), arena.flags[i + 1]!]] : [])),
  );
  writeFileSync(join(arena.root, 'i.svg'), SVG);
  writeFileSync(join(arena.root, 'one.tar.gz'), tarGz('one'));
  writeFileSync(join(arena.root, 'two.tar.gz'), tarGz('two'));
  await runInit(contextOf(arena), undefined, { baseUrl: arena.base, ...flags });
  await runAddApp(contextOf(arena), app, APP);
  expect(await runPublishVersion(contextOf(arena), app, '1.0.0', { artifact: 'one.tar.gz' })).toBe(0);
  return arena;
}

/** Everything that a write would change. */
function state({ root, repository, objects }: Opened): string {
  const refs = repository === undefined ? '' : git(repository, 'for-each-ref');
  const puts = objects?.requests.filter(({ method }) => method !== 'GET').length;
  return [snapshot(root), refs, puts].join('\n');
}

async function verifies({ root, base }: Opened): Promise<void> {
  const { report } = await runsIn(root, '').verify(`${base}registry.json`, { ca: undefined as never });
  expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(report.summary).toMatchObject({ errors: 0, artifacts: expect.any(Number) as number });
}

describe.each<Kind>(['folder', 'git', 'bucket in memory'])('a registry in a %s', (kind) => {
  test('is not changed by a dry run, which makes every check and prints the plan', async () => {
    const arena = await registry(kind);
    const before = state(arena);

    const version = contextOf(arena);
    expect(await runPublishVersion(version, 'a', 'minor', { artifact: 'two.tar.gz', dryRun: true })).toBe(0);
    expect(version.printed.out.join('\n')).toMatch(
      /would publish a 1\.1\.0[^]*Nothing was written\. The plan:\ncreate apps\/a\/versions\/1\.1\.0\.tar\.gz .*\nedit {3}apps\/a\/versions\.json .*\n[^]*\+ +"version": "1\.1\.0"/,
    );
    const app = contextOf(arena);
    expect(await runAddApp(app, 'b', { ...APP, dryRun: true })).toBe(0);
    expect(app.printed.out.join('\n')).toMatch(/create apps\/b\/icon\.svg[^]*edit {3}registry\.json[^]*\+ +"b": \{/);
    const other = runPublishVersion(contextOf(arena), 'a', '1.0.0', { artifact: 'two.tar.gz', dryRun: true });
    expect(await refusal(other)).toMatchObject({ code: 'immutable', exit: 1 });

    expect(state(arena)).toBe(before);
  }, 60_000);

  test('gets edits of an app, and its removal, as single changes', async () => {
    const arena = await registry(kind);
    const { repository } = arena;
    const commits = (): number =>
      repository === undefined ? 0 : Number(git(repository, 'rev-list', '--all', '--count'));
    const files = async (): Promise<string> => String(await arena.get('registry.json'));
    const before = { text: await files(), commits: commits() };
    writeFileSync(join(arena.root, 'i.svg'), SVG.replaceAll('8', '16'));
    const changed = { ...APP, name: 'B', blockColor: '#445566' };
    const unchanged = state(arena);
    expect(await runEditApp(contextOf(arena), 'a', { ...changed, dryRun: true })).toBe(0);
    expect(await runRemoveApp(contextOf(arena), 'a', { dryRun: true })).toBe(0);
    expect(state(arena)).toBe(unchanged);

    expect(await runEditApp(contextOf(arena), 'a', changed)).toBe(0);
    expect(await files()).toBe(before.text.replace('"A"', '"B"').replace('#112233', '#445566'));
    expect(String(await arena.get('apps/a/icon.svg'))).toContain('16');
    await verifies(arena);
    const again = contextOf(arena);
    expect(await runEditApp(again, 'a', changed)).toBe(0);
    expect(again.printed.out.join()).toContain('nothing to do');

    const context = { ...contextIn(arena.root, { yes: true }), env: arena.env };
    expect(await runRemoveApp(context, 'a', {})).toBe(0);
    expect(context.printed.out.join()).toContain('will no longer see a (“B”) or its 1 version (latest 1.0.0)');
    expect(await files()).toBe('{\n  "apps": {}\n}\n');
    expect(await arena.get('apps/a/versions/1.0.0.tar.gz')).not.toBeNull();
    if (repository !== undefined) {
      expect(commits()).toBe(before.commits + 2);
      expect(git(repository, 'log', '--all', '-2', '--format=%s')).toBe('Remove app a\nEdit app a\n');
    }
  }, 60_000);

  test('lists an artifact on another host, after it was downloaded', async () => {
    const arena = await registry(kind);
    const artifactUrl = `${otherFolder}/latest/a.tar.gz`;
    const context = contextOf(arena);
    expect(await runPublishVersion(context, 'a', '2.0.0', { artifactUrl })).toBe(0);
    const { versions } = JSON.parse(String(await arena.get('apps/a/versions.json'))) as {
      versions: { version: string; artifactUrl: string }[];
    };
    expect(versions.find(({ version }) => version === '2.0.0')).toMatchObject({ artifactUrl });
    expect(await arena.get('apps/a/versions/2.0.0.tar.gz')).toBeNull();
    expect(JSON.stringify(context.printed)).not.toContain('canary');
    await verifies(arena);

    const before = String(await arena.get('apps/a/versions.json'));
    for (const [path, code] of [
      ['/gone.tar.gz', 'download-failed'],
      ['/page.tar.gz', 'artifact-invalid'],
    ])
      expect(
        await refusal(runPublishVersion(contextOf(arena), 'a', '3.0.0', { artifactUrl: `${otherFolder}${path}` })),
      ).toMatchObject({ code, exit: 1 });
    expect(String(await arena.get('apps/a/versions.json'))).toBe(before);
  }, 60_000);

  test('has a lock file with the first published checksums, which publishing and checks enforce', async () => {
    const arena = await registry(kind);
    const { root, base } = arena;
    const url = `${base}registry.json`;
    expect(await runLock(contextOf(arena), undefined, {})).toBe(0);
    const ledger = JSON.parse(readFileSync(join(root, 'appreg.lock.json'), 'utf8')) as { apps: { a: object } };
    expect(ledger.apps.a).toMatchObject({ '1.0.0': { artifactChecksum: checksumOf(tarGz('one')) } });
    const same = contextOf(arena);
    expect(await runDiff(same, '.', url, {})).toBe(0);
    expect(same.printed.out.join()).toContain('Nothing changes');

    // Another writer withdraws the version, and replaces its artifact.
    const { config } = await contextOf(arena).config();
    const store = await openStore(contextOf(arena), config.store, root);
    for (const [path, text] of [
      ['apps/a/versions.json', '{ "versions": [] }'],
      ['apps/a/versions/1.0.0.tar.gz', tarGz('two')],
    ] as const)
      await store.replace(path, Buffer.from(text), (await store.read(path))!.token);

    const before = state(arena);
    const republished = runPublishVersion(contextOf(arena), 'a', '1.0.0', { artifact: 'two.tar.gz' });
    expect(await refusal(republished)).toMatchObject({
      code: 'immutable',
      exit: 1,
      message: expect.stringMatching(
        RegExp(
          `the checksum in appreg\\.lock\\.json is ${checksumOf(tarGz('one'))}, yours is ${checksumOf(tarGz('two'))}`,
        ),
      ) as string,
    });
    expect(state(arena)).toBe(before);

    const json = { ...contextIn(root, { format: 'json' }), env: arena.env };
    expect(await runVerify(json, url, { save: 'facts.json' })).toBe(1);
    expect(await runJudge(json, ['facts.json'])).toBe(1);
    expect(await runDiagnose(json, 'facts.json', {})).toBe(1);
    const [verified, judged, diagnosed] = json.printed.out.map((text) => rulesIn(JSON.parse(text) as Report));
    expect(verified).toContain('version-withdrawn');
    expect(judged).toEqual(verified);
    expect(diagnosed).toEqual(verified);
    // The lock file does not apply to other registries.
    writeFileSync(join(root, 'appreg.config.json'), '{ "baseUrl": "https://elsewhere.example/${NOT_SET}" }');
    const other = { ...contextIn(root, { format: 'json' }), env: arena.env };
    await runVerify(other, url, {});
    expect(rulesIn(JSON.parse(other.printed.out.join('')) as Report)).not.toContain('version-withdrawn');
  }, 60_000);

  test('has a lock file in the workspace, which is named as part of the plan and of the results', async () => {
    const arena = await registry(kind);
    expect(await runLock(contextOf(arena), undefined, {})).toBe(0);
    const before = state(arena);
    const planned = contextOf(arena);
    expect(await runPublishVersion(planned, 'a', '1.1.0', { artifact: 'two.tar.gz', dryRun: true })).toBe(0);
    expect(state(arena)).toBe(before);
    const lock = kind === 'folder' ? 'the lock file' : 'the lock file of the workspace';
    expect(planned.printed.out.join('\n')).toContain(`\nedit   appreg.lock.json  (${lock}, with a 1.1.0)`);
    const done = contextOf(arena);
    expect(await runPublishVersion(done, 'a', '1.1.0', { artifact: 'two.tar.gz' })).toBe(0);
    expect(done.printed.out.join('\n')).toMatch(
      kind === 'folder'
        ? /\n {2}edited appreg\.lock\.json$/
        : /\n {2}edited appreg\.lock\.json \(the lock file of the workspace\)$/,
    );
    const json = { ...contextIn(arena.root, { format: 'json' }), env: arena.env };
    expect(await runPublishVersion(json, 'a', '1.1.0', { artifact: 'two.tar.gz' })).toBe(0);
    expect(JSON.parse(json.printed.out.join(''))).toMatchObject({
      status: 'already-published',
      steps: [],
    });
  }, 60_000);

  test('is released, and the next step names the lock file only if it is in the workspace', async () => {
    const arena = await registry(kind);
    const path = join(arena.root, 'appreg.config.json');
    const release = [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }];
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), release }));
    const nextAfter = async (version: string): Promise<string[]> => {
      write(arena.root, { 'src/a/main.ts': `console.log('${version}');`, 'src/a/VERSION': version });
      const context = contextOf(arena);
      expect(await runRelease(context, {})).toBe(0);
      return context.printed.next;
    };
    const commit = 'commit appreg.lock.json';
    const verify = `appreg verify ${arena.base}registry.json --wait 10m`;
    expect(await nextAfter('1.1.0')).toEqual([kind === 'folder' ? commit : verify]);
    // Another writer withdraws the version: its number stays used.
    const { config } = await contextOf(arena).config();
    const store = await openStore(contextOf(arena), config.store, arena.root);
    const listed = await store.read('apps/a/versions.json');
    await store.replace('apps/a/versions.json', Buffer.from('{ "versions": [] }'), listed!.token);
    for (const dryRun of [true, false])
      expect(
        await refusal(runPublishVersion(contextOf(arena), 'a', '1.1.0', { artifact: 'two.tar.gz', dryRun })),
      ).toMatchObject({
        code: 'immutable',
        exit: 1,
        message: expect.stringContaining('a 1.1.0 was published before with different bytes') as string,
      });
    // A file of unknown sources is recorded, too.
    expect(await runPublishVersion(contextOf(arena), 'a', '1.1.1', { artifact: 'two.tar.gz' })).toBe(0);
    expect(String((await store.read('appreg.lock.json'))!.bytes)).toContain('"1.1.1"');
    writeFileSync(join(arena.root, 'appreg.lock.json'), '{ "lock": 1, "apps": {} }');
    expect(await nextAfter('1.2.0')).toEqual([commit]);
  }, 60_000);

  if (kind !== 'folder')
    test('is not available to commands that need its files, which name its URL', async () => {
      const arena = await registry(kind);
      const expected = {
        code: 'registry-in-store',
        exit: 2,
        message: expect.stringContaining(kind === 'git' ? 'in a git branch' : 'in an S3 bucket') as string,
        hint: `Check the live registry: appreg verify ${arena.base}registry.json`,
      };
      expect(await refusal(runLint(contextOf(arena), [], {}))).toMatchObject(expected);
      expect(await refusal(runServe(contextOf(arena), undefined, {}))).toMatchObject(expected);
    });

  test('can refer to metadata in another repository, where its versions are published', async () => {
    const [arena, other] = [await registry(kind), await registry('git', 'x')];
    const metadataUrl = `${other.base}apps/x/versions.json`;
    expect(await runAddApp(contextOf(arena), 'x', { ...APP, metadataUrl })).toBe(0);
    expect(await arena.get('apps/x/versions.json')).toBeNull();
    const here = runPublishVersion(contextOf(arena), 'x', '1.1.0', { artifact: 'two.tar.gz' });
    expect(await refusal(here)).toMatchObject({
      code: 'metadata-outside-workspace',
      message: expect.stringContaining(metadataUrl) as string,
    });
    expect(await runPublishVersion(contextOf(other), 'x', '1.1.0', { artifact: 'two.tar.gz' })).toBe(0);
    await verifies(arena);
    // From this workspace, the files of the other repository are neither known nor missing.
    for (const [before, after] of [
      ['.', `${arena.base}registry.json`],
      [`${arena.base}registry.json`, '.'],
    ] as const) {
      const context = contextOf(arena);
      await runDiff(context, before, after, {});
      expect(context.printed.out.join('\n')).toMatch(/^Versions not compared: x \(it is not in .*\)\nNothing changes/);
    }
    const noted = contextOf(arena);
    expect(await runLock(noted, undefined, {})).toBe(0);
    expect(noted.printed.log.join('\n')).toContain('Not recorded: the versions of x (it is not in ');
  }, 60_000);
});

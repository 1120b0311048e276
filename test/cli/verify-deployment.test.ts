import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DiagnoseOptions, runDiagnose } from '../../src/cli/commands/diagnose.ts';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import type { VerifyOptions } from '../../src/cli/check/verify-options.ts';
import type { Context } from '../../src/cli/config/context.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { Finding, Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { answer, byMethod, GOOD_JSON } from '../support/fault-host.ts';
import { checksum } from '../support/live-registry.ts';
import { comparableReport } from '../support/cli-runs.ts';
import { commitAt, git, write } from '../support/folders.ts';
import { verifyFixture } from './verify-fixture.ts';

/** A workspace whose files are newer than what its host serves. */

const registry = verifyFixture();

const DAY = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString();
const later = (version: string): object => ({
  version,
  artifactUrl: `${registry.host.origin}/${version}.tar.gz`,
  artifactChecksum: checksum(Buffer.from(version)),
});

const entry = (key: string): object => ({
  name: key,
  description: 'Does a thing.',
  blockStyle: { iconUrl: `${registry.host.origin}/a.svg`, color: '#336699' },
  appMetadataUrl: `${registry.host.origin}/${key}.json`,
});

/** The files of the registry as they are served, with further versions and apps. */
function store(versions: readonly string[] = [], apps: object = {}, without: readonly string[] = []): void {
  const { host, live, folder } = registry;
  const served = live.versions.filter(({ version }) => !without.includes(version));
  write(folder, {
    'appreg.config.json': { baseUrl: `${host.origin}/` },
    'registry.json': {
      apps: { 'app-a': entry('a'), ...apps },
    },
    'a.json': { versions: [...versions.map(later), ...served] },
    'b.json': { versions: [] },
  });
}

/** The files of the registry, committed ten days ago, and a further version, committed then. */
function storeInGit(version: string, at: string): void {
  const { folder } = registry;
  store();
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commitAt(folder, daysAgo(10));
  store([version]);
  commitAt(folder, at);
}

const aboutStored = ({ findings }: Report): Finding[] =>
  findings.filter(({ rule }) =>
    /^(deployment-stale|workspace-behind|(version|app)-withdrawn|artifact-changed)$/.test(rule),
  );
const inShort = (report: Report): string[] =>
  aboutStored(report).map(({ rule, severity, app, version }) =>
    [severity, rule, app, version].filter(Boolean).join(' '),
  );

interface Ran {
  code: number;
  out: string;
}

/** Runs a command in the workspace, with its configuration. */
async function ran(act: (context: Context) => Promise<number>, globals: GlobalOptions = {}): Promise<Ran> {
  const { folder } = registry;
  const config: Context['config'] = (from = folder) => configAt(from);
  const context = cliContext({
    cwd: folder,
    options: { format: 'json', rule: ['tls-expiring=off'], ...globals },
    config,
  });
  const code = await act(context);
  return { code, out: context.printed.out.join('\n') };
}

async function reported(run: Promise<Ran>): Promise<{ code: number; report: Report }> {
  const { code, out } = await run;
  return { code, report: JSON.parse(out) as Report };
}

const OPTIONS = { skipArtifacts: true, ca: 'ca.pem' } as const;

const verified = (options: VerifyOptions) =>
  reported(ran((context) => runVerify(context, registry.live.url, { ...OPTIONS, ...options })));
const judged = (file: string, options = {}) => reported(ran((context) => runJudge(context, [file], options)));
const diagnosed = (where: string, options: DiagnoseOptions = OPTIONS, globals: GlobalOptions = {}) =>
  ran((context) => runDiagnose(context, where, options), globals);

describe('verify --against', () => {
  test('reports a version whose commit is older than caches may hold the file as an error, with its time', async () => {
    storeInGit('3.0.0', daysAgo(2));
    const { code, report } = await verified({ against: 'HEAD' });
    expect(inShort(report)).toEqual(['error deployment-stale app-a 3.0.0']);
    expect(code).toBe(1);
    const [finding] = aboutStored(report);
    const since = `${daysAgo(2).slice(0, 16).replace('T', ' ')} UTC`;
    expect(finding?.message).toBe(
      `Version 3.0.0 is stored in HEAD since ${since}, and is not served. The latest version that is served is 2.0.0.`,
    );
    expect(finding).toMatchObject({ resource: 'metadata', url: `${registry.host.origin}/a.json`, cause: 'version' });
  });

  test('reports a version that a cache may still lack as a note', async () => {
    storeInGit('3.0.0', daysAgo(2));
    const headers = { ...GOOD_JSON, 'Cache-Control': `max-age=${3 * 86_400}` };
    registry.live.serve(
      'a.json',
      byMethod({ GET: answer({ headers, body: JSON.stringify({ versions: registry.live.versions }) }) }),
    );
    expect(inShort((await verified({ against: 'HEAD' })).report)).toEqual(['note deployment-stale app-a 3.0.0']);
  });

  test('reports a version that was committed just now as a note', async () => {
    storeInGit('3.0.0', new Date().toISOString());
    const { code, report } = await verified({ against: 'HEAD' });
    expect(inShort(report)).toEqual(['note deployment-stale app-a 3.0.0']);
    expect(code).toBe(0);
  });

  test('knows the commits of a folder, and what is not committed', async () => {
    storeInGit('3.0.0', daysAgo(2));
    store(['4.0.0', '3.0.0']);
    const { report } = await verified({ against: '.' });
    expect(inShort(report)).toEqual(['error deployment-stale app-a 3.0.0', 'note deployment-stale app-a 4.0.0']);
    expect(aboutStored(report)[1]?.message).toMatch(/is stored in \. \(changed .*, not committed\), and is not served/);
  });

  test('knows only the time of the file in a folder without git, which is no proof', async () => {
    store(['3.0.0']);
    const old = new Date(Date.now() - 9 * DAY);
    utimesSync(join(registry.folder, 'a.json'), old, old);
    expect(inShort((await verified({ against: '.' })).report)).toEqual(['note deployment-stale app-a 3.0.0']);
  });

  test('reads the branch that is named, and not where the current one started', async () => {
    const { folder } = registry;
    storeInGit('3.0.0', daysAgo(5));
    git(folder, 'checkout', '--quiet', '-b', 'older', 'HEAD^');
    expect(inShort((await verified({ against: 'main' })).report)).toEqual(['error deployment-stale app-a 3.0.0']);
  });

  test('takes the time of a merge, and not that of a commit on a branch', async () => {
    const { folder } = registry;
    store();
    git(folder, 'init', '--quiet', '--initial-branch=main');
    commitAt(folder, daysAgo(10));
    git(folder, 'checkout', '--quiet', '-b', 'change');
    store(['3.0.0']);
    commitAt(folder, daysAgo(9));
    git(folder, 'checkout', '--quiet', 'main');
    git(folder, 'merge', '--quiet', '--no-ff', '--message', 'merge', 'change');
    expect(inShort((await verified({ against: 'HEAD' })).report)).toEqual(['note deployment-stale app-a 3.0.0']);
  });

  test('says of a shallow clone that a version may be older', async () => {
    const { folder } = registry;
    storeInGit('3.0.0', daysAgo(2));
    const clone = mkdtempSync(join(tmpdir(), 'appreg-clone-'));
    try {
      git(clone, 'clone', '--quiet', '--depth=1', `file://${folder}`, '.');
      writeFileSync(join(clone, 'ca.pem'), '');
      const { report } = await verified({ against: clone });
      expect(inShort(report)).toEqual(['error deployment-stale app-a 3.0.0']);
      expect(aboutStored(report)[0]?.message).toContain(' UTC or earlier, and is not served');
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  });

  test('reports an app that is stored and not served', async () => {
    store([], { 'app-b': entry('b') });
    const { report } = await verified({ against: '.' });
    expect(inShort(report)).toEqual(['note deployment-stale app-b']);
    expect(aboutStored(report)[0]).toMatchObject({ cause: 'app', resource: 'manifest' });
  });

  test('reports what is served and not stored in one line', async () => {
    store([], {}, ['1.0.0', '2.0.0']);
    const { code, report } = await verified({ against: '.' });
    expect(inShort(report)).toEqual(['note workspace-behind']);
    expect(aboutStored(report)[0]?.message).toBe(
      '2 entries that the host serves are not in .: app-a 2.0.0, app-a 1.0.0.',
    );
    expect(code).toBe(0);
  });

  test('finds nothing if all that is stored is served', async () => {
    store();
    expect(inShort((await verified({ against: '.' })).report)).toEqual([]);
  });

  test('reports a version as withdrawn if the lock file shows that it was served', async () => {
    storeInGit('3.0.0', daysAgo(2));
    const { artifactUrl, artifactChecksum } = later('3.0.0') as Record<string, string>;
    write(registry.folder, {
      'appreg.lock.json': { lock: 1, apps: { 'app-a': { '3.0.0': { artifactUrl, artifactChecksum } } } },
    });
    expect(inShort((await verified({ against: 'HEAD' })).report)).toEqual(['error version-withdrawn app-a 3.0.0']);
  });

  test('reports a version that the lock file has since it was stored as not served, also without --against', async () => {
    storeInGit('3.0.0', daysAgo(2));
    const { artifactUrl, artifactChecksum } = later('3.0.0') as Record<string, string>;
    const locked = { artifactUrl, artifactChecksum, served: false };
    write(registry.folder, { 'appreg.lock.json': { lock: 1, apps: { 'app-a': { '3.0.0': locked } } } });
    expect(inShort((await verified({ against: 'HEAD' })).report)).toEqual(['error deployment-stale app-a 3.0.0']);
    const plain = await verified({ save: 'facts.json' });
    expect(inShort(plain.report)).toEqual(['note deployment-stale app-a 3.0.0']);
    expect(inShort((await judged('facts.json')).report)).toEqual(['note deployment-stale app-a 3.0.0']);
    // Without its files, it counts as published.
    rmSync(join(registry.folder, 'registry.json'));
    expect(inShort((await verified({})).report)).toEqual(['error version-withdrawn app-a 3.0.0']);
  });

  test('reports a version of saved facts as withdrawn: it was served', async () => {
    const { live } = registry;
    await verified({ save: 'before.json' });
    live.versions = live.versions.slice(1);
    live.list();
    const { report } = await verified({ against: 'before.json' });
    expect(inShort(report)).toEqual(['error version-withdrawn app-a 2.0.0']);
  });

  test('is repeated by judge from saved facts, in any folder', async () => {
    const { folder } = registry;
    storeInGit('3.0.0', daysAgo(2));
    const { report } = await verified({ against: 'HEAD', save: 'facts.json' });
    rmSync(join(folder, '.git'), { recursive: true });
    rmSync(join(folder, 'registry.json'));
    const again = await judged('facts.json');
    expect(comparableReport(again.report)).toEqual(comparableReport(report));
    expect(again.code).toBe(1);
  });

  test('repeats a comparison with what was served', async () => {
    const { live } = registry;
    await verified({ save: 'before.json' });
    live.versions = live.versions.slice(1);
    live.list();
    const { report } = await verified({ against: 'before.json', save: 'facts.json' });
    rmSync(join(registry.folder, 'before.json'));
    expect(comparableReport((await judged('facts.json')).report)).toEqual(comparableReport(report));
  });
});

test('judge --against compares saved facts with a folder', async () => {
  storeInGit('3.0.0', daysAgo(2));
  await verified({ save: 'facts.json' });
  expect(inShort((await judged('facts.json')).report)).toEqual([]);
  expect(inShort((await judged('facts.json', { against: 'HEAD' })).report)).toEqual([
    'error deployment-stale app-a 3.0.0',
  ]);
});

describe('diagnose', () => {
  test('compares with the workspace of the registry, in a note', async () => {
    storeInGit('3.0.0', daysAgo(2));
    const { code, out } = await diagnosed(registry.live.url, OPTIONS, { format: 'pretty' });
    expect(out).toContain('Version 3.0.0 is stored in this folder since');
    expect(code).toBe(0);
    expect(inShort((await reported(diagnosed(registry.live.url))).report)).toEqual([
      'note deployment-stale app-a 3.0.0',
    ]);
  });

  test('says nothing in the workspace of another registry', async () => {
    store(['3.0.0']);
    write(registry.folder, { 'appreg.config.json': { baseUrl: 'https://apps.example.com/' } });
    expect(inShort((await reported(diagnosed(registry.live.url))).report)).toEqual([]);
  });

  test('says that files which cannot be read were not compared', async () => {
    store();
    write(registry.folder, { 'registry.json': '{' });
    expect(inShort((await reported(diagnosed(registry.live.url))).report)).toEqual([]);
  });

  test('saves the comparison in its bundle, and compares saved facts with --against', async () => {
    storeInGit('3.0.0', daysAgo(2));
    await diagnosed(registry.live.url, { ...OPTIONS, bundle: 'ticket.json' });
    rmSync(join(registry.folder, 'registry.json'));
    expect(inShort((await reported(diagnosed('ticket.json', {}))).report)).toEqual([
      'note deployment-stale app-a 3.0.0',
    ]);
    expect(inShort((await reported(diagnosed('ticket.json', { against: 'HEAD' }))).report)).toEqual([
      'error deployment-stale app-a 3.0.0',
    ]);
  });
});

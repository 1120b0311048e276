// Scenario: publishers are interrupted at each write.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { WriteState } from '../../src/core/errors/error.ts';
import type { Kind } from '../support/arena.ts';
import { waitUntil } from '../store/scratch.ts';
import { openPlaces, type Places, succeeds } from '../support/places.ts';
import { publish, type Storm } from '../support/storm.ts';

/** Runs that are ended by a signal: files that they report as stored are stored, and the next run completes. */

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
}, 120_000);
afterEach(() => places.calm());
afterAll(() => places.close());

const KINDS: Kind[] = ['folder', 'git', 'git over http', 'bucket in memory'];
const EXITS = { SIGINT: 130, SIGTERM: 143 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const JSON_FLAGS = ['--format', 'json'];

interface Document {
  command: string;
  outcome?: string;
  status?: string;
  error?: { code: string; message: string; exit: number };
  written?: WriteState | null;
}

/** Fails unless the text is one JSON document. */
function documentIn(stdout: string): Document {
  return JSON.parse(stdout) as Document;
}

type Opened = Awaited<ReturnType<Places['opened']>>;

/** Checks that the store matches what the document states about each file. */
async function expectTrue({ arena }: Opened, { written }: Document): Promise<void> {
  for (const path of written?.stored ?? []) expect(await arena.get(path), path).not.toBeNull();
  for (const path of written?.notStored ?? [])
    if (path.endsWith('.tar.gz')) expect(await arena.get(path), path).toBeNull();
}

describe.each(KINDS)('publish-version to a %s', (kind) => {
  test('interrupted by a signal at every step exits with its code, prints one correct document, and completes on the next run', async () => {
    const place = await places.opened(kind);
    const { arena, storm } = place;
    // Each step gets one of the signals, which differ only in the exit code.
    for (const [i, step] of arena.steps.entries()) {
      const signal = SIGNALS[i % SIGNALS.length]!;
      const { file, checksum } = storm.artifact(1000);
      const env = { APPREG_FAILPOINT: `${step}:${signal}` };
      const ended = await storm.run([...publish('patch', file), ...JSON_FLAGS], env);
      expect(ended, `${step} ${ended.stderr}`).toMatchObject({ code: EXITS[signal] });
      const document = documentIn(ended.stdout);
      await expectTrue(place, document);
      const isListed = (await storm.audit()).some((line) => line.endsWith(checksum));
      const isReported = document.status === 'published' || document.written?.stored.includes('apps/a/versions.json');
      expect(isReported === true, step).toBe(isListed);
      if (!isListed) expect(ended.stderr).toMatch(/Interrupted \(SIG.*\n.*again to finish/);
      await succeeds(storm, file);
      expect((await storm.audit()).filter((line) => line.endsWith(checksum))).toHaveLength(1);
    }
  }, 240_000);
});

interface SlowHook {
  begun(): boolean;
  /** True once the push that runs the hook has ended, in one way or another. */
  over(): boolean;
  calm(): void;
}

/** A remote with a slow hook, which writes the id of the process that receives the push when it begins. */
function slowly(repository: string, seconds: number): SlowHook {
  const hook = join(repository, 'hooks/pre-receive');
  const mark = join(repository, 'begun');
  mkdirSync(join(repository, 'hooks'), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\necho $PPID > "${mark}.new" && mv "${mark}.new" "${mark}"\nexec sleep ${seconds}\n`);
  chmodSync(hook, 0o755);
  return {
    begun: () => existsSync(mark),
    over: () => !isRunning(Number(readFileSync(mark, 'utf8'))),
    calm() {
      rmSync(hook);
      rmSync(mark, { force: true });
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const isChecksumListed = async (storm: Storm, checksum: string): Promise<boolean> =>
  (await storm.audit()).some((line) => line.endsWith(checksum));

describe.skipIf(process.platform === 'win32')('Ctrl+C during git push for the whole process group', () => {
  test.each<[Kind, number]>([
    ['git', 1],
    ['git over http', 1],
    ['git', 9],
    ['git over http', 9],
  ])(
    'does not publish later what the document of a %s with a hook of %i s states as not published',
    async (kind, seconds) => {
      const { arena, storm } = await places.opened(kind);
      const hook = slowly(arena.repository!, seconds);
      const { file, checksum } = storm.artifact();
      const { child, ended } = storm.start([...publish('patch', file), '--no-read-back', ...JSON_FLAGS]);
      await waitUntil(hook.begun);
      process.kill(-child.pid!, 'SIGINT');
      const { code, stdout } = await ended;
      expect(code).toBe(130);
      const document = documentIn(stdout);
      const isListed = await isChecksumListed(storm, checksum);
      if (seconds === 1) expect(document).toMatchObject({ status: 'published' });
      else expect(document.written!.unknown).toContain('apps/a/versions.json');
      if (document.status === 'published') expect(isListed).toBe(true);
      await waitUntil(hook.over);
      if (!isListed && (await isChecksumListed(storm, checksum))) expect(document.written!.unknown).not.toEqual([]);
      hook.calm();
      await succeeds(storm, file);
      expect(await isChecksumListed(storm, checksum)).toBe(true);
    },
    90_000,
  );

  test('ends the run at once on the second signal', async () => {
    const { arena, storm } = await places.opened('git');
    const hook = slowly(arena.repository!, 30);
    const { file } = storm.artifact();
    const { child, ended } = storm.start([...publish('patch', file), '--no-read-back']);
    await waitUntil(hook.begun);
    const waits = once(child.stderr!, 'data');
    process.kill(child.pid!, 'SIGINT');
    await waits;
    // Two signals at about the same moment are one.
    await sleep(300);
    process.kill(child.pid!, 'SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/stopped immediately/);
    hook.calm();
    await succeeds(storm, file);
  }, 60_000);
});

test('a bucket that stores a file without a response is read again, and the file is reported as stored', async () => {
  const place = await places.opened('bucket in memory');
  const { arena, storm } = place;
  const { file, checksum } = storm.artifact();
  let isSent = false;
  arena.objects!.mishapOf = (key) => {
    if (!key.endsWith('.tar.gz')) return undefined;
    isSent = true;
    return 'slow-answer';
  };
  const { child, ended } = storm.start([...publish('patch', file), ...JSON_FLAGS]);
  await waitUntil(() => isSent);
  child.kill('SIGTERM');
  const { code, stdout } = await ended;
  expect(code).toBe(143);
  const document = documentIn(stdout);
  expect(document.written).toMatchObject({ notStored: ['apps/a/versions.json'], unknown: [] });
  expect(document.written!.stored).toHaveLength(1);
  await expectTrue(place, document);
  arena.objects!.mishapOf = () => undefined;
  await succeeds(storm, file);
  expect(await isChecksumListed(storm, checksum)).toBe(true);
}, 60_000);

test('publish-version interrupted while the artifact is not served reports it as stored and not listed', async () => {
  const { arena, storm } = await places.opened('bucket in memory');
  arena.front = async (path, stored) => (path.endsWith('.tar.gz') ? null : stored());
  const { file } = storm.artifact();
  const before = arena.requested.length;
  const { child, ended } = storm.start([...publish('patch', file), ...JSON_FLAGS]);
  await waitUntil(() => arena.requested.slice(before).some((path) => path.endsWith('.tar.gz')));
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(130);
  expect(documentIn(stdout).written).toMatchObject({ notStored: ['apps/a/versions.json'] });
  expect(stderr).toMatch(/Stored: apps\/a\/versions\/[\d.]+\.tar\.gz\. Not stored: apps\/a\/versions\.json\./);
}, 60_000);

const ICON = ['--name', 'B', '--description', 'An app.', '--icon', 'i.svg', '--color', '#112233'];

// The transport to a remote is the same for every command.
const OTHERS = KINDS.filter((kind) => kind !== 'git over http');
describe.each(OTHERS)('other commands that write to a %s and are interrupted', (kind) => {
  test('report what is stored, and complete on the next run', async () => {
    const place = await places.opened(kind);
    const { arena, storm } = place;
    let count = 0;
    for (const step of arena.steps) {
      const key = `${step}-${count++}`;
      const add = ['add-app', key, ...ICON, ...JSON_FLAGS];
      const ended = await storm.run(add, { APPREG_FAILPOINT: `${step}:SIGINT` });
      expect(ended.code, `${step} ${ended.stderr}`).toBe(130);
      await expectTrue(place, documentIn(ended.stdout));
      expect((await storm.runShared(add)).code).toBe(0);
    }
  }, 120_000);

  // The other stores apply the same plans.
  test.runIf(kind === 'folder')(
    'edit and remove an app completely or not at all',
    async () => {
      const { arena, storm } = await places.opened(kind);
      const listed = async (key: string): Promise<{ name: string } | undefined> =>
        (JSON.parse(String(await arena.get('registry.json'))) as { apps: Record<string, { name: string }> }).apps[key];
      const key = 'edited';
      expect((await storm.runShared(['add-app', key, ...ICON])).code).toBe(0);
      for (const step of arena.steps) {
        const edit = ['edit-app', key, '--name', `After ${step}`];
        const ended = await storm.run(edit, { APPREG_FAILPOINT: `${step}:SIGTERM` });
        // Without a new file, some steps do not occur.
        expect([0, 143], `${step} ${ended.stderr}`).toContain(ended.code);
        expect((await storm.runShared(edit)).code).toBe(0);
        expect((await listed(key))?.name).toBe(`After ${step}`);
      }
      const remove = ['remove-app', key, '--yes', ...JSON_FLAGS];
      const ended = await storm.run(remove, { APPREG_FAILPOINT: `${arena.steps.at(-1)}:SIGINT` });
      const { status, written } = documentIn(ended.stdout);
      const isStored = status === 'removed' || written?.stored.includes('registry.json') === true;
      expect((await listed(key)) === undefined, ended.stderr).toBe(isStored);
      expect((await storm.runShared(remove)).code).toBe(isStored ? 2 : 0);
      expect(await listed(key)).toBeUndefined();
      expect(await listed('a')).toBeDefined();
    },
    120_000,
  );

  test('create the registry on the next init', async () => {
    const { arena, storm } = await places.opened(kind);
    for (const step of arena.steps) {
      const folder = mkdtempSync(join(tmpdir(), 'appreg-interrupted-'));
      const name = `other-${step}.json`;
      const words = ['init', folder, '--base-url', arena.base, '--manifest', name, ...arena.flags, ...JSON_FLAGS];
      const ended = await storm.run(words, { APPREG_FAILPOINT: `${step}:SIGTERM` });
      // A folder has the steps of a replaced file as well, which do not occur in a new workspace.
      expect([0, 143], `${step} ${ended.stderr}`).toContain(ended.code);
      const document = documentIn(ended.stdout);
      if (ended.code === 143 && document.written)
        for (const path of document.written.notStored) expect(existsSync(join(folder, path))).toBe(false);
      expect((await storm.runShared(words)).code).toBe(0);
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});

test('a command that is interrupted while it waits for the network reports an incomplete result', async () => {
  const { arena, storm } = await places.opened('folder');
  let isRequested = false;
  arena.front = () => {
    isRequested = true;
    return new Promise(() => {});
  };
  for (const [i, words] of [
    ['lock', `${arena.base}registry.json`],
    ['diff', '.', `${arena.base}registry.json`],
    ['checksum', `${arena.base}registry.json`],
    ['publish-version', 'a', 'patch', '--artifact-url', `${arena.base}x.tar.gz`],
    ['mirror', `${arena.base}registry.json`, 'copy', '--base-url', 'https://copy.example.com/'],
    ['verify', `${arena.base}registry.json`],
    ['verify', `${arena.base}registry.json`, '--wait', '1h'],
    ['verify', `${arena.base}registry.json`, '--against', `${arena.base}before.json`],
    ['diagnose', `${arena.base}registry.json`],
    ['lint', '--against', `${arena.base}registry.json`],
    ['subscribe', `${arena.base}registry.json`, '--service', arena.base, '--name', 'A'],
  ].entries()) {
    const signal = SIGNALS[i % SIGNALS.length]!;
    isRequested = false;
    const { child, ended } = storm.start([...words, ...JSON_FLAGS]);
    await waitUntil(() => isRequested);
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect(code, `${words[0]} ${signal} ${stderr}`).toBe(EXITS[signal]);
    const document = documentIn(stdout) as Document & { interrupted?: boolean };
    const incomplete = document.interrupted ?? ['interrupted', 'incomplete'].includes(document.outcome!);
    expect(incomplete, words[0]).toBe(true);
  }
}, 120_000);

test('an interrupted bundle writes no file and leaves no folder', async () => {
  const { arena, storm } = await places.opened('folder');
  writeFileSync(join(arena.root, 'main.js'), 'export default 1;\n');
  for (const step of ['temp-created', 'half-written', 'before-sync']) {
    const words = ['bundle', 'main.js', 'made/x.tar.gz', ...JSON_FLAGS];
    const ended = await storm.run(words, {
      APPREG_FAILPOINT: `${step}:SIGINT`,
      NODE_PATH: join(process.cwd(), 'node_modules'),
    });
    expect(ended.code, ended.stderr).toBe(130);
    expect(documentIn(ended.stdout)).toMatchObject({ outcome: 'interrupted', error: { code: 'interrupted' } });
    expect(readdirSync(arena.root)).not.toContain('made');
  }
}, 60_000);

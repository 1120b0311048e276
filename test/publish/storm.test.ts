import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { build } from '../../scripts/build.mjs';
import { type Kind, KINDS, openArena, type Servers, startServers } from '../support/arena.ts';
import { cephMissing } from '../support/ceph.ts';
import type { Mishap } from '../support/object-store.ts';
import { killAtRandom, killAtSteps, openStorm, publish, rush, type Storm } from '../support/storm.ts';

/** Real processes publish to every store, at once, killed, and with whatever a server may do: nothing is lost. */

const built = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-storm-'));
const program = join(built, 'dist/cli/main.cjs');
const missing = cephMissing();
const needsCeph = missing !== null && !process.env['CI'];
const why = needsCeph ? ` (skipped: ${missing})` : '';

type Opened = { arena: Awaited<ReturnType<typeof openArena>>; storm: Storm };
/** Each place serves several tests, one after the other. */
const places = new Map<Kind, Opened>();
let servers: Servers & { close(): void };
beforeAll(async () => {
  await build({ types: false, out: join(built, 'dist') });
  servers = await startServers({ ceph: !needsCeph });
}, 120_000);
afterEach(() => {
  for (const { arena } of places.values()) {
    arena.front = null;
    if (arena.objects) arena.objects.mishapOf = () => undefined;
    if (arena.host) arena.host.readOnly = null;
  }
});
afterAll(async () => {
  for (const { arena } of places.values()) await arena.close();
  servers.close();
  rmSync(built, { recursive: true, force: true });
});

async function opened(kind: Kind): Promise<Opened> {
  const known = places.get(kind);
  if (known) return known;
  const arena = await openArena(kind, servers);
  const made = { arena, storm: await openStorm(program, arena) };
  places.set(kind, made);
  return made;
}

/** What is listed after some work that was not before: apps, and versions by their checksums. */
async function added(storm: Storm, work: () => Promise<unknown>): Promise<string[]> {
  const before = new Set(await storm.audit());
  await work();
  const now = await storm.audit();
  return now.filter((line) => !before.has(line)).map((line) => line.replace(/^a [\d.]+ /, ''));
}

/** One more run, which has to succeed. */
async function succeeds(storm: Storm, file: string): Promise<void> {
  expect(await storm.run(publish('minor', file))).toMatchObject({ code: 0 });
}

// [where, how many publish at once, how many add an app, the steps where one is killed, how many are killed at random]
// A publisher in git is a hundred processes: the larger storms are in bench/storm.mjs.
const STORMS: [Kind, number, number, string[], number][] = [
  ['folder', 12, 3, ['after-link', 'after-rename'], 1],
  ['git', 4, 1, ['after-send'], 1],
  ['git over http', 2, 0, ['before-send'], 0],
  ['bucket in memory', 12, 3, ['before-send', 'after-send'], 1],
  ['bucket of Ceph', 12, 3, ['after-send'], 0],
];
test('every place is in the table', () => {
  expect(STORMS.map(([kind]) => kind)).toEqual(KINDS);
});

describe.each(STORMS)('%s', (kind, publishers, adders, steps, random) => {
  const skip = kind === 'bucket of Ceph' && needsCeph;
  const name = `${publishers} publish at once, ${adders} add apps; then some are killed${skip ? why : ''}`;
  test.skipIf(skip)(name, { timeout: 120_000 }, async () => {
    const { storm } = await opened(kind);
    const lines = await added(storm, async () => {
      await rush(storm, publishers, adders);
      expect(await killAtSteps(storm, steps, 2)).toBeGreaterThanOrEqual(steps.length);
      for (let i = 0; i < random; i++) await killAtRandom(storm);
    });
    expect(lines).toHaveLength(publishers + adders + steps.length + random);
  });
});

describe('a bucket that fails', () => {
  const ARTIFACT = /\.tar\.gz$/;
  const METADATA = /versions\.json$/;

  test('before, during and after it stores: one run gets through', { timeout: 60_000 }, async () => {
    const { arena, storm } = await opened('bucket in memory');
    const { file, checksum } = storm.artifact();
    const mishaps: [RegExp, Mishap[]][] = [
      [ARTIFACT, ['reset-before', '503', 'truncate', '500-after']],
      [METADATA, ['409', 'reset-after', 'truncate']],
    ];
    arena.objects!.mishapOf = (key) => mishaps.find(([path]) => path.test(key))?.[1].shift();
    expect(await added(storm, () => succeeds(storm, file))).toEqual([checksum]);
    expect(mishaps.flatMap(([, left]) => left)).toEqual([]);
  });

  test.each<[Mishap, string, RegExp, RegExp]>([
    ['truncate', 'the artifact', ARTIFACT, /keeps \d+ bytes that are not it, 4 times in a row\. Not done: /],
    ['truncate', 'the metadata', METADATA, /keeps \d+ bytes.*Done: .*Not done: /],
    ['reset-before', 'the metadata', METADATA, /is not known\. Done: apps\/a\/versions\/[\d.]+\.tar\.gz\.\n/],
  ])('%s, each time, with %s: told, and the next run finishes', { timeout: 60_000 }, async (mishap, _, path, words) => {
    const { arena, storm } = await opened('bucket in memory');
    const before = await arena.get('apps/a/versions.json');
    const { file, checksum } = storm.artifact();
    arena.objects!.mishapOf = (key) => (path.test(key) ? mishap : undefined);
    const failed = await storm.run(publish('minor', file));
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringMatching(words) as string });
    arena.objects!.mishapOf = () => undefined;
    // A host that breaks the metadata itself breaks the registry: whoever runs it has to bring back the file.
    if (mishap === 'truncate' && path === METADATA)
      arena.objects!.objects.get('registry/apps/a/versions.json')!.bytes = before!;
    // A number whose file was damaged is passed by.
    expect(await added(storm, () => succeeds(storm, file))).toEqual([checksum]);
  });
});

describe('who may only read', () => {
  test('a bucket says what is refused, and what is needed', async () => {
    const { arena, storm } = await opened('bucket in memory');
    const { file } = storm.artifact();
    arena.objects!.mishapOf = () => '403';
    const lines = await added(storm, async () => {
      const { code, stderr } = await storm.run(publish('minor', file));
      expect(stderr).toMatch(/refuses PUT .*403 AccessDenied.*Nothing was changed\.\n.*s3:PutObject/);
      expect(code).toBe(2);
    });
    expect(lines).toEqual([]);
  });

  test.skipIf(needsCeph)(`a real bucket tells of a wrong key, and not which${why}`, async () => {
    const { storm } = await opened('bucket of Ceph');
    const { file } = storm.artifact();
    const secret = { AWS_SECRET_ACCESS_KEY: 'a-canary-of-a-wrong-key' };
    const { code, stdout, stderr } = await storm.run([...publish('minor', file), '--verbose'], secret);
    expect(stderr).toContain('Check AWS_SECRET_ACCESS_KEY');
    expect(stdout + stderr).not.toContain('canary');
    expect(code).toBe(2);
  });

  test('a git remote says so', { timeout: 60_000 }, async () => {
    const { arena, storm } = await opened('git over http');
    const { file } = storm.artifact();
    arena.host!.readOnly = 403;
    const lines = await added(storm, async () => {
      const { code, stderr } = await storm.run(publish('minor', file));
      expect(stderr).toMatch(/does not take a commit .*403.*Nothing was changed\.\n.*may push/);
      expect(code).toBe(2);
    });
    expect(lines).toEqual([]);
  });
});

const noMount = ((): string | null => {
  const script = ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'];
  const { error, status, stderr } = spawnSync('unshare', script, { encoding: 'utf8' });
  return error ? error.message : status === 0 ? null : stderr.trim();
})();

test.skipIf(noMount !== null)(
  `a full temporary folder stops git before anything is written${noMount === null ? '' : ` (skipped: ${noMount})`}`,
  { timeout: 60_000 },
  async () => {
    const { arena, storm } = await opened('git');
    const before = await arena.get('apps/a/versions.json');
    const run = `require(${JSON.stringify(program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
    const script = 'mount -t tmpfs -o size=1m tmpfs "$0" && TMPDIR="$0" "$@"; code=$?; ls "$0"; exit $code';
    const disk = join(built, 'disk');
    mkdirSync(disk);
    // Too small for git itself, and for what is published.
    for (const [fill, bytes] of [
      [1_000_000, 0],
      [0, 2_000_000],
    ] as const) {
      const { file } = storm.artifact(bytes);
      const filled = script.replace('&&', `&& head -c ${fill} /dev/zero > "$0/filler" &&`);
      const args = ['-m', 'sh', '-c', filled, disk, process.execPath, '-e', run, 'appreg', ...publish('minor', file)];
      const ended = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        execFile('unshare', args, { cwd: arena.root, timeout: 50_000 }, (error, stdout, stderr) =>
          resolve({ code: error?.code, stdout, stderr }),
        );
      });
      expect(ended.stderr).toMatch(/^appreg: git has no space left .*Nothing was changed\.\n.*TMPDIR/);
      // Nothing of it stays on that disk.
      expect(ended).toMatchObject({ code: 2, stdout: 'filler\n' });
    }
    expect(await arena.get('apps/a/versions.json')).toEqual(before);
  },
);

describe.each<Kind>(['bucket in memory', 'git'])('a cache in front of a %s', (kind) => {
  test('that serves old metadata for ever, and remembers what was not there', { timeout: 60_000 }, async () => {
    const { arena, storm } = await opened(kind);
    const old = new Map<string, Buffer | null>();
    const counts = new Map<string, number>();
    arena.front = async (path, stored) => {
      if (path.endsWith('.json')) {
        if (!old.has(path)) old.set(path, await stored());
        return old.get(path)!;
      }
      counts.set(path, (counts.get(path) ?? 0) + 1);
      return counts.get(path)! <= 2 ? null : stored();
    };
    for (const path of ['registry.json', 'apps/a/versions.json']) await fetch(`${arena.base}${path}`);
    arena.asked.length = 0;
    const artifacts = [storm.artifact(), storm.artifact()];
    const lines = await added(storm, async () => {
      for (const { file } of artifacts) await succeeds(storm, file);
    });
    expect(lines).toEqual(artifacts.map(({ checksum }) => checksum));
    // What is there is asked of the store, never of the host in front.
    expect(arena.asked.filter((path) => path.endsWith('.json'))).toEqual([]);
    expect([...counts.values()]).toEqual([3, 3]);
  });

  test.each<[string, (bytes: Buffer | null) => Buffer | null, RegExp]>([
    ['never has the artifact', () => null, /after 1 s .* answers with status 404.*Done: .*Not done: /],
    ['serves half of it', (bytes) => bytes && bytes.subarray(0, bytes.length >> 1), /serves other bytes.*Not done: /],
  ])('that %s: not listed until it is served', { timeout: 60_000 }, async (_, spoil, words) => {
    const { arena, storm } = await opened(kind);
    arena.front = async (path, stored) => spoil(await stored());
    const { file, checksum } = storm.artifact();
    const lines = await added(storm, async () => {
      const { code, stderr } = await storm.run([...publish('minor', file), '--read-back-timeout', '1']);
      expect(stderr).toMatch(words);
      expect(code).toBe(1);
    });
    expect(lines).toEqual([]);
    arena.front = null;
    expect(await added(storm, () => succeeds(storm, file))).toEqual([checksum]);
  });
});

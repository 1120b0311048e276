// Scenario: publishers meet failures of servers, disks and caches, one after the other.
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Kind } from '../support/arena.ts';
import type { Mishap } from '../support/object-store.ts';
import { addedEntries, openPlaces, type Places, succeeds } from '../support/places.ts';
import { publish } from '../support/storm.ts';

/** A publisher in a real process, with failures of servers, disks and caches: nothing is lost, and failures are reported. */

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
}, 120_000);
afterEach(() => places.calm());
afterAll(() => places.close());

describe('publish-version to a bucket with failures', () => {
  const ARTIFACT = /\.tar\.gz$/;
  const METADATA = /versions\.json$/;

  test('succeeds in one run despite errors before, during and after writes', { timeout: 60_000 }, async () => {
    const { arena, storm } = await places.opened('bucket in memory');
    const { file, checksum } = storm.artifact();
    const mishaps: [RegExp, Mishap[]][] = [
      [ARTIFACT, ['reset-before', '503', 'truncate', '500-after']],
      [METADATA, ['409', 'reset-after', 'truncate']],
    ];
    arena.objects!.mishapOf = (key) => mishaps.find(([path]) => path.test(key))?.[1].shift();
    expect(await addedEntries(storm, () => succeeds(storm, file))).toEqual([checksum]);
    expect(mishaps.flatMap(([, left]) => left)).toEqual([]);
  });

  test.each<{ mishap: Mishap; name: string; path: RegExp; words: RegExp }>([
    {
      mishap: 'truncate',
      name: 'the artifact',
      path: ARTIFACT,
      words: /contains \d+ different bytes, 4 times in a row\. Not stored: /,
    },
    {
      mishap: 'truncate',
      name: 'the metadata',
      path: METADATA,
      words: /contains \d+ different bytes.*Stored: .*Not stored: /,
    },
    {
      mishap: 'reset-before',
      name: 'the metadata',
      path: METADATA,
      words:
        /Stored: apps\/a\/versions\/[\d.]+\.tar\.gz\. It is unknown whether this was stored: apps\/a\/versions\.json\.\n/,
    },
  ])(
    'reports a persistent $mishap of $name, and completes on the next run',
    { timeout: 60_000 },
    async ({ mishap, path, words }) => {
      const { arena, storm } = await places.opened('bucket in memory');
      const before = await arena.get('apps/a/versions.json');
      const { file, checksum } = storm.artifact();
      arena.objects!.mishapOf = (key) => (path.test(key) ? mishap : undefined);
      const failed = await storm.runShared(publish('minor', file));
      expect(failed).toMatchObject({ code: 2, stderr: expect.stringMatching(words) as string });
      arena.objects!.mishapOf = () => undefined;
      // A host that damages the metadata breaks the registry: its operator has to restore the file.
      if (mishap === 'truncate' && path === METADATA)
        arena.objects!.objects.get('registry/apps/a/versions.json')!.bytes = before!;
      // A version whose file was damaged is skipped.
      expect(await addedEntries(storm, () => succeeds(storm, file))).toEqual([checksum]);
    },
  );
});

describe('a publisher without write access', () => {
  test('to a bucket receives the refused request and the required permission', async () => {
    const { arena, storm } = await places.opened('bucket in memory');
    const { file } = storm.artifact();
    arena.objects!.mishapOf = () => '403';
    const lines = await addedEntries(storm, async () => {
      const { code, stderr } = await storm.runShared(publish('minor', file));
      expect(stderr).toMatch(/refuses PUT .*403 AccessDenied.*Nothing was changed\.\n.*s3:PutObject/);
      expect(code).toBe(2);
    });
    expect(lines).toEqual([]);
  });

  test('to a git remote receives the refusal and the required permission', { timeout: 60_000 }, async () => {
    const { arena, storm } = await places.opened('git over http');
    const { file } = storm.artifact();
    arena.host!.readOnly = 403;
    const lines = await addedEntries(storm, async () => {
      const { code, stderr } = await storm.runShared(publish('minor', file));
      expect(stderr).toMatch(/rejects a commit .*403.*Nothing was changed\.\n.*may push/);
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
    const { arena, storm } = await places.opened('git');
    const before = await arena.get('apps/a/versions.json');
    const run = `require(${JSON.stringify(places.program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
    const script = 'mount -t tmpfs -o size=1m tmpfs "$0" && TMPDIR="$0" "$@"; code=$?; ls "$0"; exit $code';
    const disk = join(places.folder, 'disk');
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
      expect(ended.stderr).toMatch(/^appreg: git found no free space .*Nothing was changed\.\n.*TMPDIR/);
      // No file is left on that disk.
      expect(ended).toMatchObject({ code: 2, stdout: 'filler\n' });
    }
    expect(await arena.get('apps/a/versions.json')).toEqual(before);
  },
);

describe.each<Kind>(['bucket in memory', 'git'])('a cache in front of a %s', (kind) => {
  test('that serves outdated metadata and caches 404 does not affect publishing', { timeout: 60_000 }, async () => {
    const { arena, storm } = await places.opened(kind);
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
    arena.requested.length = 0;
    const artifacts = [storm.artifact(), storm.artifact()];
    const lines = await addedEntries(storm, async () => {
      for (const { file } of artifacts) await succeeds(storm, file);
    });
    expect(lines).toEqual(artifacts.map(({ checksum }) => checksum));
    // Existing files are read from the store, never from the host in front of it.
    expect(arena.requested.filter((path) => path.endsWith('.json'))).toEqual([]);
    expect([...counts.values()]).toEqual([3, 3]);
  });

  test.each<{ name: string; spoil: (bytes: Buffer | null) => Buffer | null; words: RegExp }>([
    {
      name: 'never serves the artifact',
      spoil: () => null,
      words: /after 1 s\. .* the host responds with 404: the file does not exist\..*Stored: .*Not stored: /,
    },
    {
      name: 'serves half of the artifact',
      spoil: (bytes) => bytes && bytes.subarray(0, bytes.length >> 1),
      words: /serves different bytes.*Not stored: /,
    },
  ])('that $name prevents the listing until the artifact is served', { timeout: 60_000 }, async ({ spoil, words }) => {
    const { arena, storm } = await places.opened(kind);
    arena.front = async (path, stored) => spoil(await stored());
    const { file, checksum } = storm.artifact();
    const lines = await addedEntries(storm, async () => {
      const { code, stderr } = await storm.runShared([...publish('minor', file), '--read-back-timeout', '1']);
      expect(stderr).toMatch(words);
      expect(code).toBe(1);
    });
    expect(lines).toEqual([]);
    arena.front = null;
    expect(await addedEntries(storm, () => succeeds(storm, file))).toEqual([checksum]);
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDirectory } from '../../src/store/directory/directory.ts';
import { verifiedVersions, buildPublisher, type Ended, seed, start } from './processes.ts';
import { artifactBytes, artifactPath, METADATA } from './publisher.ts';
import { leftovers, scratch } from './scratch.ts';

/** Disks that refuse writes: the previous bytes are preserved, and the failure is reported. */

const ENTRY = { version: '0.0.1', artifactChecksum: '', padding: 'p'.repeat(20_000) };
let publisher: string;
beforeAll(async () => {
  const folder = scratch();
  chmodSync(folder, 0o755);
  publisher = await buildPublisher(folder);
});

const isRoot = process.getuid?.() === 0;

/** Runs the publisher on a full disk in its own mount namespace, and prints the files there afterwards. */
function onSmallDisk(root: string, fill: string): (run: string[]) => string[] {
  const script = [
    `mount -t tmpfs -o size=64k tmpfs "$2"`,
    `mkdir -p "$2/apps/a" && cp "$3" "$2/${METADATA}"`,
    fill,
    `"$0" "$1"; code=$?`,
    `cmp "$3" "$2/${METADATA}" && echo same`,
    `find "$2" -type f -printf 'file %P\\n'`,
    'exit $code',
  ].join('\n');
  const copy = join(root, 'copy.json');
  writeFileSync(copy, JSON.stringify({ versions: [ENTRY] }));
  const disk = join(root, 'disk');
  mkdirSync(disk);
  return ([node, file]) => ['unshare', '-m', 'sh', '-c', script, node!, file!, disk, copy];
}

function files({ out }: Ended): string[] {
  return [...out.matchAll(/^file (.*)$/gm)].map((match) => match[1]!).sort();
}

/** As a user without privileges. */
const withoutPrivileges = (run: string[]): string[] =>
  isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...run] : run;

async function folder(): Promise<string> {
  const root = scratch();
  seed(root);
  await openDirectory(root).create(artifactPath('1.0.0'), artifactBytes('1.0.0', 100));
  execFileSync('chmod', ['-R', 'a+rX,a-w', root]);
  return root;
}

/** Why a test cannot run here, or null. */
function unable(command: string, args: string[]): string | null {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return error ? error.message : status === 0 ? null : stderr.trim() || `${command} ended with ${status}`;
}

async function seeded(): Promise<{ root: string; before: Buffer }> {
  const root = scratch();
  seed(root, { versions: [] });
  expect((await start(publisher, { root, versions: [ENTRY.version], bytes: 100, padding: 20_000 }).ended).code).toBe(0);
  return { root, before: readFileSync(join(root, METADATA)) };
}

const noLimit = unable('bash', ['-c', 'ulimit -f 40']);
describe.skipIf(noLimit !== null)(
  `with a file size limit of 40 KiB${noLimit === null ? '' : ` (skipped: ${noLimit})`}`,
  () => {
    let preload: string;
    beforeAll(() => {
      // The kernel sends a signal as well, which ends a process without a handler for it.
      preload = join(scratch(), 'listen.cjs');
      writeFileSync(preload, "process.on('SIGXFSZ', () => {});");
    });
    const limited = ([node, file]: string[]): string[] => [
      'bash',
      '-c',
      `ulimit -f 40; exec "$0" --require "$1" "$2"`,
      node!,
      preload,
      file!,
    ];

    test('a failed write of the metadata preserves the previous bytes, and the next run completes', async () => {
      const { root, before } = await seeded();
      const job = { root, versions: ['1.0.0'], bytes: 100, padding: 40_000 };
      const { code, failure } = await start(publisher, job, { command: limited }).ended;
      expect({ code, failure }).toMatchObject({ code: 2, failure: { code: 'file-too-large' } });
      expect(failure!.message).toBe(
        `Cannot write apps/a/versions.json: it exceeds the file size limit (EFBIG). Stored: ${artifactPath('1.0.0')}. Not stored: apps/a/versions.json.`,
      );
      expect(readFileSync(join(root, METADATA))).toEqual(before);
      expect(leftovers(root)).toEqual([]);
      expect((await start(publisher, job).ended).out).toContain('published 1.0.0 already-there edited');
    });

    test('a failed write of an artifact leaves no file', async () => {
      const { root } = await seeded();
      const { code, failure } = await start(
        publisher,
        { root, versions: ['1.0.0'], bytes: 50_000 },
        { command: limited },
      ).ended;
      expect({ code, failure }).toMatchObject({
        code: 2,
        failure: { code: 'file-too-large', message: expect.stringMatching(/Nothing was changed\.$/) },
      });
      expect(readdirSync(join(root, 'apps/a/versions'))).toEqual(['0.0.1.tar.gz']);
    });
  },
);

const noMount = unable('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']);
describe.skipIf(noMount !== null)(`a disk of 64 KiB${noMount === null ? '' : ` (skipped: ${noMount})`}`, () => {
  test.each([
    { name: 'too small for the new metadata', job: { bytes: 100, padding: 50_000 }, fill: '', artifactDone: true },
    { name: 'too small for the artifact', job: { bytes: 60_000 }, fill: '', artifactDone: false },
    { name: 'already full', job: { bytes: 100 }, fill: 'cat /dev/zero > "$2/filler" 2>/dev/null', artifactDone: false },
  ])('that is $name is reported as full, and the metadata is unchanged', async ({ job, fill, artifactDone }) => {
    const scratched = scratch();
    const root = join(scratched, 'disk');
    const ended = await start(
      publisher,
      { root, versions: ['1.0.0'], ...job },
      { command: onSmallDisk(scratched, fill) },
    ).ended;
    expect(ended).toMatchObject({ code: 2, failure: { code: 'disk-full' } });
    expect(ended.failure!.message).toContain(
      artifactDone ? 'Not stored: apps/a/versions.json.' : 'Nothing was changed.',
    );
    expect(ended.failure!.hint).toContain('run the same command again');
    expect(ended.out).toContain('same\n');
    expect(files(ended)).toEqual(
      [METADATA, ...(artifactDone ? [artifactPath('1.0.0')] : []), ...(fill === '' ? [] : ['filler'])].sort(),
    );
  });

  test('that is mounted read-only is reported as read-only', async () => {
    const scratched = scratch();
    const root = join(scratched, 'disk');
    const ended = await start(
      publisher,
      { root, versions: ['1.0.0'], bytes: 100 },
      { command: onSmallDisk(scratched, 'mount -o remount,ro "$2"') },
    ).ended;
    expect(ended).toMatchObject({
      code: 2,
      failure: {
        code: 'read-only',
        message: expect.stringMatching(/^Cannot write apps\/a\/versions.*EROFS.*Nothing was changed\.$/),
      },
    });
    expect(files(ended)).toEqual([METADATA]);
  });
});

const noPriv = isRoot ? unable('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'true']) : null;
describe.skipIf(process.platform === 'win32' || noPriv !== null)(
  `another user's folder${noPriv === null ? '' : ` (skipped: ${noPriv})`}`,
  () => {
    test('is reported with the path of the file, and nothing is written', async () => {
      const root = await folder();
      const { code, failure } = await start(
        publisher,
        { root, versions: ['2.0.0'], bytes: 100 },
        { command: withoutPrivileges },
      ).ended;
      expect({ code, failure }).toMatchObject({
        code: 2,
        failure: {
          code: 'permission-denied',
          message: `Cannot write ${artifactPath('2.0.0')}: permission is denied (EACCES). Nothing was changed.`,
        },
      });
      expect(verifiedVersions(root, 100)).toEqual([]);
    });

    test('that is writable with a read-only file is refused, since a rename would replace the file', async () => {
      const root = await folder();
      chmodSync(join(root, 'apps/a'), 0o777);
      const { code, failure } = await start(
        publisher,
        { root, versions: ['1.0.0'], bytes: 100 },
        { command: withoutPrivileges },
      ).ended;
      expect({ code, failure }).toMatchObject({
        code: 2,
        failure: { code: 'read-only', message: expect.stringContaining('apps/a/versions.json is read-only.') },
      });
      expect(verifiedVersions(root, 100)).toEqual([]);
      expect(leftovers(root)).toEqual([]);
    });
  },
);

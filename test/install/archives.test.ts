import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Archive, archiveName, checksums, installedFiles, makeArchive } from '../../scripts/archives.mjs';
import { VERSION } from '../../src/core/tool-version.ts';
import { describeIf, hasProgram, openRegistry, programsFor, type CheckedRegistry } from '../support/installed.ts';

/** The archives with everything inside, each run where its platform can be run here. */

const TIMEOUT = 240_000;
const isRoot = process.getuid?.() === 0;
let registry: CheckedRegistry;

beforeAll(async () => {
  registry = await openRegistry();
}, TIMEOUT);
afterAll(() => registry.close());

function unpacked({ name, bytes }: Archive, platform: string, into: string): string {
  mkdirSync(into, { recursive: true });
  const file = join(into, name);
  writeFileSync(file, bytes);
  const { status, stderr } = spawnSync('tar', ['-xzf', file, '-C', into], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return join(into, archiveName(platform));
}

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program without the variables and the PATH of this process. */
function run(words: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Ran {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: registry.place, NO_COLOR: '1', ...options.env };
  const { status, stdout, stderr } = spawnSync(words[0]!, words.slice(1), { ...options, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** --version, lint and verify. */
function expectItWorks(start: (...args: string[]) => Ran, folder: string): void {
  expect(start('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
  expect(start('lint', folder)).toMatchObject({ status: 0, stdout: expect.stringContaining('No problems') });
  expect(start('verify', registry.url)).toMatchObject({ status: 0, stdout: expect.stringContaining('0 errors') });
}

const noPrograms = (platform: string): string | null =>
  programsFor(platform) === null ? `node scripts/platforms.mjs ${platform} fetches its programs` : null;
const SELF = `linux-${process.arch}`;
const made = (): Archive => makeArchive(SELF, programsFor(SELF)!);

describeIf(noPrograms(SELF), 'the archive for this machine', () => {
  let folder = '';
  let archive: Archive;
  beforeAll(() => {
    archive = made();
    folder = unpacked(archive, SELF, join(registry.place, 'tools with ünïcode 工具'));
  }, TIMEOUT);

  test(
    'has the same bytes when it is made again, and SHA256SUMS is that of sha256sum',
    () => {
      const { name, bytes } = archive;
      expect(made().bytes.equals(bytes)).toBe(true);
      const sums = checksums([archive]);
      expect(sums).toBe(`${createHash('sha256').update(bytes).digest('hex')}  appreg-${VERSION}-${SELF}.tar.gz\n`);
      const place = dirname(folder);
      writeFileSync(join(place, 'SHA256SUMS'), sums);
      expect(run(['sha256sum', '--check', 'SHA256SUMS'], { cwd: place }).stdout).toBe(`${name}: OK\n`);
    },
    TIMEOUT,
  );

  test('runs from a folder with spaces and other scripts, by its path, a relative path and a link', () => {
    expectItWorks((...args) => run([join(folder, 'appreg'), ...args]), registry.folder);
    expect(run(['./appreg', '--version'], { cwd: folder }).stdout).toBe(`${VERSION}\n`);
    const bin = join(registry.place, 'a bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(join(folder, 'appreg'), join(bin, 'one'));
    symlinkSync('one', join(bin, 'two'));
    expect(run(['two', '--version'], { env: { PATH: `${bin}:/usr/bin:/bin` } }).stdout).toBe(`${VERSION}\n`);
  });

  test('bundles with the esbuild that it contains', () => {
    const entry = join(registry.place, 'main.ts');
    writeFileSync(entry, 'export const a: number = 1;\n');
    const output = join(registry.place, 'out.tar.gz');
    expect(run([join(folder, 'appreg'), 'bundle', entry, output])).toMatchObject({ status: 0 });
    expect(statSync(output).size).toBeGreaterThan(100);
  });

  test.skipIf(!isRoot || !hasProgram('setpriv'))(
    'runs as a user who can write neither to its folder nor to home',
    () => {
      for (const path of [registry.place, registry.folder]) chmodSync(path, 0o755);
      const user = ['setpriv', '--reuid=65532', '--regid=65532', '--clear-groups'];
      const env = { HOME: '/nonexistent' };
      expectItWorks((...args) => run([...user, join(folder, 'appreg'), ...args], { env }), registry.folder);
    },
  );

  // A mount needs a namespace of its own, which a container may refuse.
  const canMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
  test.skipIf(!canMount)('runs with a temporary folder whose files cannot be executed', () => {
    const script = 'mkdir -p "$1" && mount -t tmpfs -o noexec tmpfs "$1" && shift && exec "$@"';
    const temporary = join(registry.place, 'noexec');
    const words = ['unshare', '--mount', 'sh', '-c', script, 'sh', temporary, join(folder, 'appreg')];
    const env = { TMPDIR: temporary };
    expectItWorks((...args) => run([...words, ...args], { env }), registry.folder);
    const entry = join(registry.place, 'other.ts');
    writeFileSync(entry, 'export const b: number = 2;\n');
    expect(run([...words, 'bundle', entry, join(registry.place, 'other.tar.gz')], { env })).toMatchObject({
      status: 0,
    });
  });

  test.skipIf(!isRoot)('runs in a system that has a shell and the C libraries, and no Node.js', () => {
    const system = join(registry.place, 'system');
    const libraries = ['/bin/sh', join(folder, 'bin/node')].flatMap((program) =>
      [...run(['ldd', program]).stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!),
    );
    for (const path of ['/bin/sh', ...libraries]) {
      mkdirSync(join(system, dirname(path)), { recursive: true });
      copyFileSync(path, join(system, path));
    }
    cpSync(folder, join(system, 'opt/appreg'), { recursive: true });
    cpSync(registry.folder, join(system, 'the registry'), { recursive: true });
    expect(existsSync(join(system, 'usr/bin/node'))).toBe(false);
    expectItWorks((...args) => run(['chroot', system, '/opt/appreg/appreg', ...args]), '/the registry');
  });
});

describeIf(
  noPrograms('linux-arm64') ?? (hasProgram('qemu-aarch64-static') ? null : 'qemu-user-static is missing'),
  'the archive for Linux on arm64',
  () => {
    test(
      'runs under QEMU',
      () => {
        const folder = unpacked(
          makeArchive('linux-arm64', programsFor('linux-arm64')!),
          'linux-arm64',
          join(registry.place, 'arm64'),
        );
        const system = '/usr/aarch64-linux-gnu';
        const words = [
          'qemu-aarch64-static',
          '-L',
          system,
          join(folder, 'bin/node'),
          join(folder, 'lib/appreg/bin/appreg.js'),
        ];
        expect(existsSync(join(system, 'lib/ld-linux-aarch64.so.1'))).toBe(true);
        expectItWorks((...args) => run([...words, ...args]), registry.folder);
      },
      TIMEOUT,
    );
  },
);

/** By the CPU type of a 64-bit Mach-O file (mach/machine.h). */
const MACH_O = { 'macos-x64': 0x01000007, 'macos-arm64': 0x0100000c } as const;

describe.each(Object.entries(MACH_O))('the archive for %s', (platform, cpu) => {
  describeIf(noPrograms(platform), `${platform}, which is not run here`, () => {
    test(
      'has the layout of the others, and programs for that processor',
      () => {
        const files = new Map(installedFiles(platform, programsFor(platform)!).map((file) => [file.path, file]));
        for (const path of ['bin/node', `lib/appreg/node_modules/@esbuild/${darwin(platform)}/bin/esbuild`]) {
          const { bytes, mode } = files.get(path)!;
          expect([path, mode]).toEqual([path, 0o755]);
          expect(bytes.readUInt32LE(0)).toBe(0xfeedfacf);
          expect(bytes.readUInt32LE(4)).toBe(cpu);
        }
        expect(files.get('appreg')?.mode).toBe(0o755);
        const paths = installedFiles(SELF, programsFor(SELF)!).map(({ path }) => path.replace(SELF, darwin(platform)));
        expect([...files.keys()]).toEqual(paths.toSorted());
      },
      TIMEOUT,
    );
  });
});

function darwin(platform: string): string {
  return platform.replace('macos', 'darwin');
}

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Archive, checksums, makeArchive } from '../../scripts/archives.mjs';
import { programsOf } from '../../scripts/platforms.mjs';
import { VERSION } from '../../src/core/values/tool-version.ts';
import { type CheckedRegistry, describeIf, hasProgram, openRegistry } from '../support/installed.ts';
import { expectItWorks, noPrograms, type Ran, runAtHome, unpacked } from './archive-fixture.ts';

/** The archive with everything inside for this machine; test/platforms has the others. */

const TIMEOUT = 240_000;
const isRoot = process.getuid?.() === 0;
let registry: CheckedRegistry;

beforeAll(async () => {
  registry = await openRegistry();
}, TIMEOUT);
afterAll(() => registry.close());

function run(words: readonly string[], options?: { cwd?: string; env?: NodeJS.ProcessEnv }): Ran {
  return runAtHome(registry.place, words, options);
}

const SELF = `linux-${process.arch}`;
const made = (): Archive => makeArchive(SELF, programsOf(SELF)!);

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
    expectItWorks((...args) => run([join(folder, 'appreg'), ...args]), registry, registry.folder);
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
      expectItWorks((...args) => run([...user, join(folder, 'appreg'), ...args], { env }), registry, registry.folder);
    },
  );

  // A mount needs a namespace of its own, which a container may refuse.
  const canMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
  test.skipIf(!canMount)('runs with a temporary folder whose files cannot be executed', () => {
    const script = 'mkdir -p "$1" && mount -t tmpfs -o noexec tmpfs "$1" && shift && exec "$@"';
    const temporary = join(registry.place, 'noexec');
    const words = ['unshare', '--mount', 'sh', '-c', script, 'sh', temporary, join(folder, 'appreg')];
    const env = { TMPDIR: temporary };
    expectItWorks((...args) => run([...words, ...args], { env }), registry, registry.folder);
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
    expectItWorks((...args) => run(['chroot', system, '/opt/appreg/appreg', ...args]), registry, '/the registry');
  });
});

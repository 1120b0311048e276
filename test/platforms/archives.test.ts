import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedFiles, makeArchive } from '../../scripts/archives.mjs';
import { programsOf } from '../../scripts/platforms.mjs';
import { expectItWorks, noPrograms, runAtHome, unpacked } from '../install/archive-fixture.ts';
import { type CheckedRegistry, describeIf, hasProgram, openRegistry } from '../support/installed.ts';

/** The archives with everything inside for other machines, run where they can be run here. */

const TIMEOUT = 240_000;
const SELF = `linux-${process.arch}`;
let registry: CheckedRegistry;

beforeAll(async () => {
  registry = await openRegistry();
}, TIMEOUT);
afterAll(() => registry.close());

describeIf(
  noPrograms('linux-arm64') ?? (hasProgram('qemu-aarch64-static') ? null : 'qemu-user-static is missing'),
  'the archive for Linux on arm64',
  () => {
    test(
      'runs under QEMU',
      () => {
        const folder = unpacked(
          makeArchive('linux-arm64', programsOf('linux-arm64')!),
          'linux-arm64',
          join(registry.place, 'arm64'),
        );
        const system = '/usr/aarch64-linux-gnu';
        const words = [
          'qemu-aarch64-static',
          '-L',
          system,
          join(folder, 'bin/node'),
          join(folder, 'lib/node_modules/appreg/bin/appreg.js'),
        ];
        expect(existsSync(join(system, 'lib/ld-linux-aarch64.so.1'))).toBe(true);
        expectItWorks((...args) => runAtHome(registry.place, [...words, ...args]), registry, registry.folder);
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
        const files = new Map(installedFiles(platform, programsOf(platform)!).map((file) => [file.path, file]));
        for (const path of [
          'bin/node',
          `lib/node_modules/appreg/node_modules/@esbuild/${darwin(platform)}/bin/esbuild`,
        ]) {
          const { bytes, mode } = files.get(path)!;
          expect([path, mode]).toEqual([path, 0o755]);
          expect(bytes.readUInt32LE(0)).toBe(0xfeedfacf);
          expect(bytes.readUInt32LE(4)).toBe(cpu);
        }
        expect(files.get('appreg')?.mode).toBe(0o755);
        const paths = installedFiles(SELF, programsOf(SELF)!).map(({ path }) => path.replace(SELF, darwin(platform)));
        expect([...files.keys()]).toEqual(paths.toSorted());
      },
      TIMEOUT,
    );
  });
});

function darwin(platform: string): string {
  return platform.replace('macos', 'darwin');
}

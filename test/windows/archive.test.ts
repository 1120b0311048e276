import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveName, makeArchive } from '../../scripts/archives.mjs';
import { programsOf } from '../../scripts/platforms.mjs';
import { VERSION } from '../../src/core/values/tool-version.ts';
import { describeIf, openRegistry, type CheckedRegistry } from '../support/installed.ts';
import { describeOnWindows, windowsPath } from '../support/windows.ts';

/** The archive for Windows: its .cmd starts the Node.js inside, from a folder whose name needs quotes. */

const reason =
  programsOf('windows-x64') === null ? 'node scripts/platforms.mjs windows-x64 fetches its programs' : null;

describeIf(reason, 'the archive for Windows', () => {
  describeOnWindows('appreg.cmd', '22', (windows) => {
    let registry: CheckedRegistry;
    let folder = '';

    beforeAll(async () => {
      registry = await openRegistry();
      const into = join(registry.place, 'the tools');
      mkdirSync(into);
      const { name, bytes } = makeArchive('windows-x64', programsOf('windows-x64')!);
      writeFileSync(join(into, name), bytes);
      const { status, stderr } = spawnSync('python3', ['-m', 'zipfile', '-e', join(into, name), into]);
      if (status !== 0) throw new Error(String(stderr));
      folder = join(into, archiveName('windows-x64'));
    }, 180_000);
    afterAll(() => registry.close());

    /** Files take what is printed: a Node for Windows cannot write to a pipe of Linux. */
    function run(...args: string[]): { status: number | null; out: string } {
      const file = join(registry.place, 'out');
      const out = openSync(file, 'w');
      const words = ['cmd', '/c', windowsPath(join(folder, 'appreg.cmd')), ...args];
      const { status } = spawnSync('wine', words, {
        // Wine's cmd knows only one quoted word.
        cwd: registry.folder,
        env: windows.environment(),
        stdio: ['ignore', out, 'ignore'],
        timeout: 90_000,
      });
      closeSync(out);
      return { status, out: readFileSync(file, 'utf8') };
    }

    test('runs --version, lint and verify', () => {
      expect(run('--version')).toEqual({ status: 0, out: `${VERSION}\n` });
      expect(run('lint')).toMatchObject({
        status: 0,
        out: expect.stringContaining('No problems'),
      });
      expect(run('verify', registry.url)).toMatchObject({ status: 0, out: expect.stringContaining('0 errors') });
    });

    test('passes on the exit code', () => expect(run('lint', 'none').status).toBe(2));
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundle } from '../../src/bundle/bundle.ts';
import { folder } from '../support/folders.ts';

/** A build never waits for a named pipe that nothing writes to. */

interface Root {
  /** @returns its path */
  write(path: string, text: string): string;
  pipe(path: string): string;
}

function emptyRoot(): Root {
  const root = folder();
  const pathTo = (path: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  return {
    write(path, text) {
      writeFileSync(pathTo(path), text);
      return join(root, path);
    },
    pipe(path) {
      execFileSync('mkfifo', [pathTo(path)]);
      return join(root, path);
    },
  };
}

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  // A build waits for two seconds before it looks for pipes.
  test.concurrent.each<{ name: string; code: string; at: string; traced?: boolean }>([
    { name: 'that is imported', code: "import './other.js';", at: 'a/src/other.js' },
    { name: 'that is imported by release', code: "import './other.js';", at: 'a/src/other.js', traced: true },
    { name: 'beside the folder of the entry point', code: "import '../../other.js';", at: 'other.js' },
    { name: 'in an installed package', code: "import 'x';", at: 'a/src/node_modules/x/index.js' },
    { name: 'instead of the package.json of a package', code: "import 'x';", at: 'a/src/node_modules/x/package.json' },
    { name: 'instead of package.json', code: '1;', at: 'a/package.json' },
    { name: 'instead of tsconfig.json in a parent folder', code: '1;', at: 'tsconfig.json' },
    { name: 'that is embedded', code: "import a from './a.svg'; console.log(a);", at: 'a/src/a.svg' },
  ])('$name is an error that names it', { timeout: 30_000 }, async ({ code, at, traced = false }) => {
    const { write, pipe } = emptyRoot();
    const entry = write('a/src/main.ts', code);
    const path = pipe(at);
    await expect(bundle({ entry, traced })).rejects.toMatchObject({
      code: 'not-a-file',
      exit: 2,
      message: `The build reads ${path}, which is a named pipe.`,
    });
  });

  test('that the build does not read is not opened', async () => {
    const { write, pipe } = emptyRoot();
    const entry = write('a/src/main.ts', 'export const app = 1;');
    pipe('a/src/unused.js');
    await expect(bundle({ entry })).resolves.toMatchObject({ warnings: [] });
  });
});

import { basename } from 'node:path';
import { describe, test } from 'vitest';

/**
 * APPREG_RUNTIMES: the programs of Bun and Deno, absolute paths with a comma between them. `.ci/run` installs them from
 * npm.
 */
const RUNTIMES = (process.env['APPREG_RUNTIMES'] ?? '').split(',').filter((path) => path !== '');

export interface Runtime {
  /** As messages name it. */
  name: 'Bun' | 'Deno';
  /** The words that start a program, which follows. */
  words: readonly string[];
}

function runtimeAt(path: string): Runtime {
  const isDeno = /^deno(\.exe)?$/.test(basename(path));
  return isDeno ? { name: 'Deno', words: [path, 'run', '--allow-all'] } : { name: 'Bun', words: [path] };
}

/** Tests on Bun and on Deno. Without these they are skipped with a message; in CI they fail. */
export function describeOnRuntimes(title: string, body: (runtime: Runtime) => void): void {
  for (const path of RUNTIMES) {
    const runtime = runtimeAt(path);
    describe(`${title} on ${runtime.name}`, () => body(runtime));
  }
  if (RUNTIMES.length > 0) return;
  test.skipIf(!process.env['CI'])(`${title} (skipped: APPREG_RUNTIMES names no other runtime)`, () => {
    throw new Error('Not run: APPREG_RUNTIMES names no other runtime');
  });
}

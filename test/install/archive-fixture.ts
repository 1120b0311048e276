import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Archive, archiveName } from '../../scripts/archives.mjs';
import { programsOf } from '../../scripts/platforms.mjs';
import { VERSION } from '../../src/core/values/tool-version.ts';
import type { CheckedRegistry } from '../support/installed.ts';

/** How an archive with everything inside is unpacked and run. */

/** Unpacks an archive with tar. @returns the folder inside */
export function unpacked({ name, bytes }: Archive, platform: string, into: string): string {
  mkdirSync(into, { recursive: true });
  const file = join(into, name);
  writeFileSync(file, bytes);
  const { status, stderr } = spawnSync('tar', ['-xzf', file, '-C', into], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return join(into, archiveName(platform));
}

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program with a folder as its home, without the variables and the PATH of this process. */
export function runAtHome(
  home: string,
  words: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Ran {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: home, NO_COLOR: '1', ...options.env };
  const { status, stdout, stderr } = spawnSync(words[0]!, words.slice(1), { ...options, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** --version, lint and verify. */
export function expectItWorks(start: (...args: string[]) => Ran, { url }: CheckedRegistry, folder: string): void {
  expect(start('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
  expect(start('lint', folder)).toMatchObject({ status: 0, stdout: expect.stringContaining('No problems') });
  expect(start('verify', url)).toMatchObject({ status: 0, stdout: expect.stringContaining('0 errors') });
}

/** Why there are no programs of a platform, or null. */
export const noPrograms = (platform: string): string | null =>
  programsOf(platform) === null ? `node scripts/platforms.mjs ${platform} fetches its programs` : null;

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterFile } from './cleanup.ts';

/** Folders and git repositories that are gone when the tests of a file are over. */

/** A new folder with these files, by path; values that are not text or bytes become JSON. */
export function folder(files: Record<string, unknown> = {}): string {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'appreg-test-')));
  afterFile(() => rmSync(root, { recursive: true, force: true }));
  write(root, files);
  return root;
}

export function write(root: string, files: Record<string, unknown>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(
      join(root, path),
      typeof content === 'string' || content instanceof Uint8Array ? content : `${JSON.stringify(content, null, 2)}\n`,
    );
  }
}

/** git with a fixed identity, regardless of the configuration of the machine. */
export function git(root: string, ...args: string[]): string {
  return gitIn(root, {}, args);
}

function gitIn(root: string, env: NodeJS.ProcessEnv, args: readonly string[]): string {
  const settings = [
    'user.name=Test',
    'user.email=test@example.com',
    'commit.gpgsign=false',
    'init.defaultBranch=main',
    'core.autocrlf=false',
    'protocol.file.allow=always',
  ];
  return execFileSync('git', [...settings.flatMap((setting) => ['-c', setting]), ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...env },
  }).trim();
}

export function commitAll(root: string, message = 'change'): string {
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(root, 'rev-parse', 'HEAD');
}

/** A commit of that time. @param at ISO 8601 */
export function commitAt(root: string, at: string): string {
  git(root, 'add', '--all');
  gitIn(root, { GIT_COMMITTER_DATE: at, GIT_AUTHOR_DATE: at }, ['commit', '--quiet', '--message', 'change']);
  return git(root, 'rev-parse', 'HEAD');
}

/** Runs a call that throws, and returns the error. */
export function errorOf(run: () => unknown): Error & { code?: string; hint?: string } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it threw nothing');
}

/**
 * A folder of the temporary folder with files that are made once a day, for all tests of a user.
 * @param make fills an empty folder
 */
export function madeDaily(name: string, make: (folder: string) => void): string {
  // A run that continues after midnight uses one set of files.
  const day = process.env['APPREG_TEST_DAY'] ?? new Date().toISOString().slice(0, 10);
  const folderOfDay = join(tmpdir(), `appreg-test-${name}-${process.getuid?.() ?? 'user'}-${day}`);
  if (existsSync(folderOfDay)) return folderOfDay;
  const made = mkdtempSync(join(tmpdir(), 'appreg-making-'));
  make(made);
  try {
    renameSync(made, folderOfDay);
  } catch {
    // Another test made them at the same time: theirs are as good.
  }
  return folderOfDay;
}

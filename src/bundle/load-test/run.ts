import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileToPack } from '../archive.ts';

/** An error of the code; those after the first caused it. */
export interface LoadError {
  name?: string;
  message: string;
  stack?: string;
  code?: string;
  path?: string;
  /** The permission that was denied, such as FileSystemRead, and what for. */
  permission?: string;
  resource?: string;
}

/** The result of loading one file: it has exports, errors or an exit code, and no more than one of them. */
export interface LoadedFile {
  file: string;
  exports: string[] | null;
  errors: LoadError[] | null;
  /** The exit code of a process that ended while it loaded the file. */
  exit: number | null;
  /** The package of the first stand-in that was called. */
  standIn: string | null;
  /** The first thing that the permission model denied: `to read /etc/hosts`. */
  denied: string | null;
}

export interface LoadRun {
  /** The folder that had the files of the archive; it is gone. */
  folder: string;
  /** In the given order, up to the one that ended the process. */
  files: LoadedFile[];
  /** `timeout`, or the signal that ended the process; null if it reported how it ended. */
  stopped: string | null;
}

export const SECONDS = 20;
export const MEGABYTES = 1024;
const MOST_RESULT_BYTES = 1_000_000;
/** The file descriptor that the loader writes to. */
const RESULTS = 3;

/** The absolute path of the program that loads the files, in the new process. */
export function loaderProgram(): string {
  return realpathSync(fileURLToPath(new URL('./assets/load-app.cjs', import.meta.url)));
}

/**
 * Loads files in a process of its own, in a temporary folder without other files: it may read that folder, starts no
 * process, worker or addon, and has no environment.
 * @param contents of the folder
 * @param packages the files of a `node_modules` beside it
 * @param files those to load, in this order
 * @param program that of `loaderProgram`
 */
export async function runLoader(
  contents: readonly FileToPack[],
  packages: readonly FileToPack[],
  files: readonly string[],
  program: string,
): Promise<LoadRun> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'appreg-load-')));
  const remove = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  try {
    const folder = writeAll(join(root, 'app'), contents);
    const beside = writeAll(join(root, 'node_modules'), packages);
    // Elsewhere, a relative path is not that of a file in the archive either.
    const cwd = writeAll(join(root, 'cwd'), []);
    const { results, by } = await start(program, cwd, [folder, beside, cwd], JSON.stringify({ folder, files }));
    const loaded = parsed(results);
    return { folder, files: loaded, stopped: loaded.length === files.length ? null : by };
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** @returns the folder */
function writeAll(folder: string, files: readonly FileToPack[]): string {
  mkdirSync(folder);
  for (const { path, bytes } of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return folder;
}

interface Ended {
  /** Lines of JSON. */
  results: string;
  /** `timeout`, or the signal that ended it. */
  by: string | null;
}

async function start(program: string, cwd: string, folders: readonly string[], request: string): Promise<Ended> {
  const flags = [
    // Its name before Node 22.13.
    process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
    '--no-warnings',
    ...[program, ...folders].map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${MEGABYTES}`,
    '--stack-trace-limit=50',
  ];
  const isWindows = process.platform === 'win32';
  const { SystemRoot } = process.env;
  const child = spawn(process.execPath, [...flags, program, request], {
    cwd,
    // Windows starts no program without it.
    env: isWindows && SystemRoot !== undefined ? { SystemRoot } : {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    // The leader of a process group, so that nothing that it started remains.
    detached: !isWindows,
  });
  const kill = (): void => {
    if (isWindows || child.pid === undefined) child.kill('SIGKILL');
    else if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, SECONDS * 1000);
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdio[RESULTS]?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_RESULT_BYTES) chunks.push(chunk);
    else kill();
  });
  try {
    const [, signal] = await once(child, 'close');
    return { results: Buffer.concat(chunks).toString(), by: isLate ? 'timeout' : signal };
  } finally {
    clearTimeout(timer);
    process.off('exit', kill);
  }
}

/** The results that the process reported; code that was loaded may have written others. */
function parsed(lines: string): LoadedFile[] {
  return lines.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isLoadedFile(value) ? [value] : [];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

function isLoadedFile(value: unknown): value is LoadedFile {
  if (typeof value !== 'object' || value === null) return false;
  const { file, exports, errors, exit, standIn, denied }: Partial<Record<string, unknown>> = { ...value };
  return (
    typeof file === 'string' &&
    (exports === null || (Array.isArray(exports) && exports.every(isText))) &&
    (errors === null || (Array.isArray(errors) && errors.length > 0 && errors.every(isLoadError))) &&
    (exit === null || typeof exit === 'number') &&
    [standIn, denied].every((one) => one === null || isText(one))
  );
}

function isLoadError(value: unknown): value is LoadError {
  if (typeof value !== 'object' || value === null || !('message' in value) || !isText(value.message)) return false;
  return Object.values(value).every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

// Not node:fs/promises, which takes 1 ms to load, and is needed by few builds.
import { closeSync, constants, existsSync, openSync, promises, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { BuildFailure } from 'esbuild';
import { AppregError } from '../core/errors/error.ts';
import { message, type SafeText } from '../core/text/message.ts';
import { safeExcerpt } from '../core/text/text.ts';
import {
  ESBUILD_VERSION,
  installedVersion,
  PORTABLE_PACKAGE,
  portableApi,
  PROGRAM_PACKAGE,
} from './esbuild-program.ts';
import { type BundlerOptions, type Built, buildNative } from './native.ts';

/**
 * Builds with esbuild; writes nothing.
 * @param targetPlace where the target is written, for messages
 * @throws AppregError if esbuild's program is not installed or cannot be started, or does not know the target; errors in the code are
 * returned
 */
export async function build(options: BundlerOptions, targetPlace: string): Promise<Built> {
  return refusingPipes(options.absWorkingDir, run(options, targetPlace));
}

async function run(options: BundlerOptions, targetPlace: string): Promise<Built> {
  // Without a name, esbuild compiles for the newest runtime.
  if (options.target === '') throw unknownTarget(message`${targetPlace} is empty.`);
  // Builds for browsers usually emit CSS as a second file.
  const built = options.platform === 'browser' ? null : await buildNative(options);
  if (built !== null) return built;
  const esbuild = await load();
  try {
    const settings = { ...options, write: false, metafile: true, logLevel: 'silent' } as const;
    const result = await withoutCollector(() => esbuild.build(settings));
    return {
      files: result.outputFiles ?? [],
      errors: [],
      warnings: result.warnings,
      metafile: result.metafile,
      version: esbuild.version,
    };
  } catch (error) {
    const errors = isBuildFailure(error) ? error.errors : [];
    const summary = error instanceof Error ? error.message : String(error);
    const first = errors[0]?.text ?? summary;
    if (/^(Invalid (target|version)|Target )/.test(first))
      throw unknownTarget(message`${targetPlace} has a value that esbuild does not support: ${first}`, error);
    if (isBuildFailure(error) && errors.length > 0)
      return { files: [], errors, warnings: error.warnings, metafile: null, version: esbuild.version };
    if (/service|binary|host version|esbuild" package|could not be found|platform/i.test(summary))
      throw unusable(
        message`The program of esbuild, which compiles the code, does not work on this system: ${safeExcerpt(summary.split('\n')[0] ?? '', 300)}`,
        error,
      );
    throw error;
  }
}

function unknownTarget(summary: SafeText, cause?: unknown): AppregError {
  return new AppregError('build-target-unknown', summary, message`Use a target such as node22, node20.19 or es2022.`, {
    cause,
  });
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors) && 'warnings' in error;
}

/**
 * esbuild's command line disables garbage collection, but the service behind its API does not, which costs a fifth of
 * the total time. The service reads its environment when the first build starts it; the limit bounds its memory in
 * long-running programs.
 */
function withoutCollector<T>(start: () => T): T {
  const { env } = process;
  if (env['GOGC'] !== undefined || env['GOMEMLIMIT'] !== undefined) return start();
  env['GOGC'] = 'off';
  env['GOMEMLIMIT'] = '1GiB';
  try {
    return start();
  } finally {
    delete env['GOGC'];
    delete env['GOMEMLIMIT'];
  }
}

/** The API with the program for this system, or else with the package that runs everywhere. */
async function load(): Promise<typeof import('esbuild')> {
  const program = installedVersion(PROGRAM_PACKAGE);
  // A path that is set comes first, as in esbuild itself.
  if (program === ESBUILD_VERSION || process.env['ESBUILD_BINARY_PATH'] !== undefined) return import('esbuild');
  if (installedVersion(PORTABLE_PACKAGE) === ESBUILD_VERSION) return portableApi();
  throw unusable(
    program === null
      ? message`The program of esbuild for this system, which compiles the code, is not installed: ${PROGRAM_PACKAGE}`
      : message`The program of esbuild for this system has another version: ${PROGRAM_PACKAGE} is ${program} instead of ${ESBUILD_VERSION}`,
  );
}

function unusable(text: SafeText, cause?: unknown): AppregError {
  return new AppregError(
    'esbuild-unusable',
    text,
    message`Install appreg again on this system, with its optional packages (npm install --include=optional). If that does not install the program, install the slower ${PORTABLE_PACKAGE}@${ESBUILD_VERSION} beside appreg.`,
    { cause },
  );
}

// Ends builds that wait for a named pipe: the compiler opens every file that the code imports, and each package.json and
// tsconfig.json, and opening a pipe without a writer never returns. A pipe that the compiler waits for can be opened for
// writing without waiting, and no other pipe can (POSIX, `open` with O_NONBLOCK). The compiler then reads an empty file.

/** Longer than most builds take. */
const LOOK_AFTER_MS = 2000;
const LOOK_AGAIN_MS = 250;
const MOST_FOLDERS = 20_000;

/**
 * The result of a build.
 * @param folder of the entry point, absolute
 * @throws AppregError `not-a-file` (exit 2) if the compiler waited for a named pipe
 */
async function refusingPipes<Result>(folder: string, build: Promise<Result>): Promise<Result> {
  const watch = watchPipes(folder);
  const [built] = await Promise.allSettled([build]);
  const [pipe] = watch.end();
  if (pipe !== undefined)
    throw new AppregError(
      'not-a-file',
      message`The build reads ${pipe}, which is a named pipe.`,
      message`Replace it with a regular file, or remove what refers to it.`,
    );
  if (built.status === 'rejected') throw built.reason;
  return built.value;
}

/** Starts to release pipes that the compiler waits for. `end` stops it, and returns their paths. */
function watchPipes(folder: string): { end: () => string[] } {
  const pipes = new Set<string>();
  const released = new Set<string>();
  let isEnded = false;
  let again: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    void findPipes(folder, pipes, () => isEnded);
    again = setInterval(() => {
      for (const path of pipes) if (release(path)) released.add(path);
    }, LOOK_AGAIN_MS);
  }, LOOK_AFTER_MS);
  return {
    end() {
      isEnded = true;
      clearTimeout(first);
      clearInterval(again);
      return [...released];
    },
  };
}

/** Opens a pipe that another process waits for, so that it reads an empty file. */
function release(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0)));
    return true;
  } catch {
    // No process waits for it (ENXIO), or it cannot be written.
    return false;
  }
}

/** Pipes with other names, outside of the project, belong to other programs. */
const SOURCE = /\.(?:[cm]?[jt]sx?|json|css)$/i;

/** Adds the pipes of the project, those named like sources near it, and those among the settings of its parent folders. */
async function findPipes(folder: string, pipes: Set<string>, isEnded: () => boolean): Promise<void> {
  const add = (path: string): void => {
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO() === true) pipes.add(path);
  };
  let root = folder;
  for (let at = folder; ; at = dirname(at)) {
    for (const name of ['package.json', 'tsconfig.json']) attempt(() => add(join(at, name)));
    if (['.git', 'package.json'].some((name) => existsSync(join(at, name)))) root = at;
    if (at === dirname(at)) break;
  }
  const parents = [dirname(root), dirname(dirname(root))].filter((at) => dirname(at) !== at);
  const folders = [folder, root, ...parents];
  const seen = new Set<string>();
  for (const at of folders) {
    if (isEnded() || seen.size > MOST_FOLDERS) return;
    if (seen.has(at)) continue;
    seen.add(at);
    for (const entry of await promises.readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && entry.name !== '.git') folders.push(path);
      else if ((entry.isFIFO() || entry.isSymbolicLink()) && (SOURCE.test(path) || path.startsWith(root + sep)))
        attempt(() => add(path));
    }
  }
}

/** Looks at a path that may not be readable, which is not the reason why a build waits. */
function attempt(look: () => void): void {
  try {
    look();
  } catch {}
}

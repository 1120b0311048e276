import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuildOptions, Message, Metafile } from 'esbuild';
import { ESBUILD_VERSION, programPath } from './esbuild-program.ts';

/** The options of a build, as for the API of esbuild. */
export interface BundlerOptions extends BuildOptions {
  entryPoints: { in: string; out: string }[];
  absWorkingDir: string;
}

/** The result of a build: the output files, or the errors. */
export interface Built {
  files: { path: string; contents: Uint8Array }[];
  errors: Message[];
  warnings: Message[];
  /** Null if the code has errors. */
  metafile: Metafile | null;
  /** The version of esbuild. */
  version: string;
}

/**
 * Builds one output file with esbuild's executable, which is faster than its API: nothing has to be loaded before it
 * starts, and the caller can load other modules meanwhile.
 * @param options as for the API, with one entry point and one output file
 * @returns null if the code has errors or warnings, or cannot be built this way: use the API then, whose messages have
 *   locations
 */
export async function buildNative(options: BundlerOptions): Promise<Built | null> {
  const program = esbuildProgram();
  const flags = flagsOf(options);
  if (program === null || flags === null) return null;
  const files: number[] = [];
  const open = (): number => {
    const file = namelessFile();
    files.push(file);
    return file;
  };
  try {
    const [code, messages, metafile] = [open(), open(), open()];
    const failed = await new Promise((done) => {
      const child = spawn(program, [...flags, ...OUTPUTS, '--log-level=warning'], {
        cwd: options.absWorkingDir,
        // Garbage collection is disabled; the limit bounds the memory.
        env: { GOMEMLIMIT: '1GiB', ...process.env },
        stdio: ['ignore', code, messages, metafile],
      });
      child.on('error', done);
      child.on('exit', (status) => done(status !== 0));
    });
    if (failed !== false || fstatSync(messages).size > 0) return null;
    const contents = contentsOf(code);
    if (mayAskForFiles(contents, options.minify === true)) return null;
    return {
      files: [{ path: join(options.outdir!, 'out.js'), contents }],
      errors: [],
      warnings: [],
      metafile: JSON.parse(contentsOf(metafile).toString()),
      version: ESBUILD_VERSION,
    };
  } catch {
    return null;
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** The code goes to the standard output, and the metafile to the file descriptor 3: both are files without a name. */
const OUTPUTS = ['--outfile=/dev/fd/1', '--metafile=/dev/fd/3'];

/** The code before a path that is loaded at run time; helpers are renamed in minified code. */
const ASKING = /(?:\bfrom|\bimport|\*\/|(?:\bimport|\b__require\d*(?:\.resolve)?)\()\s*["'`]\.?$/;
const ASKING_MINIFIED = /(?:\bfrom|\bimport|\*\/|\()\s*["'`]\.?$/;

/** True if the code may load other files: only the API reports which. String literals may cause false positives. */
function mayAskForFiles(code: Buffer, minified: boolean): boolean {
  const asking = minified ? ASKING_MINIFIED : ASKING;
  for (let at = code.indexOf('./'); at !== -1; at = code.indexOf('./', at + 2)) {
    if (asking.test(code.toString('latin1', Math.max(0, at - 40), at))) return true;
  }
  return false;
}

/** The executable that the API would start; null if it is overridden or cannot be resolved. */
function esbuildProgram(): string | null {
  // On Windows, an open file cannot be deleted.
  if (process.platform === 'win32' || process.env['ESBUILD_BINARY_PATH'] !== undefined) return null;
  return programPath();
}

/** The options as command-line arguments; null if one of them is not supported here. */
function flagsOf({ entryPoints, absWorkingDir, outdir, ...options }: BundlerOptions): string[] | null {
  const [entry] = entryPoints;
  if (Object.values(options.loader ?? {}).includes('file') || options.plugins !== undefined) return null;
  // Paths of other outputs would be relative to /dev/fd.
  if (outdir !== absWorkingDir || entry === undefined || entry.in.includes('=')) return null;
  const flags = [entry.in];
  for (const [name, value] of Object.entries(options)) {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) flags.push(flag);
    else if (typeof value === 'string') flags.push(`${flag}=${value}`);
    else if (name === 'conditions') flags.push(`${flag}=${String(value)}`);
    else if (Array.isArray(value)) for (const item of value) flags.push(`${flag}:${String(item)}`);
    else if (typeof value === 'object')
      for (const [key, item] of Object.entries(value)) flags.push(`${flag}:${key}=${String(item)}`);
    else if (value !== false) return null;
  }
  return options.sourcemap ? null : flags;
}

/** An open, unlinked file, which disappears when this process ends. */
function namelessFile(): number {
  const path = join(tmpdir(), `appreg-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

function contentsOf(file: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(fstatSync(file).size);
  for (let at = 0; at < bytes.length;) {
    const read = readSync(file, bytes, at, bytes.length - at, at);
    if (read === 0) throw new Error('the file was truncated while it was read');
    at += read;
  }
  return bytes;
}

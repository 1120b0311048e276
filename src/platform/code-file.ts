import {
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Module } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';

/**
 * The compiled code of the files that a command loads, in one file, for Node 20, which cannot keep it by itself. V8 knows
 * source text only by its length, and does not check the data for damage. So the name of the file contains the digest of
 * the build, and the file is complete on the disk before it has its name.
 *
 * Format: the length of the index (4 bytes, little-endian), the index as JSON, and the data of V8.
 */

/** Set by the build: the digest of all files of the command line. */
declare const BUILD_DIGEST: string;

/** Reads the data of a file, as returned by `Script.createCachedData()`, by the name of the file. */
type CodeOfFiles = ReadonlyMap<string, () => Buffer>;

const HEADER_BYTES = 4;
/** Files that were written by other builds and for other versions of Node are deleted at this age. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

type ModuleFunction = (
  exports: unknown,
  require: (id: string) => unknown,
  module: NodeJS.Module,
  file: string,
  folder: string,
) => void;

/** The start of a CommonJS module, on the first line of its file. */
const MODULE_START = '(function (exports, require, module, __filename, __dirname) { ';

/**
 * From here on, files of the command line are loaded with their compiled code. At the end of a process that loaded other
 * files too, it is written.
 * @param folder exists; others cannot write to it
 * @param words the command line
 */
export function keepCodeInFile(folder: string, words: readonly string[]): void {
  const { extensions } = require;
  // A process that runs several command lines does this once.
  if ('.cjs' in extensions) return;
  const path = join(folder, fileName(words));
  const kept = openCode(path);
  const compiled = new Map<string, Script>();
  let isRejected: boolean | null = null;
  // For all files, since they are in one folder. `require` searches 0.1 ms for each.
  const requireFile = (id: string): unknown => {
    if (!id.startsWith('./')) return require(id);
    const name = id.slice(2);
    const file = join(__dirname, name);
    const loaded = require.cache[file];
    if (loaded !== undefined) return loaded.exports;
    const module = new Module(file);
    loadFile(module, name, file);
    return module.exports;
  };
  const loadFile = (module: Module, name: string, file: string): void => {
    const cachedData = kept.get(name)?.();
    const script = new Script(`${MODULE_START}${readFileSync(file, 'utf8')}\n})`, {
      filename: file,
      columnOffset: -MODULE_START.length,
      ...(cachedData && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    // V8 has other flags.
    isRejected ??= script.cachedDataRejected === true;
    if (cachedData === undefined || isRejected) compiled.set(name, script);
    const load = script.runInThisContext() as ModuleFunction;
    require.cache[file] = module;
    load.call(module.exports, module.exports, requireFile, module, file, __dirname);
  };
  const loadOther = extensions['.js'];
  extensions['.cjs'] = (module, file) => {
    if (dirname(file) === __dirname) loadFile(module, basename(file), file);
    else loadOther(module, file);
  };
  process.once('exit', (code) => {
    // A process that failed has not run what the next one will run.
    if (code <= 1 && compiled.size > 0) writeCode(path, isRejected === true ? new Map() : kept, compiled);
  });
}

/** A file for each first word: commands run different functions of the files that they share. */
function fileName(words: readonly string[]): string {
  const isHelp = words.length === 0 || words.includes('--help') || words.includes('-h');
  const command = isHelp ? 'help' : (words.find((word) => /^[a-z_][a-z_-]{0,30}$/.test(word)) ?? 'other');
  return `${command}-${BUILD_DIGEST}-${process.arch}-${process.versions.v8}`;
}

/**
 * Opens a file until the end of the process, so that no data is held in memory.
 * @returns empty if it is missing or incomplete
 */
function openCode(path: string): CodeOfFiles {
  const code = new Map<string, () => Buffer>();
  try {
    const fd = openSync(path, 'r');
    const bytesAt = (offset: number, size: number): Buffer => {
      const bytes = Buffer.alloc(size);
      readSync(fd, bytes, 0, size, offset);
      return bytes;
    };
    let offset = HEADER_BYTES + bytesAt(0, HEADER_BYTES).readUInt32LE();
    const index = JSON.parse(bytesAt(HEADER_BYTES, offset - HEADER_BYTES).toString()) as [name: string, size: number][];
    for (const [name, size] of index) {
      const start = offset;
      code.set(name, () => bytesAt(start, size));
      offset += size;
    }
    return fstatSync(fd).size === offset ? code : new Map();
  } catch {
    return new Map();
  }
}

/**
 * Replaces the file in one step, and deletes old ones. Never throws: without it, code is compiled by each process.
 * @param kept what the file contains that is still valid
 */
function writeCode(path: string, kept: CodeOfFiles, compiled: ReadonlyMap<string, Script>): void {
  const temporary = `${path}.${process.pid}`;
  try {
    const code = new Map<string, Buffer>();
    for (const [name, read] of kept) code.set(name, read());
    for (const [name, script] of compiled) code.set(name, script.createCachedData());
    const index = Buffer.from(JSON.stringify([...code].map(([name, { length }]) => [name, length])));
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(index.length);
    const bytes = Buffer.concat([header, index, ...code.values()]);
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, path);
    deleteOld(dirname(path));
  } catch {
    rmSync(temporary, { force: true });
  }
}

function deleteOld(folder: string): void {
  const before = Date.now() - MAX_AGE_MS;
  for (const name of readdirSync(folder)) {
    const stats = statSync(join(folder, name));
    if (stats.isFile() && stats.mtimeMs < before) rmSync(join(folder, name), { force: true });
  }
}

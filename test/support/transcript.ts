import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../src/core/values/tool-version.ts';
import type { SharedProcess } from './shared-process.ts';

/**
 * Transcripts: Markdown that is run. In one empty folder, from the top down,
 *
 * - a fenced block with `title=<path>` is written to that file;
 * - in a block marked `console`, each line that begins with `$ ` is a command, what follows is its output, stdout and
 *   stderr in the order written, followed by `[exit 1]` if the exit code is not 0. A command continues on the
 *   next line after a `\`. `appreg serve … &` runs until the end of the transcript, on a free port; later commands
 *   refer to it by the port in the text;
 * - everything else is prose.
 *
 * There is no shell: words, quotes, `~/` for a home of the transcript, and the programs `appreg`, `git`, `node`, `cat`,
 * `cp` (`cp -r` copies a folder of this repository), `head -<lines>`, `tail -<lines>`, `ls`, and
 * `export NAME="$(cat <file>)"`. What differs between
 * runs and machines, such as times, can be in the
 * text as an example.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Stage {
  /** The words that start appreg, such as Node and the start file, as absolute paths; its arguments follow. */
  appreg: readonly string[];
  /** Runs the commands that end, without starting a process for each (default: each is a process). */
  shared?: SharedProcess;
  /** An empty folder; a real path, without links. */
  folder: string;
  /** The environment for `appreg`, made from that of the transcript (default: the same). */
  environment?: (env: Record<string, string>) => NodeJS.ProcessEnv;
  /** A path as appreg prints it (default: as it is). */
  shown?: (path: string) => string;
}

/** The servers of a transcript, each with its port in the text. */
type Servers = Map<string, { child: ChildProcess; port: string }>;

/** Runs a transcript, and returns it with the current output of its commands. Throws for Markdown that is not a transcript. */
export async function play(markdown: string, stage: Stage): Promise<string> {
  const servers: Servers = new Map();
  try {
    return await played(markdown, { ...stage, servers, variables: new Map() });
  } finally {
    for (const { child } of servers.values()) child.kill('SIGKILL');
  }
}

type Scene = Stage & {
  servers: Servers;
  /** The variables that were exported. */
  variables: Map<string, string>;
};

async function played(markdown: string, stage: Scene): Promise<string> {
  const lines = markdown.split('\n');
  const now: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const open = /^(`{3,})(\w*)(?: title=(\S+))?$/.exec(lines[at]!);
    now.push(lines[at]!);
    if (!open) continue;
    const [, fence, language, title] = open;
    const end = lines.indexOf(fence!, at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: the block is not closed`);
    const block = lines.slice(at + 1, end);
    if (title !== undefined) writeAt(stage.folder, title, `${block.join('\n')}\n`);
    if (language === 'console') for (const command of commandsOf(block)) now.push(...(await run(command, stage)));
    else now.push(...block);
    now.push(fence!);
    at = end;
  }
  return now.join('\n');
}

function writeAt(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

interface ShownCommand {
  /** The lines of the command. */
  command: string[];
  /** The lines of its output in the text. */
  output: string[];
}

function commandsOf(block: readonly string[]): ShownCommand[] {
  const commands: ShownCommand[] = [];
  let open = false;
  for (const line of block) {
    if (line.startsWith('$ ')) commands.push({ command: [line], output: [] });
    else if (commands.length === 0) throw new Error(`a console block begins with a command, not with: ${line}`);
    else commands.at(-1)![open ? 'command' : 'output'].push(line);
    open = line.endsWith('\\') && (open || line.startsWith('$ '));
  }
  return commands;
}

/** Runs a command, and returns its lines and those of its output; lines that differ only in a time stay as they are. */
async function run({ command, output: expected }: ShownCommand, stage: Scene): Promise<string[]> {
  const [program, ...args] = wordsOf(
    command
      .map((line) => line.replace(/\\$/, ''))
      .join(' ')
      .slice(2),
  );
  const { output, code } = await ended(program!, args, stage);
  const printed = steady(output, stage);
  if (/^(\$ |`{3,}$)/m.test(printed)) throw new Error(`this output cannot be in a transcript:\n${printed}`);
  const marker = code === 0 ? [] : [`[exit ${code}]`];
  const lines = [...(printed === '' ? [] : printed.replace(/\n$/, '').split('\n')), ...marker];
  return [...command, ...lines.map((line, i) => (steady(expected[i] ?? '', stage) === line ? expected[i]! : line))];
}

/** Splits at spaces, other than in '…' and "…". */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two));
}

interface Ended {
  output: string;
  code: number | null;
}

async function ended(program: string, args: readonly string[], stage: Scene): Promise<Ended> {
  const { folder, appreg } = stage;
  switch (program) {
    case 'cat':
      return { output: args.map((path) => readFileSync(join(folder, path), 'utf8')).join(''), code: 0 };
    case 'cp':
      // An example of this repository.
      if (args[0] === '-r') {
        cpSync(join(root, args[1]!), join(folder, args[2]!), { recursive: true });
        return { output: '', code: 0 };
      }
      copyFileSync(join(folder, args[0]!), join(folder, args[1]!));
      return { output: '', code: 0 };
    case 'head': {
      const lines = readFileSync(join(folder, args[1]!), 'utf8').split('\n');
      return { output: `${lines.slice(0, -Number(args[0])).join('\n')}\n`, code: 0 };
    }
    case 'tail': {
      const lines = readFileSync(join(folder, args[1]!), 'utf8').trimEnd().split('\n');
      return { output: `${lines.slice(Number(args[0])).join('\n')}\n`, code: 0 };
    }
    case 'ls': {
      const names = readdirSync(join(folder, args[0] ?? '.')).filter((name) => !name.startsWith('.'));
      return {
        output: names
          .sort()
          .map((name) => `${name}\n`)
          .join(''),
        code: 0,
      };
    }
    case 'export': {
      const [, name = '', path = ''] = /^(\w+)=\$\(cat (\S+)\)$/.exec(args[0] ?? '') ?? [];
      stage.variables.set(name, readFileSync(join(folder, path), 'utf8').trimEnd());
      return { output: '', code: 0 };
    }
    case 'git':
      return spawned(['git', ...args], folder, environment(folder));
    case 'node':
      return spawned([process.execPath, ...args], folder, environment(folder));
    case 'appreg':
      if (args.at(-1) === '&') return serving([...appreg, ...args.slice(0, -1)], stage);
      return appregRun(
        args.map((word) => asServed(word, stage)),
        stage,
      );
    default:
      throw new Error(`a walk cannot run ${program}`);
  }
}

async function appregRun(words: readonly string[], stage: Scene): Promise<Ended> {
  const { appreg, folder, shared } = stage;
  const env = environmentOf(stage);
  return shared === undefined ? spawned([...appreg, ...words], folder, env) : shared.run(words, { cwd: folder, env });
}

const PORT = /(?<=^https?:\/\/127\.0\.0\.1:)\d+/;

/** A word as it is meant on this machine. */
function asServed(word: string, { folder, servers, shown = asIs }: Scene): string {
  return word.replace(PORT, (port) => servers.get(port)?.port ?? port).replace(/^~(?=\/)/, shown(homeOf(folder)));
}

function homeOf(folder: string): string {
  return `${folder}.home`;
}

/** Starts `appreg serve` on a free port, and waits until it is ready and its output is complete. */
function serving(command: readonly string[], stage: Scene): Ended {
  const { folder, servers } = stage;
  const log = `${folder}.serve-${servers.size}.log`;
  const descriptor = openSync(log, 'w');
  const at = command.indexOf('--port') + 1;
  const shownPort = at > 0 ? command[at]! : '8080';
  const [program, ...words] = at > 0 ? command.with(at, '0') : [...command, '--port', '0'];
  const child = spawn(program!, words, {
    cwd: folder,
    env: environmentOf(stage),
    stdio: ['ignore', descriptor, descriptor],
  });
  closeSync(descriptor);
  let output = '';
  for (let quiet = 0, tries = 0; quiet < 5 && tries < 300; tries++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    const now = readFileSync(log, 'utf8');
    quiet = now === output && now !== '' ? quiet + 1 : 0;
    output = now;
  }
  servers.set(shownPort, { child, port: PORT.exec(output)?.[0] ?? '0' });
  return { output, code: 0 };
}

/** Both streams go to one file, so that they stand in the order written; no terminal is seen. */
function spawned([file, ...args]: readonly string[], folder: string, env: NodeJS.ProcessEnv): Ended {
  const log = `${folder}.log`;
  const descriptor = openSync(log, 'w');
  try {
    const { status, error } = spawnSync(file!, args, {
      cwd: folder,
      env,
      stdio: ['ignore', descriptor, descriptor],
      timeout: 60_000,
    });
    if (error) throw error;
    return { output: readFileSync(log, 'utf8'), code: status };
  } finally {
    closeSync(descriptor);
  }
}

/** The same on every machine: no settings of the user, of a CI system or of the test runner. */
function environmentOf({ folder, variables, environment: changed = asIs, shown = asIs }: Scene): NodeJS.ProcessEnv {
  return changed({ ...environment(folder, shown), ...Object.fromEntries(variables) });
}

function asIs<T>(value: T): T {
  return value;
}

function environment(folder: string, shown: (path: string) => string = asIs): Record<string, string> {
  const inherited = ['PATH', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP'];
  const who = { NAME: 'Ada Example', EMAIL: 'ada@example.com', DATE: '2026-01-01T00:00:00Z' };
  const settings = { 'init.defaultBranch': 'main', 'commit.gpgSign': 'false', 'core.autocrlf': 'false' };
  const env: Record<string, string> = {
    HOME: shown(homeOf(folder)),
    USERPROFILE: shown(homeOf(folder)),
    NO_COLOR: '1',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  for (const role of ['AUTHOR', 'COMMITTER'])
    for (const [name, value] of Object.entries(who)) env[`GIT_${role}_${name}`] = value;
  for (const [at, [name, value]] of Object.entries(settings).entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = name;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  env['GIT_CONFIG_COUNT'] = String(Object.keys(settings).length);
  return env;
}

/**
 * Names the parts that differ between runs and machines: folders, times, ports, hosts, and the version of appreg; and
 * the number of checks that were not made, which every new rule changes: the numbers in the texts are examples.
 */
function steady(output: string, { folder, shown = asIs }: Stage): string {
  const version = VERSION.replaceAll('.', '\\.');
  return (
    output
      .replaceAll('\r\n', '\n')
      // A message of Wine, which a busy machine shows now and then.
      .replaceAll(/^wine: .*\n/gm, '')
      .replaceAll(shown(homeOf(folder)), '~')
      .replaceAll(JSON.stringify(shown(folder)).slice(1, -1), '<dir>')
      .replaceAll(shown(folder), '<dir>')
      .replaceAll(/(<dir>|~\\)[^\s"]+/g, (path) => path.replaceAll(/\\+/g, '/'))
      // Progress, which only a slow machine shows.
      .replaceAll(/^(Building|building|Publishing|Reading|Requesting) \S+( .*)?\n/gm, '')
      // A line for each app, in the order in which they end.
      .replaceAll(
        /^(unchanged|new|changed|rebuilt|behind|unlisted|broken|published|already-published) {2,}\S+.*\n/gm,
        '',
      )
      .replaceAll(/(?<=, )\d+(\.\d+)? (ms|s)(?=\))/g, '<time>')
      .replaceAll(/(?<="seconds": )[\d.]+/g, '<time>')
      .replaceAll(/(?<="ruleIndex": )\d+/g, '<index>')
      .replaceAll(/(?<="notJudged": )\d+/g, '<count>')
      .replaceAll(/^\d+(?= checks? not made: they need the network)/gm, '<count>')
      .replaceAll(/(?<=\bappreg@|· appreg )\d+\.\d+\.\d+/g, '<version>')
      .replaceAll(/(?<="notJudged": )\d+/g, '<count>')
      .replaceAll(/\b\d{4}-\d\d-\d\d(T[\d:.]+Z| [\d:]+ UTC)/g, '<time>')
      .replaceAll(/(?<=appreg local authority \()[^)]+/g, '<host>')
      .replaceAll(/(?<=(127\.0\.0\.1|localhost):)\d+/g, '<port>')
      .replaceAll(new RegExp(`(?<=^|"name": "appreg",\\s+"version": ")${version}(?="|$)`, 'gm'), '<version>')
  );
}

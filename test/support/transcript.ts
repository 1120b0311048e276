import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { VERSION } from '../../src/core/tool.ts';

/**
 * Walks: Markdown that is run. In one empty folder, from the top down,
 *
 * - a fenced block with `title=<path>` is written to that file;
 * - in a block marked `console`, each line that begins with `$ ` is a command, what follows is its output, stdout and
 *   stderr in the order written, and `[exit 1]` stands behind it when the exit code is not 0. A command goes on in the
 *   next line behind a `\`;
 * - everything else is prose.
 *
 * There is no shell: words, quotes, and the programs `appreg`, `git`, `cat`, `head -<lines>` and `ls`.
 */

export interface Stage {
  /** The Node that runs appreg: an absolute path. */
  node: string;
  /** Its start file: an absolute path. */
  appreg: string;
  /** An empty folder; a real path, without links. */
  folder: string;
}

/** Plays a walk, and gives it back with what its commands print now. Throws for Markdown that is no walk. */
export function play(markdown: string, stage: Stage): string {
  const lines = markdown.split('\n');
  const played: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const open = /^(`{3,})(\w*)(?: title=(\S+))?$/.exec(lines[at]!);
    played.push(lines[at]!);
    if (!open) continue;
    const [, fence, language, title] = open;
    const end = lines.indexOf(fence!, at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: the block is not closed`);
    const block = lines.slice(at + 1, end);
    if (title !== undefined) writeAt(stage.folder, title, `${block.join('\n')}\n`);
    played.push(...(language === 'console' ? commandsOf(block).flatMap((command) => run(command, stage)) : block));
    played.push(fence!);
    at = end;
  }
  return played.join('\n');
}

function writeAt(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The commands of a console block, each with the lines that it stands on. */
function commandsOf(block: readonly string[]): string[][] {
  const commands: string[][] = [];
  let open = false;
  for (const line of block) {
    if (line.startsWith('$ ')) commands.push([line]);
    else if (open) commands.at(-1)!.push(line);
    else if (commands.length === 0) throw new Error(`a console block begins with a command, not with: ${line}`);
    open = line.endsWith('\\') && (open || line.startsWith('$ '));
  }
  return commands;
}

/** Runs a command, and gives its lines and those of its output. */
function run(command: readonly string[], stage: Stage): string[] {
  const [program, ...args] = wordsOf(
    command
      .map((line) => line.replace(/\\$/, ''))
      .join(' ')
      .slice(2),
  );
  const { output, code } = ended(program!, args, stage);
  const printed = steady(output, stage.folder);
  if (/^(\$ |`{3,}$)/m.test(printed)) throw new Error(`this output cannot stand in a walk:\n${printed}`);
  const marker = code === 0 ? [] : [`[exit ${code}]`];
  return [...command, ...(printed === '' ? [] : printed.replace(/\n$/, '').split('\n')), ...marker];
}

/** Splits at spaces, other than in '…' and "…". */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two));
}

function ended(program: string, args: readonly string[], stage: Stage): { output: string; code: number | null } {
  const { folder, node, appreg } = stage;
  switch (program) {
    case 'cat':
      return { output: args.map((path) => readFileSync(join(folder, path), 'utf8')).join(''), code: 0 };
    case 'head': {
      const lines = readFileSync(join(folder, args[1]!), 'utf8').split('\n');
      return { output: `${lines.slice(0, -Number(args[0])).join('\n')}\n`, code: 0 };
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
    case 'git':
      return spawned('git', args, folder);
    case 'appreg':
      return spawned(node, [appreg, ...args], folder);
    default:
      throw new Error(`a walk cannot run ${program}`);
  }
}

/** Both streams go to one file, so that they stand in the order written; no terminal is seen. */
function spawned(file: string, args: readonly string[], folder: string): { output: string; code: number | null } {
  const log = `${folder}.log`;
  const descriptor = openSync(log, 'w');
  try {
    const { status, error } = spawnSync(file, args, {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', descriptor, descriptor],
      timeout: 60_000,
    });
    if (error) throw error;
    return { output: readFileSync(log, 'utf8'), code: status };
  } finally {
    closeSync(descriptor);
  }
}

/** The same for everyone: nothing of the user's settings, of a CI system or of the test runner. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP', 'USERPROFILE'];
  const who = { NAME: 'Ada Example', EMAIL: 'ada@example.com', DATE: '2026-01-01T00:00:00Z' };
  const settings = { 'init.defaultBranch': 'main', 'commit.gpgSign': 'false', 'core.autocrlf': 'false' };
  const env: NodeJS.ProcessEnv = {
    NO_COLOR: '1',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name];
  for (const role of ['AUTHOR', 'COMMITTER'])
    for (const [name, value] of Object.entries(who)) env[`GIT_${role}_${name}`] = value;
  for (const [at, [name, value]] of Object.entries(settings).entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = name;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  env['GIT_CONFIG_COUNT'] = String(Object.keys(settings).length);
  return env;
}

/** What differs between runs and machines gets a name: the folder, times, ports, and the version of appreg. */
function steady(output: string, folder: string): string {
  const version = VERSION.replaceAll('.', '\\.');
  return output
    .replaceAll('\r\n', '\n')
    .replaceAll(JSON.stringify(folder).slice(1, -1), '<dir>')
    .replaceAll(folder, '<dir>')
    .replaceAll(/<dir>[^\s"]+/g, (path) => path.replaceAll(/\\+/g, '/'))
    .replaceAll(/(?<=, )\d+(\.\d+)? (ms|s)(?=\))/g, '<time>')
    .replaceAll(/(?<="seconds": )[\d.]+/g, '<time>')
    .replaceAll(/(?<=(127\.0\.0\.1|localhost):)\d+/g, '<port>')
    .replaceAll(new RegExp(`(?<=^|"name": "appreg",\\s+"version": ")${version}(?="|$)`, 'gm'), '<version>');
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.ts';
import { GROUP_NAMES, type GroupName, GROUPS } from '../../../src/cli/define/groups.ts';
import { buildProgram, parse } from '../../../src/cli/program/program.ts';

/** The help of the program and of the groups of its commands. */

const printed = vi.hoisted((): string[] => []);
vi.mock(import('../../../src/cli/io/streams.ts'), async (original) => ({
  ...(await original()),
  toStdout: (text) => void printed.push(text),
}));

afterEach(() => vi.unstubAllEnvs());

const DEFINITIONS = COMMANDS.map(({ definition }) => definition);

function helpOf(words: readonly string[], columns = 80): string {
  vi.stubEnv('COLUMNS', String(columns));
  printed.length = 0;
  expect(parse(words)).toBeNull();
  return printed.join('');
}

function errorOf(words: readonly string[]): unknown {
  const parsed = parse(words);
  return parsed !== null && 'error' in parsed ? parsed.error : null;
}

/** The first words of the lines of a section. */
function namesIn(help: string, title: string): string[] {
  const section = help.split('\n\n').find((one) => one.startsWith(`${title}:\n`)) ?? '';
  return section
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(' ')[0] ?? '');
}

describe('the help of the program', () => {
  test('begins with the commands of every day', () => {
    expect(namesIn(helpOf(['--help']), 'Everyday')).toEqual(
      'init add-app bundle publish-version lint verify diagnose release serve'.split(' '),
    );
  });

  test('lists each command once, on a line in its group, in the order of COMMANDS', () => {
    const help = helpOf(['--help']);
    const shown = GROUP_NAMES.flatMap((group) => namesIn(help, GROUPS[group].title).map((name) => [group, name]));
    const commands = DEFINITIONS.filter(({ name }) => !name.includes(' '));
    expect(shown).toEqual(commands.map(({ group, name }) => [group, name]));
  });

  test.each([80, 200])('has lines of at most 80 columns at a terminal of %i', (columns) => {
    const lines = helpOf(['--help'], columns).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const { name, description } of DEFINITIONS.filter((one) => !one.name.includes(' ')))
      expect(lines).toContainEqual(`  ${name.padEnd('publish-version'.length)}  ${description}`);
  });

  test('fits a narrower terminal', () => {
    const lines = helpOf(['--help'], 40).split('\n');
    expect(lines.filter((line) => line.length > 40 && !/\S{30,}/.test(line))).toEqual([]);
  });

  test.each([[['help']], [['-h']], [['help', '--no-color']]])('is printed for %j', (words) => {
    expect(helpOf(words)).toBe(helpOf(['--help']));
  });
});

test('docs/commands.md has the groups and commands in the same order', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/commands.md'), 'utf8');
  const sections = text.split('\n## ').map((section) => section.split(/\r?\n/));
  for (const group of GROUP_NAMES) {
    const rows = sections.find(([title]) => title === GROUPS[group].title) ?? [];
    const names = rows.flatMap((row) => /^\| `([\w-]+)/.exec(row)?.[1] ?? []);
    expect(names).toEqual(members(group));
  }
  const titles = sections.flatMap(([title]) => GROUP_NAMES.filter((name) => GROUPS[name].title === title));
  expect(titles).toEqual(GROUP_NAMES);
});

/** The commands of a group, without subcommands. */
function members(group: GroupName): string[] {
  return DEFINITIONS.filter((one) => one.group === group && !one.name.includes(' ')).map(({ name }) => name);
}

test('a subcommand follows its command, and belongs to the same group', () => {
  for (const [at, { name, group }] of DEFINITIONS.entries()) {
    const [first, second] = name.split(' ');
    if (second === undefined) continue;
    expect(DEFINITIONS[at - 1]?.name.split(' ')[0]).toBe(first);
    expect(DEFINITIONS.find((one) => one.name === first)?.group).toBe(group);
  }
});

describe('help <group>', () => {
  test.each(GROUP_NAMES)('%s has its purpose and its commands, within 80 columns', (name) => {
    const { title, purpose } = GROUPS[name];
    const help = helpOf(['help', name]);
    const shown = DEFINITIONS.filter(({ group }) => group === name);
    expect(help.startsWith(`${title}:\n${purpose}\n\n`)).toBe(true);
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const lines = help.split('\n').filter((line) => /^ {2}\S/.test(line));
    expect(lines).toHaveLength(shown.length);
    for (const [at, { name: command, arguments: declared }] of shown.entries())
      expect(lines[at]).toMatch(` ${[command, ...declared.map(({ usage }) => usage)].join(' ')} `);
  });

  test.each([
    [['help', 'EVERYDAY'], 'everyday'],
    [['help', 'Repositories'], 'repositories'],
    [['help', 'repositories', 'AND', 'hosts'], 'repositories'],
    [['help', 'Repositories and hosts'], 'repositories'],
    [['help', 'other', 'tools'], 'other'],
  ])('%j is the help of %s', (words, name) => {
    expect(helpOf(words)).toBe(helpOf(['help', name]));
  });

  test('a group is named by the first word of its title, which is no command', () => {
    const names = buildProgram([]).commands.map((one) => one.name());
    for (const name of GROUP_NAMES) {
      expect(GROUPS[name].title.toLowerCase().split(' ')[0]).toBe(name);
      expect(names).not.toContain(name);
    }
  });
});

describe('help <command>', () => {
  test.each(DEFINITIONS.map(({ name }) => name))('%s is its --help', (name) => {
    const words = name.split(' ');
    expect(helpOf(['help', ...words])).toBe(helpOf([...words, '--help']));
  });
});

test.each([
  ['nonsense', 'Unknown command or group “nonsense”.'],
  ['verfy', 'Unknown command or group “verfy”. Did you mean verify?'],
  ['Lint', 'Unknown command or group “Lint”. Did you mean lint?'],
  ['editting', 'Unknown command or group “editting”. Did you mean editing?'],
  ['app', 'Unknown command or group “app”. Did you mean add-app, edit-app or remove-app?'],
  ['service bakup', 'Unknown command or group “service bakup”. Did you mean service backup?'],
  ['lint extra', 'Unknown command or group “lint extra”. Did you mean lint?'],
  ['\u001b[2J', 'Unknown command or group “\\u{1b}[2J”.'],
])('help %s is an error', (line, message) => {
  expect(errorOf(['help', ...line.split(' ')])).toMatchObject({
    code: 'usage',
    message,
    hint: 'appreg --help lists the commands and the global options.',
  });
});

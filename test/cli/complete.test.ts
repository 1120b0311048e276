import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { complete, unquoted } from '../../src/cli/completion/complete.ts';
import type { OptionDefinition } from '../../src/cli/define/command.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { GROUP_NAMES } from '../../src/cli/define/groups.ts';
import { buildProgram, parse } from '../../src/cli/program/program.ts';
import { rules } from '../../src/core/rules/index.ts';
import { folder, write } from '../support/folders.ts';

/** The candidates at Tab, without a shell. */

const program = buildProgram(null);
const CHECK_FORMATS = expect.arrayContaining(['pretty', 'json']);

async function candidatesFor(...words: string[]): Promise<{ values: string[]; otherwise: string }> {
  const [otherwise = '', ...lines] = (await complete(program, ['zsh', ...words])).trimEnd().split('\n');
  return { values: lines.map((line) => line.split('\t')[0]!), otherwise };
}
const valuesAt = async (...words: string[]): Promise<string[]> => (await candidatesFor(...words)).values;

/** The program and its commands, help among them. */
const allCommands: Command[] = [program, ...program.createHelp().visibleCommands(program)];

describe('completion of commands and options', () => {
  test('offers every command where a command is expected', async () => {
    expect(await valuesAt('')).toEqual(allCommands.slice(1).map((command) => command.name()));
    expect(await valuesAt('help', 'ver')).toEqual(['verify']);
    expect(await valuesAt('--cwd', 'x', '--quiet', 'pub')).toEqual(['publish-version']);
  });

  test('offers commands and then groups after help, and the subcommands of a command', async () => {
    const commands = COMMANDS.map(({ definition }) => definition.name).filter((name) => !name.includes(' '));
    expect(await valuesAt('help', '')).toEqual([...commands, 'help', ...GROUP_NAMES]);
    expect(await valuesAt('help', 'e')).toEqual(['edit-app', 'explain', 'everyday', 'editing', 'evidence']);
    expect(await valuesAt('--quiet', 'help', 'service', '')).toEqual(['backup', 'restore']);
    for (const words of [['lint'], ['editing'], ['nonsense'], ['service', 'backup']])
      expect(await valuesAt('help', ...words, '')).toEqual([]);
  });

  test.each(allCommands.map((command) => [command.name(), command] as const))(
    'offers every option of %s',
    async (name, command) => {
      const options = command.createHelp().visibleOptions(command);
      expect(await valuesAt(...(command === program ? [] : [name]), '-')).toEqual(
        options.map(({ long, short }) => long ?? short),
      );
    },
  );

  test('includes descriptions for shells that show them', async () => {
    expect(await complete(program, ['fish', 'lint', '--fi'])).toBe(
      'nothing\n--fix\tfix what can be fixed automatically\n',
    );
    expect(await complete(program, ['bash', 'lint', '--fi'])).toBe('nothing\n--fix\n');
  });

  test('knows the type of every option with a value', () => {
    const definitions = COMMANDS.flatMap(({ definition }) => Object.values<OptionDefinition>(definition.options));
    expect(definitions.length).toBeGreaterThan(50);
    for (const { type, flags } of definitions) expect(flags.includes('<'), flags).toBe(type !== 'boolean');
  });

  test.each(COMMANDS.flatMap(({ definition }) => definition.examples))(
    'accepts the example “%s” as a valid call',
    (line) => {
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect(parse(words)).toHaveProperty('command');
    },
  );
});

describe('completion of values', () => {
  const ids = rules.map(({ id }) => `${id}=`);
  test.each<[string[], unknown]>([
    [['lint', '--format', ''], CHECK_FORMATS],
    [['lint', '--format=js'], ['--format=json']],
    [
      ['checksum', '--format', ''],
      ['pretty', 'json'],
    ],
    [
      ['init', '--store', ''],
      ['directory', 'git', 's3'],
    ],
    [['init', '--store=g'], ['--store=git']],
    [
      ['init', '--ci', ''],
      ['github', 'gitlab', 'none'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['publish-version', 'app', 'm'],
      ['major', 'minor'],
    ],
    [
      ['verify', '--versions', ''],
      ['all', 'latest'],
    ],
    [['lint', '--rule', ''], ids],
    [['lint', '--rule=artifact-changed'], ['--rule=artifact-changed=']],
    [['lint', '--rule', 'artifact-changed='], ['off', 'note', 'warning', 'error'].map((l) => `artifact-changed=${l}`)],
    [['lint', '--rule=artifact-changed=w'], ['--rule=artifact-changed=warning']],
    [['verify', '--timeout', ''], []],
    [['verify', '--timeout', '-'], []],
    [['add-app', ''], []],
    [['no-such-command', ''], []],
    [['no-such-command', '--'], []],
    [['bundle', 'a', 'b', ''], []],
    [['lint', '--', '--f'], []],
    [['lint', '--no-such=', ''], []],
  ])('offers the expected values for %j', async (words, values) => {
    expect(await valuesAt(...words)).toEqual(values);
  });

  test.each([
    [['judge', ''], 'files'],
    [['lint', 'a', 'b', ''], 'files'],
    [['lint', '--', '-'], 'files'],
    [['verify', 'https://x.example/', '--ca', ''], 'files'],
    [['lint', '--config='], 'files'],
    [['serve', ''], 'folders'],
    [['lint', '--cwd', ''], 'folders'],
    [['lint', '--rule', ''], 'nothing nospace'],
    [['bundle', 'a', 'b', ''], 'nothing'],
    [['verify', '--concurrency', ''], 'nothing'],
  ])('for %j lets the shell add %s', async (words, otherwise) => {
    expect((await candidatesFor(...words)).otherwise).toBe(otherwise);
  });
});

describe('completion from the workspace', () => {
  const root = folder({
    'appreg.config.json': { manifest: 'apps.json', baseUrl: 'https://apps.example.com/x/' },
    'apps.json': { apps: { clock: {}, 'feed-watch': {}, 'bad key; rm -rf ~': {}, '$(id)': {} } },
    'hostile/appreg.config.json': { baseUrl: 'https://apps.example.com/;id;/' },
    'hostile/registry.json': '{ "apps": ',
    'code/appreg.config.mjs': 'throw new Error("was run");',
    'code/registry.json': { apps: { timer: {} } },
    'wrong-types/appreg.config.json': { manifest: 7, baseUrl: {} },
  });

  test.each([
    ['publish-version', ['--cwd', root, 'publish-version', '']],
    ['verify --app', ['verify', 'https://x.example/', '--cwd', root, '--app', '']],
    ['--config', ['publish-version', `--config=${join(root, 'appreg.config.json')}`, '']],
  ])('offers only URL-safe app keys for %s', async (_, words) => {
    expect(await valuesAt(...words)).toEqual(['clock', 'feed-watch']);
  });

  test('offers the URL of the registry', async () => {
    expect(await valuesAt('verify', '--cwd', root, '')).toEqual(['https://apps.example.com/x/apps.json']);
  });

  test('offers nothing from a broken workspace, or one with text that is unsafe in a shell', async () => {
    expect(await valuesAt('verify', '--cwd', join(root, 'hostile'), '')).toEqual([]);
    expect(await valuesAt('publish-version', '--cwd', join(root, 'hostile'), '')).toEqual([]);
    expect(await valuesAt('publish-version', '--cwd', join(root, 'wrong-types'), '')).toEqual([]);
    expect(await valuesAt('publish-version', '--cwd', join(root, 'nowhere'), '')).toEqual(['clock', 'feed-watch']);
  });

  test('does not execute a configuration that is code', async () => {
    expect(await valuesAt('publish-version', '--cwd', join(root, 'code'), '')).toEqual(['timer']);
  });

  test('ignores a manifest that is too large to read quickly', async () => {
    write(root, {
      'large/appreg.config.json': {},
      'large/registry.json': JSON.stringify({ apps: { clock: { name: 'x'.repeat(4_000_000) } } }),
    });
    expect(await valuesAt('publish-version', '--cwd', join(root, 'large'), '')).toEqual([]);
  });
});

describe('words of the command line', () => {
  test.each([
    [`'ver`, 'ver'],
    [`"a b`, 'a b'],
    [`a\\ b`, 'a b'],
    [`--x="a \\"b\\" \\c"'d e'f`, '--x=a "b" \\cd ef'],
    [`it\\'s`, "it's"],
    ['$(id)', '$(id)'],
    ['', ''],
  ])('%s is parsed as %s', (raw, word) => {
    expect(unquoted(raw)).toBe(word);
  });

  // As bash 5 splits them; it expects only the last of the words that it splits off.
  test.each([
    [['lint', '--format', '=', 'js'], 'json'],
    [['lint', '--format', '='], 'json'],
    [['lint', '--rule', 'artifact-changed', '=', 'w'], 'warning'],
    [['lint', '--rule', '=', 'artifact-changed', '=', 'w'], 'warning'],
    [['lint', '--rule=artifact-changed=w'], '--rule=artifact-changed=warning'],
    [['lint', '"--format=js'], '--format=json'],
    [['verify', 'https', ':', '//x.example/', '--versions', 'la'], 'latest'],
  ])('of bash are completed: %j', async (words, value) => {
    expect((await complete(program, ['bash', ...words])).split('\n')).toContain(value);
  });
});

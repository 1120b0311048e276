import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { githubWorkflow } from '../../src/author/github-workflow.ts';
import { gitlabPipeline } from '../../src/author/gitlab-pipeline.ts';
import { flagOf } from '../../src/cli/define/command.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { globalOptions } from '../../src/cli/define/option-groups.ts';

/** Every command and every input of the action in a template, a workflow or a page exists. */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const FOLDERS = ['README.md', 'action.yml', '.pre-commit-hooks.yaml', 'templates', 'docs', 'examples', 'deploy'];
const TEXT = /\.(?:md|ya?ml|json|sh|service|timer|conf)$|Containerfile$/;

const workspace = {
  manifest: 'registry.json',
  baseUrl: 'https://apps.example.com/',
  serviceOrigins: ['https://flows.example.com'],
  appreg: '1.2.3',
  attest: false,
  store: { type: 'directory' },
};
const GENERATED = [
  ['what init --ci github writes', githubWorkflow(workspace)],
  ['what init --ci gitlab writes', gitlabPipeline(workspace)],
] as const;

/** The files of the repository, and those that commands write: name and text. */
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ...execFileSync('git', ['ls-files', ...FOLDERS], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => TEXT.test(path))
    .map((path) => [path, read(path)] as const),
  ...GENERATED,
];

const DEFINITIONS = COMMANDS.map(({ definition }) => definition);
const GLOBAL_FLAGS = [...Object.values(globalOptions).map(flagOf), '--help', '--version'];

/** The words of each command in a text: up to the end of the line, of the code, or of the command. */
function commandsIn(text: string): string[][] {
  const joined = text.replace(/\\\n\s*/g, ' ');
  const names = [...new Set(DEFINITIONS.map(({ name }) => name.split(' ')[0]))].join('|');
  const call = new RegExp(
    `\\bappreg(?:@[\\w.$"]+)? (?=(?:--[\\w-]+ )*(?:${names})(?![\\w-]))((?:(?!\\bappreg\\b)[^\\n\`])*)`,
    'g',
  );
  return [...joined.matchAll(call)].map(([, rest = '']) => wordsOf(rest));
}

/** Words of a shell command; quoted texts are one word. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    if (/^(?:[|;&<>#)]|—|-$|\d?>)/.test(word)) break;
    words.push(word.replace(/[;),.:'"]+$/, ''));
    if (/[;)]$/.test(word)) break;
  }
  return words;
}

/** The flags of a command line that the program does not have; null if no such command exists. */
function unknownFlags(words: readonly string[]): string[] {
  const start = words.findIndex((word) => !word.startsWith('-'));
  const [first = '', second = ''] = words.slice(start);
  const definition =
    DEFINITIONS.find(({ name }) => name === `${first} ${second}`) ?? DEFINITIONS.find(({ name }) => name === first);
  if (definition === undefined) return [first];
  const known = new Set([...GLOBAL_FLAGS, ...Object.values(definition.options).map(flagOf)]);
  return words
    .filter((word) => /^-{1,2}[a-z]/.test(word))
    .map((word) => word.replace(/=.*$/s, ''))
    .filter((flag) => !known.has(flag));
}

test('the commands of a text are found with their flags', () => {
  expect(commandsIn('Run `appreg lint --fix`, or: npx appreg@1 verify \\\n  https://x --cache d | tee x --y')).toEqual([
    ['lint', '--fix'],
    ['verify', 'https://x', '--cache', 'd'],
  ]);
  expect(unknownFlags(['lint', '--fix', '--fxi', '--rule=a=off', '-x'])).toEqual(['--fxi', '-x']);
  expect(unknownFlags(['service', 'backup', 'file', '--nope'])).toEqual(['--nope']);
  expect(TEXTS.flatMap(([, text]) => commandsIn(text)).length).toBeGreaterThan(150);
});

test.each(TEXTS.filter(([, text]) => commandsIn(text).length > 0))(
  'the commands in %s have options of theirs',
  (_, text) => {
    const wrong = commandsIn(text).flatMap((words) => {
      const flags = unknownFlags(words);
      return flags.length === 0 ? [] : [`appreg ${words.join(' ')}: ${flags.join(' ')}`];
    });
    expect(wrong).toEqual([]);
  },
);

/** The steps of a YAML text that use the action: what they give as inputs. */
function actionInputs(text: string): string[][] {
  const found: string[][] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    const { uses, with: inputs } = value as { uses?: unknown; with?: object };
    if (typeof uses === 'string' && uses.startsWith('appreg/appreg@')) found.push(Object.keys(inputs ?? {}));
    Object.values(value).forEach(visit);
  };
  for (const document of parseAllDocuments(text)) visit(document.toJS());
  return found;
}

/** The YAML in a file: all of it, or that of its code blocks. */
function yamlIn([name, text]: readonly [string, string]): string[] {
  if (!name.endsWith('.md')) return /\.ya?ml$|^what init/.test(name) ? [text] : [];
  return [...text.matchAll(/^( *)```ya?ml[^\n]*\n(.*?)^\1```/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

describe('what is given to the action, and to the GitLab component,', () => {
  const inputs = Object.keys(parse(read('action.yml')).inputs);
  const steps = TEXTS.flatMap((file) =>
    yamlIn(file).flatMap((yaml) => actionInputs(yaml).map((given) => [file[0], given] as const)),
  );

  test('has uses in the documentation', () => {
    expect(steps.length).toBeGreaterThanOrEqual(7);
  });

  test.each(steps)('in %s: %j', (_, given) => {
    expect(given.filter((name) => !inputs.includes(name))).toEqual([]);
  });

  test('is declared where action.yml uses it', () => {
    const used = [...read('action.yml').matchAll(/\$\{\{\s*inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(used)].toSorted()).toEqual(inputs.toSorted());
  });

  test('is declared by the component', () => {
    const text = read('templates/check.yml');
    const [spec] = parseAllDocuments(text).map((document) => document.toJS());
    const declared = Object.keys(spec.spec.inputs);
    const used = [...text.matchAll(/\$\[\[\s*inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(used)].toSorted()).toEqual(declared.toSorted());
    const given = TEXTS.flatMap((file) => yamlIn(file))
      .flatMap((yaml) => parseAllDocuments(yaml).map((document) => document.toJS()))
      .flatMap((value) => (Array.isArray(value?.include) ? value.include : []))
      .filter(({ component }) => /\/appreg\/check@/.test(component))
      .flatMap(({ inputs: values }) => Object.keys(values ?? {}));
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter((name) => !declared.includes(name))).toEqual([]);
  });

  test('names commands that exist', () => {
    const [spec] = parseAllDocuments(read('templates/check.yml')).map((document) => document.toJS());
    const names = DEFINITIONS.map(({ name }) => name);
    expect(spec.spec.inputs.command.options.filter((name: string) => !names.includes(name))).toEqual([]);
  });
});

// Scenario: every option of every command gets every odd value.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { flagOf, type OptionDefinition } from '../../src/cli/define/command.ts';
import { globalOptions } from '../../src/cli/define/option-groups.ts';
import { buildInto } from '../support/built.ts';
import { openSharedProcess, type SharedProcess } from '../support/shared-process.ts';
import { entry, tgz } from '../support/tar-builder.ts';

/** No value of an option or an argument is a defect of the program: it is refused, or it is used. */

const ODD: readonly string[] = [
  '',
  ' ',
  '\t\n',
  'x'.repeat(10_000),
  'a\0b',
  'a\nb',
  '..',
  '/proc/self',
  'å/日本語',
  '🦀',
  '-1',
  '0',
  '00',
  '1.5',
  'NaN',
  '1e999',
  '9'.repeat(400),
  'https://',
  'https://user:p%zz@[::1:99999/../?#%',
  'http://127.0.0.1:1/%00/a b?x=\\',
  'file:///proc/self/nothing',
  '{"a":[1,{"b":null}]}',
  '__proto__',
  'constructor',
  '[!{*}](?**',
  '\ud800',
  'a=b=c',
  '=',
  ':',
  '@',
  'node',
  'chrome',
  'null',
  '1h',
  '--',
];

/**
 * A command line of each command that ends by itself, in the folder of the tests; `{registry}` is the URL of a manifest
 * that cannot be fetched. A row of options that the command has is replaced by the odd values, one at a time.
 */
const BASES: Record<string, string> = {
  init: 'init new --base-url https://apps.example.com/ --cwd scratch',
  'add-app': 'add-app lamp --name L --description S. --color #112233 --icon ../i.svg --cwd work --dry-run',
  'edit-app': 'edit-app clock --name Uhr --cwd work --dry-run',
  'remove-app': 'remove-app clock --cwd work --dry-run',
  assemble: 'assemble --dry-run --cwd folders',
  bundle: 'bundle app.js out.tar.gz',
  checksum: 'checksum app.js',
  'publish-version': 'publish-version clock 1.1.0 --artifact ../two.tar.gz --dry-run --cwd work',
  deprecate: 'deprecate clock 1.0.0 --reason broken --message Broken. --cwd work --dry-run',
  release: 'release --check --cwd sources',
  lint: 'lint work',
  verify: 'verify {registry} --timeout 1',
  diagnose: 'diagnose {registry} --timeout 1',
  lock: 'lock --cwd work',
  mirror: 'mirror {registry} scratch/copy --base-url https://m.example.com/',
  diff: 'diff work work',
  policy: 'policy policy.json',
  'policy test': 'policy test policy.json work',
  site: 'site pages --cwd work --dry-run',
  attestation: 'attestation two.tar.gz --key vendor.pub --app clock@1.1.0',
  judge: 'judge facts.json',
  explain: 'explain url-signed-expiring',
  rules: 'rules --cwd work',
  subscribe: 'subscribe https://apps.example.com/registry.json --service {service} --name Apps',
  // The port is in use, and the database refuses the login.
  serve: 'serve work --port {port}',
  service: 'service --port {port}',
  'service backup': 'service backup scratch/backup.gz',
  'service restore': 'service restore app.js',
  conformance: 'conformance',
  'conformance documents': 'conformance documents --only nothing',
  'conformance host': 'conformance host {registry} --only nothing',
  'conformance fixtures': 'conformance fixtures scratch/fixtures',
  'conformance subscriber': 'conformance subscriber --command false --only nothing',
  completion: 'completion bash',
};

/** Values with which a command would run until it is stopped, or write outside of the folder of the tests. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'serve --port': ['', ' ', '0', '00'],
  'service --port': ['0', '00'],
  'verify --wait': ['1h'],
};

let root: string;
let server: Server;
/** A database that refuses every login, so that the service ends. */
const database = createTcpServer((socket) => {
  const fields = 'SFATAL\0C28P01\0Mno\0\0';
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  socket.on('error', () => {});
  socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])));
});
let appreg: SharedProcess;
const places: Record<string, string> = {};

beforeAll(async () => {
  root = mkdtempSync(join(realpathSync.native(tmpdir()), 'appreg-odd-'));
  await buildInto(root);
  appreg = openSharedProcess(join(root, 'dist/node/main.cjs'), { limit: 10_000 });
  for (const name of ['in/scratch', 'in/sources/src/clock', 'in/folders/apps/clock'])
    mkdirSync(join(root, name), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'app.js': 'export {};',
    'policy.json': '{ "schema": 1, "deny": ["clock@<1.0.0"] }',
    'facts.json': '{}',
    'i.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>',
    'one.tar.gz': tgz(entry('app.js', 'export const version = 1;')),
    'two.tar.gz': tgz(entry('app.js', 'export const version = 2;')),
    'sources/appreg.config.json':
      '{ "baseUrl": "https://apps.example.com/", "release": [{ "folder": "src/*", "entry": "main.ts", "version": "VERSION" }] }',
    'sources/registry.json': '{ "apps": {} }',
    'sources/src/clock/main.ts': 'export {};',
    'sources/src/clock/VERSION': '1.0.0',
    'folders/appreg.config.json': '{ "baseUrl": "https://apps.example.com/" }',
    'folders/apps/clock/app.json':
      '{ "name": "Clock", "description": "Time.", "color": "#112233", "iconUrl": "https://apps.example.com/i.svg" }',
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, 'in', path), content);
  server = createServer((_, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve));
  places['port'] = String((server.address() as AddressInfo).port);
  places['service'] = `http://127.0.0.1:${places['port']}`;
  places['registry'] = `${places['service']}/registry.json`;
  for (const line of [
    'init work --base-url https://apps.example.com/',
    'add-app clock --name Clock --description Time. --color #112233 --icon ../i.svg --cwd work',
    'publish-version clock 1.0.0 --artifact ../one.tar.gz --no-read-back --cwd work',
  ]) {
    const { code, stderr } = await run(line.split(' '));
    expect(code, stderr).toBe(0);
  }
}, 120_000);
afterAll(() => {
  appreg.close();
  server.close();
  database.close();
  rmSync(root, { recursive: true, force: true });
});

function run(words: readonly string[]): ReturnType<SharedProcess['run']> {
  const { PATH, HOME } = process.env;
  const DATABASE_URL = `postgres://nobody@127.0.0.1:${(database.address() as AddressInfo).port}/none`;
  return appreg.run(words, { cwd: join(root, 'in'), env: { PATH, HOME, DATABASE_URL } });
}

test('every command has a base', () => {
  expect(Object.keys(BASES).toSorted()).toEqual(COMMANDS.map(({ definition }) => definition.name).toSorted());
});

/** The command lines whose run is a defect: by its text, or by ending otherwise than with an exit code. */
async function defects(lines: readonly (readonly string[])[]): Promise<string[]> {
  const found: string[] = [];
  for (const words of lines) {
    const { code, output } = await run(words).catch((error: unknown) => ({ code: -1, output: String(error) }));
    if (![0, 1, 2].includes(code) || /Internal error|Please report/.test(output))
      found.push(`${JSON.stringify(words).slice(0, 300)}: ${code} ${output.slice(0, 600)}`);
  }
  return found;
}

const withValue = (options: readonly OptionDefinition[]): OptionDefinition[] =>
  options.filter(({ type }) => type !== 'boolean');

function wordsOf(line: string): string[] {
  return line.split(' ').map((word) => places[word.slice(1, -1)] ?? word);
}

/** The words with another value of an option. */
function withOption(words: readonly string[], flag: string, value: string): string[] {
  const at = words.indexOf(flag);
  const others = at === -1 ? words : words.toSpliced(at, 2);
  return [...others, `${flag}=${value}`];
}

describe.each(COMMANDS.map(({ definition }) => [definition.name, definition] as const))('%s', (name, definition) => {
  const base = BASES[name] ?? name;

  test.each(withValue(Object.values(definition.options)).map((option) => [flagOf(option)] as const))(
    '%s',
    async (flag) => {
      const values = ODD.filter((value) => LEFT_OUT[`${name} ${flag}`]?.includes(value) !== true);
      expect(await defects(values.map((value) => withOption(wordsOf(base), flag, value)))).toEqual([]);
    },
  );

  test('arguments', async () => {
    const words = wordsOf(base);
    const first = name.split(' ').length;
    const places = definition.arguments.map((_, index) => first + index);
    const lines = places.flatMap((place) =>
      // What begins with a hyphen is an option.
      ODD.filter((value) => !value.startsWith('-') && value !== '/proc/self').map((value) =>
        words.toSpliced(place, 1, value),
      ),
    );
    expect(await defects(lines)).toEqual([]);
  });
});

describe.each(withValue(Object.values(globalOptions)).map((option) => [flagOf(option)] as const))(
  'the global option %s',
  (flag) => {
    test.each(['lint', 'publish-version', 'explain'])('of %s', async (name) => {
      expect(await defects(ODD.map((value) => withOption(wordsOf(BASES[name] ?? ''), flag, value)))).toEqual([]);
    });
  },
);

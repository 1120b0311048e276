import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { attest } from '../support/attest.ts';
import { startDatabase, startMigratedDatabase } from '../support/database.ts';
import { openSharedProcess } from '../support/shared-process.ts';
import { entry, tgz } from '../support/tar-builder.ts';

/** Every command as the built command line runs it: its JSON document when it succeeds and fails, and its stdout. */

const PROGRAM = join(import.meta.dirname, '../../dist/node/main.cjs');
const appreg = openSharedProcess(PROGRAM);
afterAll(() => appreg.close());

/** The command line of a run, in the folder of the tests; `{place}` is replaced by that address or path. */
interface Runs {
  succeeds: string;
  /** Commands that run until they are stopped are started as processes. */
  keepsRunning?: true;
  /** A command line that is refused before there is a result. */
  fails: string;
}

const NOWHERE = 'http://127.0.0.1:1';

const RUNS: Record<string, Runs> = {
  init: { succeeds: 'init new --base-url https://apps.example.com/', fails: 'init new --base-url nonsense' },
  'add-app': {
    succeeds: 'add-app lamp --name Lamp --description Shines. --color #112233 --icon ../i.svg --cwd work --dry-run',
    fails: 'add-app a/b --cwd work',
  },
  'edit-app': {
    succeeds: 'edit-app clock --name Uhr --cwd work --dry-run',
    fails: 'edit-app clok --name A --cwd work',
  },
  'remove-app': { succeeds: 'remove-app clock --cwd work --dry-run', fails: 'remove-app clock --cwd work' },
  assemble: { succeeds: 'assemble --check --cwd folders', fails: 'assemble --check --dry-run --cwd folders' },
  bundle: { succeeds: 'bundle app app.tar.gz', fails: 'bundle gone app.tar.gz' },
  checksum: { succeeds: 'checksum app.js', fails: 'checksum gone' },
  'publish-version': {
    succeeds: 'publish-version clock 1.1.0 --artifact ../two.tar.gz --dry-run --cwd work',
    fails: 'publish-version clock 1.0.0 --artifact ../two.tar.gz --cwd work',
  },
  deprecate: {
    succeeds: 'deprecate clock 1.0.0 --reason broken --message Broken. --cwd work --dry-run',
    fails: 'deprecate clock 9.9.9 --undo --cwd work',
  },
  release: { succeeds: 'release --check --cwd sources', fails: 'release --check --bump --cwd sources' },
  lint: { succeeds: 'lint work', fails: 'lint gone' },
  verify: { succeeds: 'verify {registry}', fails: 'verify {registry} --app clok' },
  diagnose: { succeeds: 'diagnose {registry} --app clock', fails: 'diagnose {registry} --version 1.0.0' },
  lock: { succeeds: 'lock --cwd work', fails: 'lock gone' },
  mirror: {
    succeeds: 'mirror {registry} copy --base-url https://m.example.com/',
    fails: `mirror ${NOWHERE}/registry.json other --base-url https://m.example.com/`,
  },
  diff: { succeeds: 'diff work work', fails: 'diff gone work' },
  policy: { succeeds: 'policy policy.json', fails: 'policy app.js' },
  'policy test': { succeeds: 'policy test policy.json work', fails: 'policy test policy.json gone' },
  site: { succeeds: 'site pages --cwd work', fails: 'site . --cwd app' },
  attestation: {
    succeeds: 'attestation two.tar.gz --key vendor.pub --app clock@1.1.0',
    fails: 'attestation two.tar.gz --key app.js',
  },
  judge: { succeeds: 'judge facts.json', fails: 'judge app.js' },
  explain: { succeeds: 'explain url-signed-expiring', fails: 'explain cors-mising' },
  rules: { succeeds: 'rules --cwd work', fails: 'rules --rule nothing=off' },
  subscribe: {
    succeeds: 'subscribe https://apps.example.com/registry.json --service {service} --name Apps',
    fails: 'subscribe https://apps.example.com/registry.json --service nonsense --name Apps',
  },
  serve: { succeeds: 'serve work --port 0', keepsRunning: true, fails: 'serve gone' },
  service: { succeeds: 'service --port 0', keepsRunning: true, fails: 'service --artifacts-max many' },
  'service backup': { succeeds: 'service backup backup.gz', fails: 'service backup gone/backup.gz' },
  'service restore': { succeeds: 'service restore backup.gz', fails: 'service restore app.js' },
  conformance: { succeeds: 'conformance', fails: 'conformance --set 99' },
  'conformance documents': { succeeds: 'conformance documents', fails: 'conformance documents --expected gone' },
  'conformance host': { succeeds: 'conformance host {registry}', fails: 'conformance host nonsense' },
  'conformance fixtures': {
    succeeds: 'conformance fixtures fixtures',
    fails: 'conformance fixtures fixtures --set 99',
  },
  'conformance subscriber': { succeeds: 'conformance subscriber --command app.js', fails: 'conformance subscriber' },
  completion: { succeeds: 'completion bash', fails: 'completion bsh' },
};

test('every command is in the table', () => {
  expect(Object.keys(RUNS).toSorted()).toEqual(COMMANDS.map(({ definition }) => definition.name).toSorted());
});

let root: string;
let server: Server;
let serving: Started;
const places: Record<string, string> = {};
const env: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  SystemRoot: process.env['SystemRoot'],
};
const databases: Record<string, string> = {};

beforeAll(async () => {
  root = mkdtempSync(join(realpathSync.native(tmpdir()), 'appreg-output-'));
  for (const name of ['app', 'sources/src/clock', 'folders/apps/clock'])
    mkdirSync(join(root, name), { recursive: true });
  write('app/app.js', 'export {};');
  write('app.js', 'export {};');
  write('policy.json', '{ "schema": 1, "deny": ["clock@<1.0.0"] }');
  write('i.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>');
  write('two.tar.gz', tgz(entry('app.js', 'export const version = 2;')));
  await attest(join(root, 'two.tar.gz'), { key: 'clock', version: '1.1.0' }, join(root, 'vendor.pub'));
  write(
    'sources/appreg.config.json',
    '{ "baseUrl": "https://apps.example.com/", "release": [{ "folder": "src/*", "entry": "main.ts", "version": "VERSION" }] }',
  );
  write('sources/registry.json', '{ "apps": {} }');
  write('sources/src/clock/main.ts', 'export {};');
  write('sources/src/clock/VERSION', '1.0.0');
  write('folders/appreg.config.json', '{ "baseUrl": "https://apps.example.com/" }');
  write(
    'folders/apps/clock/app.json',
    '{ "name": "Clock", "description": "Time.", "color": "#112233", "iconUrl": "https://apps.example.com/i.svg" }',
  );
  await prepared('init work --base-url https://apps.example.com/');
  await prepared('add-app clock --name Clock --description Time. --color #112233 --icon ../i.svg --cwd work');
  await prepared('publish-version clock 1.0.0 --artifact ../app-1.tar.gz --no-read-back --cwd work', () =>
    write('app-1.tar.gz', tgz(entry('app.js', 'export const version = 1;'))),
  );
  server = createServer((_, response) => void response.writeHead(201).end('{"id":"1"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  places['service'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  serving = start(['serve', 'work', '--port', '0', '--format', 'json'], env);
  places['registry'] = String((await serving.document)['manifestUrl']);
  await run(['verify', places['registry'], '--save', 'facts.json']);
  databases['service'] = (await startMigratedDatabase()).url;
  databases['service backup'] = databases['service'];
  databases['service restore'] = (await startDatabase()).url;
  await run(['service', 'backup', 'backup.gz'], { ...env, DATABASE_URL: databases['service'] });
}, 120_000);
afterAll(async () => {
  await serving.stop();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, content: string | Buffer): void {
  writeFileSync(join(root, path), content);
}

async function prepared(words: string, before = () => {}): Promise<void> {
  before();
  const { code, stderr } = await run(words.split(' '));
  expect(code, stderr).toBe(0);
}

function run(words: readonly string[], environment: NodeJS.ProcessEnv = env) {
  return appreg.run(words, { cwd: root, env: environment });
}

interface Started {
  /** The first document on stdout. */
  document: Promise<Record<string, unknown>>;
  /** Ends the process, and returns all of its stdout. */
  stop(): Promise<string>;
}

function start(words: readonly string[], environment: NodeJS.ProcessEnv): Started {
  const script = `require(${JSON.stringify(PROGRAM)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  const child = spawn(process.execPath, ['-e', script, 'appreg', ...words], { cwd: root, env: environment });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => (stderr += String(data)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const document = new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      stdout += String(data);
      // A document that is complete ends with a brace at the start of a line.
      if (stdout.endsWith('}\n')) resolve(JSON.parse(stdout) as Record<string, unknown>);
    });
    void ended.then(() => reject(new Error(stderr)));
  });
  return {
    document,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return stdout;
    },
  };
}

function wordsOf(name: string, line: string): { words: string[]; environment: NodeJS.ProcessEnv } {
  const words = line.split(' ').map((word) => places[word.slice(1, -1)] ?? word);
  const database = databases[name];
  return { words, environment: database === undefined ? env : { ...env, DATABASE_URL: database } };
}

function schemaOf(name: string): object {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as object;
}

const isOutput: ValidateFunction = new Ajv({
  allowUnionTypes: true,
  allErrors: true,
  keywords: ['patternErrorMessage'],
})
  .addSchema(schemaOf('report'), 'report.schema.json')
  .addSchema(schemaOf('release'), 'release.schema.json')
  .addSchema(schemaOf('conformance'), 'conformance.schema.json')
  .compile(schemaOf('output'));

function valid(document: unknown): Record<string, unknown> {
  expect(isOutput(document), `${JSON.stringify(isOutput.errors)}\n${JSON.stringify(document)}`).toBe(true);
  return document as Record<string, unknown>;
}

describe.each(Object.entries(RUNS))('appreg %s', (name, { succeeds, keepsRunning, fails }) => {
  test('prints one document that the schema describes', { timeout: 60_000 }, async () => {
    const { words, environment } = wordsOf(name, succeeds);
    const all = [...words, '--format', 'json'];
    if (keepsRunning === true) {
      const started = start(all, environment);
      expect(valid(await started.document)).toMatchObject({ command: name });
      return void JSON.parse(await started.stop());
    }
    const { stdout, stderr } = await run(all, environment);
    const document = valid(JSON.parse(stdout));
    expect(document, stderr).toMatchObject({ schema: 1, tool: { name: 'appreg' }, command: name });
    expect(document['error'], stderr).toBeUndefined();
  });

  test('prints one document with the error if it fails', async () => {
    const { words, environment } = wordsOf(name, fails);
    const { code, stdout, stderr } = await run([...words, '--format', 'json'], environment);
    const { command, error } = valid(JSON.parse(stdout));
    expect(command).toBe(name);
    expect(error).toMatchObject({ exit: code });
    const { message, hint } = error as { message: string; hint: string };
    expect(stderr.replace(/\n$/, '')).toContain(`appreg: ${message}\n  ${hint}`);
  });

  test('prints no error to stdout', async () => {
    const { words, environment } = wordsOf(name, fails);
    const { code, stdout, stderr } = await run(words, environment);
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^appreg: /m);
  });

  test('prints a document and names its help for an unknown option and an unknown format', async () => {
    const unknown = await run([...name.split(' '), '--nonsense', '--format', 'json']);
    expect(unknown.stderr).toBe(`appreg: Unknown option “--nonsense”.\n  appreg ${name} --help shows its usage.\n`);
    expect(valid(JSON.parse(unknown.stdout))).toMatchObject({ command: name, error: { code: 'usage', exit: 2 } });
    const { words } = wordsOf(name, fails);
    const { code, stdout, stderr } = await run([...words, '--format', 'Json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${name} has no format “Json”. Did you mean json?`);
  });
});

test.each([[[]], [['nonsense']], [['help', 'nonsense']]])('a run without a command fails: %j', async (words) => {
  const { code, stdout, stderr } = await run([...words, '--format', 'json']);
  expect(code).toBe(2);
  expect(valid(JSON.parse(stdout))).toMatchObject({ error: { code: 'usage' } });
  expect(stderr).toMatch(/^appreg: .+\n {2}appreg --help lists the commands and the global options\.\n/m);
});

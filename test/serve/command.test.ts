import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ServeCommandOptions } from '../../src/cli/commands/serve.ts';
import { folder } from '../support/folders.ts';
import { sendRequest, fill } from './support.ts';

/** On Windows, a process cannot handle signals from another process. */
const WINDOWS = process.platform === 'win32';
const PROJECT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The command as it is shipped: CommonJS, in a process of its own, so that signals are real. */
const PROGRAM = `
  import { runServe } from './src/cli/commands/serve.ts';
  import { openTerminal } from './src/cli/io/terminal.ts';
  import { configAt } from './test/support/config-at.ts';
  const [cwd, dir, options] = JSON.parse(process.argv[2]);
  const env = process.env;
  openTerminal({ quiet: false, color: false, yes: true, output: null, env, ...options })
    .then((terminal) => {
      const context = { cwd, options, terminal, env, config: (from = cwd) => configAt(from, null, env) };
      return runServe(context, dir ?? undefined, options);
    })
    .then(
      (code) => { process.exitCode = code; },
      (error) => { process.stderr.write(JSON.stringify({ ...error, message: error.message })); process.exitCode = error.exit ?? 99; },
    );
`;

let program: string;
beforeAll(async () => {
  program = join(folder(), 'serve.cjs');
  await build({
    stdin: { contents: PROGRAM, resolveDir: PROJECT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: program,
    supported: { 'dynamic-import': false },
    external: ['esbuild', 'typescript'],
    define: { 'import.meta.url': '__url' },
    banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
    logLevel: 'error',
  });
});

interface Run {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  /** The first line of stdout; rejects when the program ends without one. */
  ready: Promise<string>;
  ended: Promise<number | null>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function run(
  cwd: string,
  dir: string | null,
  options: ServeCommandOptions & { verbose?: boolean } = {},
  env: Record<string, string> = {},
): Run {
  const child = spawn(process.execPath, [program, JSON.stringify([cwd, dir, { port: 0, ...options }])], {
    env: { ...process.env, ...env },
  });
  running.push(child);
  const made: Run = {
    child,
    stdout: '',
    stderr: '',
    ready: Promise.resolve(''),
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
  child.stderr.on('data', (chunk: Buffer) => (made.stderr += chunk.toString()));
  made.ready = new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      made.stdout += chunk.toString();
      if (made.stdout.includes('\n')) resolve(made.stdout.split('\n')[0]!);
    });
    child.on('close', () => reject(new Error(`ended without a URL: ${made.stderr}`)));
  });
  made.ready.catch(() => {}); // Tests that expect no URL wait for the end instead.
  return made;
}

/** Waits for the end and returns the error that the command threw. */
async function failureOf(made: Run): Promise<{ exit: number | null; code?: string; hint?: string; message?: string }> {
  const exit = await made.ended;
  expect(made.stdout).toBe('');
  return { ...(JSON.parse(made.stderr) as object), exit };
}

const MANIFEST = '{"apps":{"a":{"appMetadataUrl":"https://apps.example.com/reg/apps/a/versions.json"}}}';
const CONFIG = { baseUrl: 'https://apps.example.com/reg/', serviceOrigins: ['https://flows.example.com'] };

async function workspace(files: Record<string, string> = {}): Promise<string> {
  const root = folder();
  await fill(root, { 'registry.json': MANIFEST, 'appreg.config.json': JSON.stringify(CONFIG), ...files });
  return root;
}

describe('appreg serve', () => {
  test.skipIf(WINDOWS)(
    'prints only the URL of the manifest to stdout, applies the configuration and exits with 0 after SIGTERM',
    async () => {
      const root = await workspace();
      const made = run(root, null, { verbose: true });
      const url = await made.ready;
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/registry\.json$/);
      const { body, headers } = await sendRequest(url, { headers: { Origin: 'https://flows.example.com' } });
      expect(body.toString()).toBe(MANIFEST.replace('https://apps.example.com/reg/', new URL('.', url).href));
      expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://flows.example.com', vary: 'Origin' });
      expect((await sendRequest(new URL('appreg.config.json', url).href)).status).toBe(404);
      await sendRequest(url, { path: '/%1b[31m?X-Amz-Signature=abcdef' });
      made.child.kill('SIGTERM');
      expect(await made.ended).toBe(0);
      expect(made.stdout).toBe(`${url}\n`);
      expect(made.stderr).toContain(`Serving ${root}`);
      expect(made.stderr).toContain('https://flows.example.com');
      expect(made.stderr).toContain('GET /registry.json 200');
      expect(made.stderr).toContain('GET /%1b[31m?X-Amz-Signature=REDACTED 404');
    },
  );

  test.skipIf(WINDOWS)('exits with 130 after SIGINT, and logs requests only with --verbose', async () => {
    const made = run(await workspace(), null);
    await sendRequest(await made.ready);
    made.child.kill('SIGINT');
    expect(await made.ended).toBe(130);
    expect(made.stderr).not.toContain('GET /registry.json');
  });

  test('does not replace the base URL with --no-rewrite', async () => {
    const made = run(await workspace(), null, { rewrite: false });
    expect((await sendRequest(await made.ready)).body.toString()).toBe(MANIFEST);
  });

  test('allows all origins and replaces no base URL without a configuration', async () => {
    const root = folder();
    await fill(root, { 'registry.json': MANIFEST });
    const made = run(dirname(root), root);
    const { body, headers } = await sendRequest(await made.ready);
    expect(body.toString()).toBe(MANIFEST);
    expect(headers['access-control-allow-origin']).toBe('*');
  });

  test.each<{ name: string; files: Record<string, string>; dir: string | null; expected: string }>([
    {
      name: 'the one that the config names',
      files: { 'appreg.config.json': '{"manifest":"m.json"}', 'm.json': '{}' },
      dir: null,
      expected: 'm.json',
    },
    {
      name: 'registry.json',
      files: { 'registry.json': 'broken', 'other.json': MANIFEST },
      dir: null,
      expected: 'registry.json',
    },
    {
      name: 'the only one with apps',
      files: {
        'b.json': MANIFEST,
        'c.json': '{"versions":[]}',
        'd.json': '{',
        'e.json': 'null',
        'package.json': MANIFEST,
      },
      dir: null,
      expected: 'b.json',
    },
    {
      name: 'that of the workspace, from a folder within',
      files: { 'registry.json': MANIFEST, 'appreg.config.json': '{}', 'apps/a/x.txt': '' },
      dir: 'apps/a',
      expected: 'registry.json',
    },
    {
      name: 'that of a folder within, with the config above',
      files: { 'public/registry.json': MANIFEST, 'appreg.config.json': JSON.stringify(CONFIG) },
      dir: 'public',
      expected: 'registry.json',
    },
  ])('finds the manifest: $name', async ({ files, dir, expected }) => {
    const root = folder();
    await fill(root, files);
    const url = await run(root, dir).ready;
    expect(new URL(url).pathname).toBe(`/${expected}`);
    expect((await sendRequest(url)).status).toBe(200);
  });

  test.each<{ code: string; files: Record<string, string>; dir: string | null }>([
    { code: 'not-a-folder', files: {}, dir: 'nowhere' },
    { code: 'not-a-folder', files: { 'registry.json': MANIFEST }, dir: 'registry.json' },
    { code: 'manifest-missing', files: { 'x.json': '{}' }, dir: null },
    {
      code: 'manifest-missing',
      files: { 'appreg.config.json': '{"manifest":"m.json"}', 'registry.json': MANIFEST },
      dir: null,
    },
    { code: 'manifest-ambiguous', files: { 'a.json': MANIFEST, 'b.json': MANIFEST }, dir: null },
    {
      code: 'manifest-name-invalid',
      files: { 'appreg.config.json': '{"manifest":"package.json"}', 'package.json': '{}' },
      dir: null,
    },
  ])('exits with $code for the files $files and the folder $dir', async ({ code, files, dir }) => {
    const root = folder();
    await fill(root, files);
    const found = await failureOf(run(root, dir));
    expect(found).toMatchObject({ code, exit: 2 });
    expect(found.hint).toBeTruthy();
  });

  test.skipIf(WINDOWS).each([
    ['a link to a missing file', 'missing.json', 'is a link to a file that does not exist'],
    ['a link that forms a loop', 'registry.json', 'is a symbolic link that forms a loop'],
  ])('names the reason if the manifest is %s', async (_, target, reason) => {
    const root = folder();
    await symlink(target, join(root, 'registry.json'));
    expect(await failureOf(run(root, null))).toMatchObject({
      code: 'file-unreadable',
      exit: 2,
      message: `${join(root, 'registry.json')} ${reason}.`,
    });
  });

  test.skipIf(WINDOWS || process.getuid?.() === 0)('refuses a manifest that cannot be read', async () => {
    const root = await workspace();
    await chmod(join(root, 'registry.json'), 0);
    expect(await failureOf(run(root, null))).toMatchObject({ code: 'file-unreadable', exit: 2 });
  });

  test('exits with 2 if the port is in use', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    expect(await failureOf(run(await workspace(), null, { port }))).toMatchObject({ code: 'port-in-use', exit: 2 });
    blocker.close();
  });

  test.skipIf(WINDOWS)('creates an authority with --https in APPREG_CA_DIR, and prints how to trust it', async () => {
    const ca = join(folder(), 'my ca');
    await mkdir(ca);
    const made = run(await workspace(), null, { https: true }, { APPREG_CA_DIR: ca });
    const url = await made.ready;
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/registry\.json$/);
    const { body } = await sendRequest(url, { ca: await readFile(join(ca, 'ca.pem'), 'utf8') });
    expect(body.toString()).toContain(new URL('.', url).href);
    made.child.kill('SIGTERM');
    expect(await made.ended).toBe(0);
    expect(made.stderr).toContain(`--ca '${join(ca, 'ca.pem')}'`);
    expect(made.stderr).toContain('NODE_EXTRA_CA_CERTS=');
  });
});

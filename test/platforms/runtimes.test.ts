import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from 'vitest';
import { APP } from '../bundle/reproducible-fixture.ts';
import { listing, tree } from '../bundle/tree.ts';
import { folder, git } from '../support/folders.ts';
import { playWith, requireBuild } from '../support/recorded.ts';
import { describeOnRuntimes } from '../support/runtimes.ts';

/**
 * The built command line on Bun and on Deno: what uses local files has the results of Node.js, and what uses the network
 * is refused before anything is requested or written.
 */

beforeAll(requireBuild);

const ROOT = join(import.meta.dirname, '../..');
const APPREG = join(ROOT, 'bin/appreg.js');
const NODE = [process.execPath];
const ENV = { ...process.env, NO_COLOR: '1', NODE_PATH: join(ROOT, 'node_modules') };

interface Ended {
  code: number | null;
  out: string;
  log: string;
}

function run(words: readonly string[], cwd: string, ...args: string[]): Ended {
  const [program = '', ...rest] = [...words, APPREG, ...args];
  const { status, stdout, stderr } = spawnSync(program, rest, { cwd, env: ENV, encoding: 'utf8', timeout: 50_000 });
  return { code: status, out: stdout, log: stderr };
}

/** A workspace with one app, whose version 1.0.0 is released from src/clock. */
function workspace(): string {
  const root = tree({
    'src/clock/main.ts': 'export const time: () => number = () => Date.now();\n',
    'src/clock/VERSION': '1.0.0\n',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="10"/></svg>',
    'appreg.config.json': JSON.stringify({
      baseUrl: 'https://apps.example.com/',
      release: [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }],
    }),
    'registry.json': '{ "apps": {} }\n',
  });
  const texts = ['--name', 'Clock', '--description', 'Shows the time.', '--color', '#112233', '--icon', 'icon.svg'];
  expect(run(NODE, root, 'add-app', 'clock', ...texts)).toMatchObject({ code: 0 });
  const source = ['--entry', 'src/clock/main.ts', '--no-read-back'];
  expect(run(NODE, root, 'publish-version', 'clock', '1.0.0', ...source)).toMatchObject({ code: 0 });
  return root;
}

/** Of a server for tests, on this machine. */
const RULES = ['url-insecure', 'cors-wildcard'].flatMap((rule) => ['--rule', `${rule}=off`]);

/** Transcripts in which nothing but `serve` uses the network. */
const LOCAL = ['against', 'diff', 'dry-run', 'edit', 'formats', 'lint', 'lock', 'policy', 'site', 'vendor'];

/** Only Node.js makes the load test; the other runtimes say so. */
function withoutLoadTest(text: string): string {
  return text.replace(/^(?: *exports: .*|warning: .* was not loaded: the load test needs Node\.js, .*)\n/gm, '');
}

describeOnRuntimes('the command line', ({ name, words }) => {
  test.each(LOCAL)('prints what the transcript %s contains', { timeout: 120_000 }, async (file) => {
    const { text, played } = await playWith(words, `test/cli/transcripts/${file}.md`);
    expect(withoutLoadTest(played)).toBe(withoutLoadTest(text));
  });

  test.each<[string, string[]]>([
    ['a bundle', ['src/main.ts', '--ui', 'src/ui.tsx', '--include', 'locales/*']],
    ['a minified bundle with maps', ['src/main.ts', '--minify', '--sourcemap']],
    ['a packed folder', ['.', '--any-content']],
  ])('has the same bytes as Node.js for %s', (_, [entry = '', ...options]) => {
    const numbers = JSON.stringify(Array.from({ length: 60_000 }, (_item, index) => (index * 48_271) % 65_537));
    const app = tree({ ...APP, 'src/data.json': `{"name":"wörld","numbers":${numbers}}` });
    const copy = join(folder(), 'copy');
    cpSync(app, copy, { recursive: true });
    const out = folder();
    const [ours, theirs] = [join(out, 'node.tar.gz'), join(out, 'other.tar.gz')];
    expect(run(NODE, app, 'bundle', entry, ours, ...options)).toMatchObject({ code: 0 });
    const bundled = run(words, copy, 'bundle', entry, theirs, ...options);
    expect(bundled).toMatchObject({ code: 0 });
    expect(bundled.log).not.toContain('compress');
    expect(readFileSync(theirs).equals(readFileSync(ours))).toBe(true);
    expect(run(words, out, 'checksum', 'other.tar.gz')).toEqual(run(NODE, out, 'checksum', 'node.tar.gz'));
  });

  test('has the results of Node.js for rules, explain, completion and lint', () => {
    const root = workspace();
    for (const line of [
      'rules --format json',
      'explain cors-missing',
      'completion bash',
      'lint',
      'lint --format sarif',
      '--help',
    ])
      expect([line, withoutTime(run(words, root, ...line.split(' ')))]).toEqual([
        line,
        withoutTime(run(NODE, root, ...line.split(' '))),
      ]);
  });

  test('release --check finds a version that Node.js published unchanged', () => {
    const root = workspace();
    const checked = run(words, root, 'release', '--check', '--format', 'json');
    expect(checked).toMatchObject({ code: 0 });
    expect(JSON.parse(checked.out)).toMatchObject({ summary: { unchanged: 1, changed: 0, rebuilt: 0 } });
  });

  test('serves a registry that Node.js verifies', async () => {
    const [program, ...rest] = [...words, APPREG, 'serve', '--port', '0'] as const;
    const serving = spawn(program, rest, { cwd: workspace(), env: ENV, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [url] = await once(createInterface(serving.stdout), 'line');
      const verified = run(NODE, folder(), 'verify', String(url), '--format', 'json', ...RULES);
      expect(JSON.parse(verified.out)).toMatchObject({ outcome: 'clean', findings: [] });
    } finally {
      const ended = once(serving, 'exit');
      serving.kill();
      await ended;
    }
  });

  test('refuses what uses the network by its name, before anything is requested or written', async () => {
    const root = workspace();
    git(root, 'init', '--quiet');
    const before = listing(root);
    let requests = 0;
    const host = createServer((_request, response) => {
      requests += 1;
      response.end('{ "apps": {} }');
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const address = host.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/registry.json`;
    try {
      for (const line of [
        `verify ${url}`,
        `diagnose ${url}`,
        `mirror ${url} copy --base-url https://b.example/`,
        `subscribe ${url} --service ${url} --name a`,
        `lint --against ${url}`,
        `diff ${url}`,
        `checksum ${url}`,
        `lock ${url}`,
        `site site --from ${url}`,
        `assemble --check --against ${url}`,
        `release --check --against ${url}`,
        'release',
        'publish-version clock 1.1.0 --entry src/clock/main.ts',
        `publish-version clock 1.1.0 --artifact-url ${url}`,
        'publish-version clock 1.1.0 --entry src/clock/main.ts --no-read-back --attest',
        'init new --base-url https://b.example/ --store git',
        'init new --base-url https://b.example/ --store s3 --bucket apps --region eu-west-1',
        'service',
        'service backup backup.gz',
        `conformance host ${url}`,
        'conformance subscriber --command ./subscriber',
      ]) {
        const { code, out, log } = run(words, root, ...line.split(' '));
        expect({ line, code, out }).toEqual({ line, code: 2, out: '' });
        expect(log).toMatch(new RegExp(`is not supported on ${name} \\d+\\.\\d+\\.\\d+, `));
        expect(log).toContain('Run the command with Node.js 20.19 or later');
      }
      const { code, out } = run(words, root, 'verify', url, '--format', 'json');
      expect(code).toBe(2);
      expect(JSON.parse(out)).toMatchObject({
        outcome: 'incomplete',
        findings: [],
        error: { code: 'runtime-unsupported', exit: 2 },
      });
    } finally {
      host.close();
    }
    expect(requests).toBe(0);
    expect(listing(root)).toEqual(before);
  });
});

/** The times of a run differ. */
function withoutTime({ code, out, log }: Ended): Ended {
  return { code, out: out.replaceAll(TIMES, '<time>'), log: log.replaceAll(TIMES, '<time>') };
}

const TIMES = /\d+\.\d s\b|"seconds": [\d.]+|"(start|end)TimeUtc": ".*?"/g;

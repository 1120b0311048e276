import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MANAGER_ENV, packInto, packageManager } from '../support/package-managers.ts';
import { freePort } from '../support/free-port.ts';

/**
 * appreg installed by the real package managers, in a project with packages that depend on each other and on peers: the
 * bytes of a bundle are equal in all of them, and every command that writes works under Yarn's Plug'n'Play.
 */

const scratch = mkdtempSync(join(tmpdir(), 'appreg-managers-'));
let tarball: string;
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const PACKAGE = {
  name: 'vendor',
  private: true,
  type: 'module',
  dependencies: { debug: '4.4.0', ms: '2.1.3', react: '19.1.0', 'react-dom': '19.1.0' },
};
const SOURCES: Record<string, string> = {
  'src/main.ts': `import debug from 'debug';\nimport ms from 'ms';\nimport { help } from './lib/help.ts';\nexport const app = { wait: ms('1h'), log: debug('x'), help };\n`,
  'src/lib/help.ts': `import { createElement } from 'react';\nexport const help = () => createElement('div');\n`,
  'src/ui.ts': `import { createRoot } from 'react-dom/client';\nimport { createElement } from 'react';\ncreateRoot(document.body).render(createElement('p'));\n`,
};

interface Ran {
  status: number | null;
  out: string;
}

function run(words: readonly string[], cwd: string, more: Record<string, string> = {}): Ran {
  const [program, ...args] = words;
  const env = {
    ...process.env,
    ...more,
    ...MANAGER_ENV,
    APPREG_CACHE_DIR: '',
    APPREG_CA_DIR: join(scratch, 'ca'),
    CI: 'true',
  };
  const done = spawnSync(program!, args, { cwd, env, encoding: 'utf8', timeout: 240_000 });
  return { status: done.status, out: `${done.stdout}${done.stderr}` };
}

function outputOf(ran: Ran): string {
  if (ran.status !== 0) throw new Error(`ended with ${ran.status}:\n${ran.out}`);
  return ran.out;
}

interface Project {
  folder: string;
  /** The words and the variables that start the program. */
  start: string[];
  env: Record<string, string>;
  appreg(...args: string[]): Ran;
}

/** How each of them is installed, and how it runs a program of a package. */
const LAYOUTS = ['npm', 'pnpm', 'yarn node_modules', 'yarn pnp', 'bun'] as const;
type Layout = (typeof LAYOUTS)[number];
const MANAGER = { npm: null, pnpm: 'pnpm', 'yarn node_modules': 'yarn', 'yarn pnp': 'yarn', bun: 'bun' } as const;

function installed(layout: Layout): Project | null {
  const named = MANAGER[layout];
  const manager = named === null ? ['npm'] : packageManager(named);
  if (manager === null) return null;
  const folder = join(scratch, layout.replace(' ', '-'));
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const dependencies = { ...PACKAGE.dependencies, appreg: `file:${tarball}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...PACKAGE, dependencies }));
  if (named === 'yarn') {
    writeFileSync(join(folder, 'yarn.lock'), '');
    writeFileSync(join(folder, '.yarnrc.yml'), `nodeLinker: ${layout === 'yarn pnp' ? 'pnp' : 'node-modules'}\n`);
  }
  const quiet = layout === 'npm' ? ['--no-fund', '--no-audit'] : [];
  outputOf(run([...manager, 'install', ...quiet], folder));
  const { start, env } =
    layout === 'yarn pnp'
      ? underPnp(folder, manager)
      : { start: [process.execPath, join(folder, 'node_modules/appreg/bin/appreg.js')], env: {} };
  return { folder, start, env, appreg: (...args) => run([...start, ...args], folder, env) };
}

/** How `yarn node` starts the program, which is in an archive: asked once, since Yarn starts slower than the program. */
function underPnp(folder: string, manager: readonly string[]): Pick<Project, 'start' | 'env'> {
  const ask = `process.stdout.write(JSON.stringify({
    start: [process.execPath, require.resolve('appreg/package.json').replace('package.json', 'bin/appreg.js')],
    env: { NODE_OPTIONS: process.env.NODE_OPTIONS },
  }))`;
  return JSON.parse(outputOf(run([...manager, 'node', '--input-type=commonjs', '-e', ask], folder)));
}

beforeAll(async () => {
  tarball = await packInto(scratch);
}, 240_000);

const projects = new Map<Layout, Project | null>();
function project(layout: Layout): Project | null {
  if (!projects.has(layout)) projects.set(layout, installed(layout));
  return projects.get(layout)!;
}

function bundled({ folder, appreg }: Project, ...flags: string[]): Buffer {
  outputOf(appreg('bundle', 'src/main.ts', 'out.tar.gz', '--ui', 'src/ui.ts', ...flags));
  return readFileSync(join(folder, 'out.tar.gz'));
}

/** The packages of the bundle; scheduler is a dependency of react-dom. */
const BUNDLED = ['debug 4.4.0', 'ms 2.1.3', 'react 19.1.0', 'react-dom 19.1.0', 'scheduler 0.26.0'];

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function billOf(one: Project): { bytes: Buffer; packages: string[] } {
  bundled(one, '--sbom');
  const bytes = readFileSync(join(one.folder, 'out.tar.gz.cdx.json'));
  const { components } = JSON.parse(bytes.toString()) as { components: { name: string; version: string }[] };
  return { bytes, packages: components.map(({ name, version }) => `${name} ${version}`) };
}

describe.each([[[]], [['--sourcemap']], [['--minify']]])('a bundle with the flags %j', (flags) => {
  let ours: Buffer;
  beforeAll(() => {
    ours = bundled(project('npm')!, ...flags);
  }, 240_000);

  test.for(LAYOUTS.slice(1))('has the same bytes under %s as under npm', { timeout: 600_000 }, (layout, { skip }) => {
    const other = project(layout);
    if (other === null) return skip(`${layout} cannot be installed here`);
    const theirs = bundled(other, ...flags);
    expect(sha(theirs)).toBe(sha(ours));
    const text = gunzipSync(theirs).toString('latin1');
    for (const trace of ['.pnpm', '.zip/', '__virtual__', 'yarn-global']) expect(text).not.toContain(trace);
  });
});

describe('the license notices and the bill of materials', () => {
  test('name each package, and have its license text', { timeout: 240_000 }, () => {
    const { packages } = billOf(project('npm')!);
    expect(packages).toEqual(BUNDLED);
    const text = gunzipSync(readFileSync(join(project('npm')!.folder, 'out.tar.gz'))).toString();
    for (const name of BUNDLED) expect(text).toContain(`\n${name}\nLicense: MIT\n`);
    expect(text.match(/Copyright \(c\)/g)?.length).toBeGreaterThanOrEqual(BUNDLED.length);
  });

  test.for(LAYOUTS.slice(1))('have the same bytes under %s as under npm', { timeout: 600_000 }, (layout, { skip }) => {
    const other = project(layout);
    if (other === null) return skip(`${layout} cannot be installed here`);
    expect(billOf(other).bytes).toEqual(billOf(project('npm')!).bytes);
  });
});

describe('under Bun', () => {
  test('a bundle has the same bytes as under Node.js, although Bun compresses otherwise', ({ skip }) => {
    const bun = packageManager('bun');
    if (bun === null) return skip('bun cannot be installed here');
    const { folder } = project('npm')!;
    const ours = bundled(project('npm')!);
    const words = ['node_modules/appreg/bin/appreg.js', 'bundle', 'src/main.ts', 'bun.tar.gz', '--ui', 'src/ui.ts'];
    outputOf(run([...bun, '--bun', ...words], folder));
    expect(sha(readFileSync(join(folder, 'bun.tar.gz')))).toBe(sha(ours));
  }, 600_000);
});

describe("under Yarn Plug'n'Play", () => {
  test('every command that writes files works', async ({ skip }) => {
    const pnp = project('yarn pnp');
    if (pnp === null) return skip('yarn cannot be installed here');
    const port = await freePort();
    const base = `http://127.0.0.1:${port}/`;
    writeFileSync(join(pnp.folder, 'i.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
    const at = (...args: string[]): string => outputOf(pnp.appreg(...args, '--cwd', 'registry'));
    outputOf(pnp.appreg('init', 'registry', '--base-url', base));
    at('add-app', 'a', '--name', 'A', '--description', 'An app.', '--icon', '../i.svg', '--color', '#112233');
    outputOf(pnp.appreg('bundle', 'src/main.ts', 'registry/a.tar.gz'));
    at('publish-version', 'a', '1.0.0', '--artifact', 'a.tar.gz');
    at('publish-version', 'a', 'minor', '--entry', '../src/lib/help.ts');
    at('lock');
    at('lint');
    outputOf(pnp.appreg('init', 'assembled', '--base-url', base));
    mkdirSync(join(pnp.folder, 'assembled/apps/b'), { recursive: true });
    cpSync(join(pnp.folder, 'i.svg'), join(pnp.folder, 'assembled/apps/b/icon.svg'));
    writeFileSync(
      join(pnp.folder, 'assembled/apps/b/app.json'),
      '{ "name": "B", "description": "An app.", "color": "#112233" }',
    );
    outputOf(pnp.appreg('assemble', '--cwd', 'assembled'));
    const commands = `
      const { spawn } = require('node:child_process');
      const [bin] = process.argv.slice(1);
      const serve = spawn(process.execPath, [bin, 'serve', 'registry', '--port', '${port}'], { stdio: ['ignore', 'pipe', 'inherit'] });
      serve.stdout.once('data', () => {
        const steps = [
          ['mirror', '${base}registry.json', 'mirrored', '--base-url', 'https://apps.example.com/'],
          ['verify', '${base}registry.json', '--cache', 'cache', '--save', 'facts.json'],
        ];
        const next = () => {
          const args = steps.shift();
          if (!args) return serve.kill();
          spawn(process.execPath, [bin, ...args], { stdio: 'inherit' }).on('close', (code) => {
            if (code !== 0) { process.exitCode = 1; serve.kill(); } else next();
          });
        };
        next();
      });
      serve.on('close', () => {});
    `;
    const [node, bin] = pnp.start;
    outputOf(run([node!, '--input-type=commonjs', '-e', commands, '--', bin!], pnp.folder, pnp.env));
    expect(readFileSync(join(pnp.folder, 'mirrored/registry.json'), 'utf8')).toContain('apps.example.com');
  }, 600_000);
});

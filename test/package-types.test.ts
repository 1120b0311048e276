// Scenario: the packed package is compiled in every configuration of two compilers.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUIDES } from './support/guides.ts';

/** The packed tarball as a program installs it: its declarations, its examples, and what a bundler includes of it. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'appreg-packed-'));
const project = join(scratch, 'project');
const installed = join(project, 'node_modules/appreg');

/** Builds and packs a copy of the package, and unpacks it where `npm install` would put it, beside what it depends on. */
beforeAll(() => {
  const copy = join(scratch, 'copy');
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'tsconfig.json'])
    cpSync(join(root, name), join(copy, name));
  for (const name of ['src', 'service', 'conformance', 'scripts', 'schemas', 'bin', 'docs'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  execFileSync(process.execPath, [join(copy, 'scripts/build.mjs')], { cwd: copy, stdio: 'pipe' });
  const npm = ['pack', '--silent', '--ignore-scripts', '--pack-destination', scratch];
  execFileSync('npm', npm, { cwd: copy, stdio: 'pipe', shell: process.platform === 'win32' });
  const tarball = readdirSync(scratch).find((name) => name.endsWith('.tgz'));
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(scratch, tarball ?? ''), '-C', installed, '--strip-components=1']);
  for (const name of ['@types/node', 'undici-types']) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name), 'junction');
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Example {
  name: string;
  text: string;
}

/** The examples that import the library: in the README, the guides, and the comments that editors show. */
function examples(): Example[] {
  const inPages = ['README.md', ...GUIDES].flatMap((page) =>
    [
      ...readFileSync(join(root, page), 'utf8').matchAll(
        /^```(?:[jt]sx?|m[jt]s|javascript|typescript)\b.*\r?\n([^]*?)^```/gm,
      ),
    ].map(([, text = ''], index) => ({ name: `${page} ${index + 1}`, text })),
  );
  const inComments = ['src/core/index.ts', 'src/node.ts'].map((file) => {
    const [, text = ''] = /@example\n([^]*?)\n \*\//.exec(readFileSync(join(root, file), 'utf8')) ?? [];
    return { name: file, text: text.replaceAll(/^ \* ?/gm, '') };
  });
  return [...inPages, ...inComments].filter(({ text }) => /from 'appreg(\/node)?'/.test(text));
}

const COMPILERS = { 'TypeScript 5.9': 'typescript-5.9', 'TypeScript 7': 'typescript' } as const;
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  // The declarations of the compiler itself.
  skipDefaultLibCheck: true,
  noEmit: true,
  target: 'es2022',
};

/** A folder with a configuration, in which each file is a module. */
interface Project {
  name: string;
  files: readonly Example[];
  options: Record<string, unknown>;
}

/** What the compiler prints about each project. It checks all in one process, which reads the shared files once. */
function compile(compiler: string, projects: readonly Project[]): Map<string, string[]> {
  const folder = mkdtempSync(join(project, 'src-'));
  for (const { name, files, options } of projects) {
    mkdirSync(join(folder, name));
    for (const [index, { text }] of files.entries()) writeFileSync(join(folder, name, `example-${index}.ts`), text);
    const config = { compilerOptions: { ...STRICT, ...options }, include: ['*.ts'] };
    writeFileSync(join(folder, name, 'tsconfig.json'), JSON.stringify(config));
  }
  const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
  const names = projects.map(({ name }) => name);
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-b', ...names], { cwd: folder, encoding: 'utf8' });
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  // A line about no project is reported for each of them.
  const general = lines.filter((line) => !names.some((name) => belongs(line, name)));
  return new Map(names.map((name) => [name, [...general, ...lines.filter((line) => belongs(line, name))]]));
}

/** Whether the compiler printed the line about that project. */
function belongs(line: string, name: string): boolean {
  return line.startsWith(`${name}/`);
}

const WRONG = { name: 'wrong', text: "import { isChecksum } from 'appreg';\nisChecksum(1);\n" };
const CORE = examples().filter(({ text }) => !text.includes('appreg/node'));
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' };
const NODENEXT = { module: 'nodenext', moduleResolution: 'nodenext' };

const PROJECTS: readonly Project[] = [
  { name: 'bundler', files: examples(), options: { ...BUNDLER, types: ['node'] } },
  { name: 'node16', files: examples(), options: { module: 'node16', moduleResolution: 'node16', types: ['node'] } },
  { name: 'nodenext', files: [WRONG, ...examples()], options: { ...NODENEXT, types: ['node'] } },
  { name: 'browser', files: CORE, options: { ...BUNDLER, lib: ['es2022', 'dom'], types: [] } },
];
/** Former versions include @types/node in any case. */
const WITHOUT_TYPES: Project = { name: 'without-types', files: examples(), options: NODENEXT };

test('the README and both comments contain examples', () => {
  const names = examples().map(({ name }) => name.split(' ')[0]);
  expect(names).toEqual(expect.arrayContaining(['README.md', 'src/core/index.ts', 'src/node.ts']));
  expect(CORE.length).toBeGreaterThan(1);
});

describe.each(Object.entries(COMPILERS))('%s with strict checks of declarations', (_, compiler) => {
  let printed = new Map<string, string[]>();
  beforeAll(() => {
    printed = compile(compiler, compiler === 'typescript' ? [...PROJECTS, WITHOUT_TYPES] : PROJECTS);
  }, 180_000);

  test.each(['bundler', 'node16'])('compiles the examples with moduleResolution %s', (name) => {
    expect(printed.get(name)).toEqual([]);
  });

  test('compiles the examples with moduleResolution nodenext, and reports a wrong argument', () => {
    expect(printed.get('nodenext')).toEqual([expect.stringMatching(/example-0\.ts\(2,12\): error TS2345/)]);
  });

  test('compiles the core for browsers without the types of Node.js', () => {
    expect(printed.get('browser')).toEqual([]);
  });

  if (compiler === 'typescript')
    test('compiles the examples without "types" in the configuration', () => {
      expect(printed.get('without-types')).toEqual([]);
    });
});

test('the declarations import no package, and only existing files', () => {
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
  const declarations = files.filter((name) => name.endsWith('.d.ts'));
  expect(declarations.toSorted()).toEqual(['types/index.d.ts', 'types/node.d.ts', 'types/shared.d.ts']);
  const imported = declarations.flatMap((name) => {
    const text = readFileSync(join(installed, 'dist', name), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
    return [...text.matchAll(/(?:from|import|import\()\s*['"]([^'"]+)['"]/g)].map(([, target = '']) => ({
      name,
      target,
    }));
  });
  const packages = imported.filter(({ target }) => !target.startsWith('.') && !isBuiltin(target));
  expect(packages).toEqual([]);
  const paths = imported.filter(({ target }) => target.startsWith('.'));
  const absent = paths.filter(
    ({ name, target }) => !declarations.includes(join(dirname(name), target.replace(/\.[jt]s$/, '.d.ts'))),
  );
  expect(absent).toEqual([]);
});

/** Bytes of a browser build of this module, minified. */
async function sizeOf(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles.reduce((size, { contents }) => size + contents.length, 0);
}

describe('a browser build', () => {
  test('of isChecksum alone has less than 1 kB', async () => {
    expect(await sizeOf("export { isChecksum } from 'appreg';")).toBeLessThan(1000);
  });

  test('of the functions about versions, keys and checksums has less than 11 kB', async () => {
    const source = "export { isChecksum, isSemver, comparePrecedence, isSafeKey } from 'appreg';";
    expect(await sizeOf(source)).toBeLessThan(11_000);
  });

  test('that uses judge() includes the rules', async () => {
    expect(await sizeOf("export { judge } from 'appreg';")).toBeGreaterThan(50_000);
  });
});

// The guides are not in the package; npm shows such links as those of the repository.
test('links in the packed documents refer to files of the repository, or to a URL', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const pages = files.filter((name) => name.endsWith('.md'));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'SECURITY.md']));
  const dead = pages.flatMap((page) =>
    [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g)]
      .map(([, target = '']) => join(dirname(page), target).replaceAll('\\', '/'))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test('the package has nothing of the guides, the service, the kit and their operators', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  expect(files).toContain('dist/bom.cdx.json');
  expect(files.filter((name) => /^(?:service|conformance|examples|deploy|docs)/.test(name))).toEqual([]);
});

test('the package contains the URLs of the project', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, any>;
  expect(manifest).toMatchObject({ sideEffects: false, repository: { type: 'git' } });
  for (const url of [manifest['homepage'], manifest['bugs'].url, manifest['repository'].url.replace(/^git\+/, '')])
    expect(url).toMatch(/^https:\/\//);
});

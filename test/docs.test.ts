import { WORKSPACES } from './support/source-files.ts';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { problemsIn } from './support/github-actions.ts';
import { GUIDES } from './support/guides.ts';

/** Parts of the guides that no transcript runs: links, workflows and the description of the action. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path: string): string => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
const pages = ['README.md', ...GUIDES];
const action = parse(read('action.yml'));

/** @returns the files that a page links to: paths in the repository */
const linksOf = (page: string): string[] =>
  [...read(page).matchAll(/(?:\]\(|\b(?:src|srcset|href)=")(?!https?:)([^)"#\s]+)/g)].map(([, path]) =>
    posix.join(posix.dirname(page), path!),
  );

test.each(pages)('%s links only to existing files', (page) => {
  expect(linksOf(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('each picture is on a page', () => {
  const shown = new Set(pages.flatMap(linksOf));
  const pictures = readdirSync(join(root, 'docs/images')).map((name) => `docs/images/${name}`);
  expect(pictures.filter((path) => !shown.has(path))).toEqual([]);
});

/** The headings of a page, as a forge makes anchors of them. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(pages)('%s links only to existing headings', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
  const wrong = links.filter(([, path, anchor]) => {
    const target = path === '' ? page : posix.join(posix.dirname(page), path!);
    return target.endsWith('.md') && !anchorsOf(target).includes(anchor!);
  });
  expect(wrong.map(([link]) => link)).toEqual([]);
});

/** @returns the pages that are reached within a number of clicks from a page, and the page */
function within(clicks: number, start: string): Set<string> {
  if (clicks === 0) return new Set([start]);
  const guides = linksOf(start).filter((link) => GUIDES.includes(link));
  return new Set([start, ...guides.flatMap((guide) => [...within(clicks - 1, guide)])]);
}

test('each guide is within two clicks from docs/README.md', () => {
  const reached = within(2, 'docs/README.md');
  expect(GUIDES.filter((page) => !reached.has(page))).toEqual([]);
});

test('each folder of guides has a page to start from, which links to its pages', () => {
  for (const folder of ['vendors', 'pipelines', 'support', 'operators', 'implementers', 'contributors']) {
    const reached = within(1, `docs/${folder}/README.md`);
    expect(GUIDES.filter((page) => page.startsWith(`docs/${folder}/`) && !reached.has(page))).toEqual([]);
  }
});

interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

const yaml = pages.flatMap((page) =>
  [...read(page).matchAll(/^```yaml\n([^]*?)^```$/gm)].map(
    ([, text], index) => [`${page} ${index + 1}`, text!] as const,
  ),
);

test.each(yaml)('the code block %s is valid YAML', (_, text) => {
  expect(() => parse(text)).not.toThrow();
});

const workflows = yaml.filter(([, text]) => /^jobs:$/m.test(text));

test('the documentation contains several workflows', () => {
  expect(workflows.length).toBeGreaterThan(1);
});

describe.each(workflows)('the workflow %s', (_, text) => {
  const jobs: { steps: Step[] }[] = Object.values(parse(text).jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('is valid for the runner of GitHub', () => {
    expect(problemsIn('workflow', text)).toEqual([]);
  });

  test('uses only inputs and outputs of the action', () => {
    const uses = steps.filter((step) => step.uses?.startsWith('appreg/appreg@'));
    expect(uses.length).toBeGreaterThan(0);
    for (const step of uses)
      for (const name of Object.keys(step.with ?? {})) expect(action.inputs).toHaveProperty(name);
    for (const [, id, name] of text.matchAll(/steps\.(\w+)\.outputs\.(\w+)/g)) {
      expect(uses.map((step) => step.id)).toContain(id);
      expect(action.outputs).toHaveProperty(name!);
    }
  });

  test('has valid scripts without untrusted text', () => {
    for (const { run } of steps.filter((step) => step.run !== undefined)) {
      expect(run).not.toContain('${{');
      expect(() => execFileSync('bash', ['--norc', '-n'], { input: run, stdio: 'pipe' })).not.toThrow();
    }
  });
});

test('docs/pipelines/ci.md lists the inputs and outputs of the action', () => {
  const text = read('docs/pipelines/ci.md');
  const rows = [...text.matchAll(/^\| (`[^|]*`) \| /gm)].flatMap(([, names]) => names!.match(/[\w-]+/g)!);
  expect(rows).toEqual([...Object.keys(action.inputs), ...Object.keys(action.outputs)]);
});

/** @param path as docs/contributors/tests.md has it */
const isThere = (path: string): boolean =>
  existsSync(join(root, testPath(/\/$|\.ts$/.test(path) ? path : `${path}.test.ts`)));

/** Tests of a workspace are below its own folder. */
const testPath = (path: string): string => {
  const workspace = WORKSPACES.find((name) => path.startsWith(`${name}/`));
  return workspace === undefined ? `test/${path}` : `${workspace}/test${path.slice(workspace.length)}`;
};

const foldersIn = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe('docs/contributors/tests.md', () => {
  const page = read('docs/contributors/tests.md');
  const service = page.slice(page.indexOf('## The service'));
  const named = [...page.matchAll(/^\| .+? \| (.+) \|$/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([\w./-]+)`/g)].map(([, path]) => path!),
  );

  test('names files that exist', () => {
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  test('has each layer of the service', () => {
    const layers = [...service.matchAll(/^\| `(\w+)` \|/gm)].map(([, layer]) => layer!);
    expect(layers.toSorted()).toEqual(foldersIn('service/src'));
  });

  test('says which layer each folder and file of tests of the service is about', () => {
    const files = readdirSync(join(root, 'service/test'))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `service/${name.replace('.test.ts', '')}`);
    const folders = foldersIn('service/test').map((name) => `service/${name}/`);
    expect([...files, ...folders].filter((path) => !service.includes(`\`${path}\``))).toEqual([]);
  });
});

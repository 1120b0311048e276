import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { AppFacts, DocumentFacts } from '../../../src/core/facts/facts.ts';
import { startJudging } from '../../../src/core/engine/judge.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import { observeMetadataFile, observeWorkspace } from '../../../src/observe/workspace/observe-workspace.ts';
import type { Workspace } from '../../../src/observe/workspace/places.ts';
import { NOW } from '../../support/core-facts.ts';
import { folder } from '../../support/folders.ts';
import { expectNoSecret } from '../../support/leaks.ts';
import { PLANTED } from '../../support/planted.ts';
import { BASE, entry, metadataWith } from '../../support/snapshots.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
const bytes = gzipSync(Buffer.alloc(1024));
const registry = (...keys: string[]): object => ({ apps: Object.fromEntries(keys.map((key) => [key, entry(key)])) });
const workspace = (root: string, baseUrl: string | null = BASE): Workspace => ({
  root,
  manifest: 'registry.json',
  baseUrl,
});

test.each([
  ['https://b\u00fccher.example/', 'https://b\u00fccher.example/'],
  ['https://xn--bcher-kva.example/', 'https://b\u00fccher.example/'],
  ['https://apps.example.com', 'https://Apps.Example.com:443/'],
])('with the base URL %s, files with URLs that begin with %s are found', async (baseUrl, written) => {
  const metadata = metadataWith('1.0.0');
  metadata.versions[0]!['artifactUrl'] = `${written}apps/a/1.tar.gz`;
  const one = entry('a', { appMetadataUrl: `${written}apps/a/versions.json` });
  const root = folder({
    'registry.json': { apps: { a: one } },
    'apps/a/versions.json': metadata,
    'apps/a/1.tar.gz': bytes,
  });
  const { apps, orphans } = await look(root, baseUrl);
  expect(orphans).toEqual([]);
  expect(apps[0]!.metadata.file).toBe('ws/apps/a/versions.json');
  expect(apps[0]!.artifacts[0]!.file).toBe('ws/apps/a/1.tar.gz');
});

test('lint reports the artifacts beside a metadata file that no version lists, and no other archive', async () => {
  const root = folder({
    'registry.json': registry('a', 'broken', 'b'),
    'apps/a/versions.json': metadataWith('1.0.0'),
    'apps/a/versions/1.0.0.tar.gz': bytes,
    'apps/a/versions/1.1.0.tar.gz': bytes,
    'apps/a/versions/1.1.0.tar.gz.cdx.json': '{}',
    'apps/a/versions/notes.txt': 'x',
    'apps/a/versions/deeper/1.2.0.tar.gz': bytes,
    'dist/a.tar.gz': bytes,
    // It is not known what this one lists.
    'apps/broken/versions.json': '{',
    'apps/broken/versions/1.0.0.tar.gz': bytes,
    'apps/b/versions.json': { versions: [] },
    'apps/b/versions/1.0.0.tar.gz': bytes,
  });
  const unlisted = (await lint(root)).findings.filter(({ rule }) => rule === 'artifact-unlisted');
  expect(unlisted).toMatchObject([
    { severity: 'note', file: 'apps/a/versions/1.1.0.tar.gz', advice: expect.stringContaining('may delete it') },
    { severity: 'note', file: 'apps/b/versions/1.0.0.tar.gz' },
  ]);
});

interface Seen {
  manifest: DocumentFacts;
  apps: AppFacts[];
  orphans: readonly string[];
  steps: string[];
}
async function look(root: string, baseUrl: string | null = BASE): Promise<Seen> {
  const seen: Seen = { manifest: null as never, apps: [], orphans: [], steps: [] };
  await observeWorkspace(
    workspace(root, baseUrl),
    {
      manifest: (facts) => void (seen.manifest = facts),
      app: (facts) => void seen.apps.push(facts),
      orphans: (files) => void (seen.orphans = files),
    },
    { nameOf: (path) => `ws/${path}`, onApp: (done, all) => void seen.steps.push(`${done}/${all}`) },
  );
  return seen;
}
async function lint(root: string): Promise<Report> {
  const judging = startJudging({ command: 'lint', target: '.', now: NOW });
  await observeWorkspace(workspace(root), judging, { nameOf: (path) => path });
  return judging.finish(0);
}
const foundIn = (report: Report): string[] =>
  report.findings.map((f) => `${f.rule}${f.cause ? ` ${f.cause}` : ''} ${f.file}`);

describe('a workspace', () => {
  const root = folder({
    'registry.json': registry('a', 'elsewhere', 'missing'),
    'apps/a/versions.json': metadataWith('1.0.0', '2.0.0'),
    'apps/a/versions/1.0.0.tar.gz': bytes,
    'apps/a/icon.svg': SVG,
    'apps/lost/versions.json': metadataWith('1.0.0'),
    'apps/z/other.json': { name: 'no metadata' },
    'apps/a/versions/1.0.0.tar.gz.sigstore.json': metadataWith('1.0.0'),
    'apps/a/versions/1.0.0.tar.gz.cdx.json': metadataWith('1.0.0'),
    'node_modules/x/versions.json': metadataWith('1.0.0'),
    '.cache/versions.json': metadataWith('1.0.0'),
    'package.json': { versions: [] },
  });

  test('is observed document by document, with hashed artifacts and inspected icons', async () => {
    const seen = await look(root);
    expect(seen.manifest).toMatchObject({
      url: null,
      file: 'ws/registry.json',
      web: { missing: { code: 'offline' }, runWide: true },
      content: { cut: false },
    });
    expect(seen.apps.map((app) => app.key)).toEqual(['a', 'elsewhere', 'missing']);
    const [a, , missing] = seen.apps;
    expect(a!.metadata).toMatchObject({ url: `${BASE}apps/a/versions.json`, file: 'ws/apps/a/versions.json' });
    expect(a!.artifacts).toHaveLength(2);
    expect(a!.artifacts[0]).toMatchObject({
      file: 'ws/apps/a/versions/1.0.0.tar.gz',
      content: { bytes: bytes.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      archive: { kind: 'gzip' },
    });
    expect(a!.artifacts[1]).toMatchObject({
      file: 'ws/apps/a/versions/2.0.0.tar.gz',
      local: 'missing',
      content: { missing: { code: 'blocked-by', rule: 'file-missing' } },
    });
    expect(a!.icon).toMatchObject({ file: 'ws/apps/a/icon.svg', image: { kind: 'svg' } });
    expect(missing!.metadata).toMatchObject({
      local: 'missing',
      content: { missing: { code: 'blocked-by', rule: 'file-missing' } },
    });
    expect(missing!.artifacts).toEqual([]);
    expect(missing!.icon).toMatchObject({ file: 'ws/apps/missing/icon.svg', local: 'missing' });
    expect(seen.steps).toEqual(['1/3', '2/3', '3/3']);
  });

  test('lists unreferenced metadata files, but no other JSON files, nor companion files of artifacts', async () => {
    expect((await look(root)).orphans).toEqual(['ws/apps/lost/versions.json']);
  });

  test('without a base URL has no local files except its manifest', async () => {
    const { apps } = await look(root, null);
    expect(apps.map((app) => app.metadata.content)).toEqual(
      [1, 2, 3].map(() => ({ missing: { code: 'not-in-workspace' } })),
    );
  });

  test('may have a base URL without a trailing slash, or with capitals in the host', async () => {
    expect((await look(root, 'HTTPS://APPS.example.com')).apps[0]!.metadata.file).toBe('ws/apps/a/versions.json');
  });

  test('has one error for a missing file, and the other apps are judged', async () => {
    const report = await lint(
      folder({ 'registry.json': registry('a', 'b'), 'apps/b/versions.json': metadataWith('1.0.0') }),
    );
    expect(foundIn(report)).toEqual(['file-missing missing registry.json']);
    expect(report.findings[0]).toMatchObject({
      message: 'The metadata file apps/a/versions.json does not exist.',
      pointer: '/apps/a/appMetadataUrl',
      line: 10,
    });
    expect(report.apps).toEqual([
      { key: 'a', visible: false, because: ['file-missing'], latest: null },
      { key: 'b', visible: null, because: [], latest: '1.0.0' },
    ]);
  });
});

test('a manifest that is missing, a folder or invalid is one error', async () => {
  expect(foundIn(await lint(folder()))).toEqual(['file-missing missing registry.json']);
  expect(foundIn(await lint(folder({ 'registry.json/x': '' })))).toEqual(['file-missing not-a-file registry.json']);
  expect(foundIn(await lint(folder({ 'registry.json': '{' })))).toEqual([
    'document-unreadable truncated registry.json',
  ]);
});

/** A part of a file that several apps share. */
function sprite(part: string): object {
  return { blockStyle: { iconUrl: `${BASE}sprite.svg#${part}`, color: '#112233' } };
}

test('an icon URL with a fragment refers to the local file of the sprite', async () => {
  const root = folder({
    'registry.json': { apps: { a: entry('a', sprite('a')), b: entry('b', sprite('b')) } },
    'apps/a/versions.json': metadataWith('1.0.0'),
    'apps/b/versions.json': metadataWith('2.0.0'),
    'sprite.svg': SVG,
  });
  const report = await lint(root);
  expect(foundIn(report)).toEqual([]);
  const { apps } = await look(root);
  expect(apps.map(({ icon }) => icon.file)).toEqual(['ws/sprite.svg', 'ws/sprite.svg']);
});

test('a folder in place of a file is not read', async () => {
  const root = folder({
    'registry.json': registry('a', 'b'),
    'apps/a/versions.json/x': '',
    'apps/b/versions.json': metadataWith('1.0.0'),
    'apps/a/versions/1.0.0.tar.gz/x': '',
    'apps/b/icon.svg/x': '',
  });
  const { apps } = await look(root);
  expect([apps[0]!.metadata, apps[1]!.artifacts[0]!, apps[1]!.icon].map(({ local }) => local)).toEqual([
    'folder',
    'folder',
    'folder',
  ]);
});

test('URLs with path traversal have no local file', async () => {
  const outside = folder({ 'secret.json': metadataWith('6.6.6') });
  const tricks = [
    '%2e%2e/secret.json',
    '../secret.json',
    '..%2fsecret.json',
    'a%00.json',
    'a\\..\\secret.json',
    '%5c..%5csecret.json',
    '%2fetc/passwd',
    `%2f${outside.slice(1)}/secret.json`,
    './apps/../../secret.json',
    '',
  ];
  const root = folder({
    'registry.json': {
      apps: Object.fromEntries(
        tricks.map((trick, i) => [
          `k${i}`,
          entry(`k${i}`, { appMetadataUrl: BASE + trick, blockStyle: { iconUrl: BASE + trick, color: '#112233' } }),
        ]),
      ),
    },
  });
  const { apps } = await look(root);
  expect(apps).toHaveLength(tricks.length);
  for (const app of apps)
    expect([app.metadata.file, app.metadata.content, app.icon.content]).toEqual([
      null,
      { missing: { code: 'not-in-workspace' } },
      { missing: { code: 'not-in-workspace' } },
    ]);
});

describe.skipIf(process.platform === 'win32')('symbolic links', () => {
  test('out of the workspace are not followed', async () => {
    const outside = folder({
      'v.json': metadataWith('6.6.6'),
      'a.tar.gz': bytes,
      'i.svg': SVG,
      'd/versions.json': metadataWith('6.6.6'),
    });
    const root = folder({ 'registry.json': registry('a', 'b', 'c'), 'apps/c/versions.json': metadataWith('1.0.0') });
    for (const key of ['a', 'b']) mkdirSync(join(root, 'apps', key), { recursive: true });
    symlinkSync(join(outside, 'v.json'), join(root, 'apps/a/versions.json'));
    symlinkSync(join(outside, 'i.svg'), join(root, 'apps/c/icon.svg'));
    mkdirSync(join(root, 'apps/a/versions'));
    symlinkSync(join(outside, 'a.tar.gz'), join(root, 'apps/a/versions/1.0.0.tar.gz'));
    symlinkSync(join(outside, 'd/versions.json'), join(root, 'apps/b/versions.json'));
    const { apps, orphans } = await look(root);
    expect(apps.map((app) => app.metadata.local)).toEqual(['outside', 'outside', undefined]);
    expect([apps[2]!.artifacts[0]!, apps[2]!.icon].map(({ local }) => local)).toEqual(['outside', 'outside']);
    expect(orphans).toEqual([]);
    expect(foundIn(await lint(root))).toEqual([
      'file-missing missing registry.json',
      'file-missing outside registry.json',
      'file-missing missing registry.json',
      'file-missing outside registry.json',
      'file-missing outside registry.json',
      'file-missing outside apps/c/versions.json',
    ]);
  });

  test('out of the workspace in a hidden folder are not followed', async () => {
    const outside = folder({ 'v.json': metadataWith('6.6.6') });
    const root = folder({ 'registry.json': { apps: { a: entry('a', { appMetadataUrl: `${BASE}.hidden/v.json` }) } } });
    mkdirSync(join(root, '.hidden'));
    symlinkSync(join(outside, 'v.json'), join(root, '.hidden/v.json'));
    expect((await look(root)).apps[0]!.metadata).toMatchObject({
      local: 'outside',
      content: { missing: { code: 'blocked-by', rule: 'file-missing' } },
    });
  });

  test('inside the workspace are followed unless they are circular or dangling', async () => {
    const root = folder({ 'registry.json': registry('a', 'b', 'c'), 'real.json': metadataWith('1.0.0') });
    for (const key of ['a', 'b', 'c']) mkdirSync(join(root, 'apps', key), { recursive: true });
    symlinkSync('../../real.json', join(root, 'apps/a/versions.json'));
    symlinkSync('versions.json', join(root, 'apps/b/versions.json'));
    symlinkSync('nowhere', join(root, 'apps/c/versions.json'));
    const { apps } = await look(root);
    expect(apps.map((app) => app.metadata.local)).toEqual([undefined, 'link-loop', 'dangling-link']);
  });

  test('to the workspace itself are followed', async () => {
    const root = folder({ 'registry.json': registry('a'), 'apps/a/versions.json': metadataWith('1.0.0') });
    symlinkSync('versions.json', join(root, 'apps/a/other.json'));
    const away = folder();
    symlinkSync(root, join(away, 'link'));
    expect((await look(join(away, 'link'))).apps[0]!.metadata.local).toBe(undefined);
  });
});

test('names of inherited members are valid keys and fields', async () => {
  const root = folder({
    'registry.json': `{"apps":{"__proto__":${JSON.stringify(entry('p'))},"constructor":${JSON.stringify(entry('c'))}}}`,
    'apps/p/versions.json': metadataWith('1.0.0'),
    'apps/c/versions.json': metadataWith('2.0.0'),
  });
  const report = await lint(root);
  expect(foundIn(report)).toEqual([]);
  expect(report.apps.map((app) => [app.key, app.latest])).toEqual([
    ['__proto__', '1.0.0'],
    ['constructor', '2.0.0'],
  ]);
});

test('a single metadata file is observed with its artifacts', async () => {
  const root = folder({
    'apps/a/versions.json': metadataWith('1.0.0', '2.0.0'),
    'apps/a/versions/1.0.0.tar.gz': bytes,
  });
  const { metadata, artifacts } = await observeMetadataFile(workspace(root), 'apps/a/versions.json', {
    nameOf: (path) => path,
  });
  expect(metadata).toMatchObject({ file: 'apps/a/versions.json', url: null });
  expect(artifacts.map(({ local }) => local)).toEqual([undefined, 'missing']);
});

describe('an unreferenced metadata file is not reported as an orphan with', () => {
  const { appMetadataUrl: _, ...nowhere } = entry('a');
  test.each([
    ['a manifest that is not JSON', '{ "apps": '],
    ['a manifest without apps', {}],
    ['an app without its metadata URL', { apps: { a: nowhere } }],
  ])('%s', async (_name, manifest) => {
    const report = await lint(folder({ 'registry.json': manifest, 'apps/a/versions.json': metadataWith('1.0.0') }));
    expect(report.summary.errors).toBe(1);
    expect(foundIn(report).filter((text) => text.startsWith('metadata-orphaned'))).toEqual([]);
  });
});

test('the facts of an icon contain no secret of a text in its place', async () => {
  const token = PLANTED.find(({ kind }) => kind === 'github-token')!.value;
  const root = folder({
    'registry.json': registry('a'),
    'apps/a/versions.json': metadataWith('1.0.0'),
    'apps/a/icon.svg': `Error: no access with ${token}\n`,
  });
  const { apps } = await look(root);
  const { content } = apps[0]!.icon;
  expect(Buffer.from('head' in content ? content.head : '', 'base64').toString()).toMatch(
    /^Error: no access .*REDACTED/,
  );
  expectNoSecret(JSON.stringify(apps));
});

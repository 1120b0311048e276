import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBundle } from '../../src/cli/commands/bundle.ts';
import { writeFiles } from '../bundle/tree.ts';
import { billErrors } from '../support/cyclonedx.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';
import { lintsClean, listedVersions, type Options, publish, workspace } from './publish-fixture.ts';
import { releaseIn, repository, sources, statesOf } from './release-fixture.ts';

/** Bills of materials in the commands that build and publish. */

const FILES = {
  'main.ts': `import { dep } from 'dep';\nexport const app = dep;\n`,
  'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","license":"ISC"}',
  'node_modules/dep/index.js': 'export const dep = 1;',
  'node_modules/dep/LICENSE': 'Copyright Dep',
};

interface Bill {
  metadata: { component: { name: string; version?: string; hashes: { content: string }[] } };
  components: { purl: string }[];
}

/** A bill of materials, which is valid. */
async function billAt(file: string): Promise<Bill> {
  const text = readFileSync(file, 'utf8');
  expect(await billErrors(text)).toBeNull();
  return JSON.parse(text);
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function set(root: string, settings: object): void {
  const file = join(root, 'appreg.config.json');
  const before: object = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  writeFileSync(file, JSON.stringify({ ...before, ...settings }));
}

describe('bundle --sbom', () => {
  test('writes the bill beside the archive, with the same bytes again', async () => {
    const root = writeFiles(folder(), FILES);
    const context = contextIn(root, { format: 'json' });
    expect(await runBundle(context, 'main.ts', 'out/a.tar.gz', { sbom: true, format: 'json' })).toBe(0);
    const bill = await billAt(join(root, 'out/a.tar.gz.cdx.json'));
    expect(bill.metadata.component).toMatchObject({
      name: 'a',
      hashes: [{ content: sha256(join(root, 'out/a.tar.gz')) }],
    });
    expect(bill.components.map(({ purl }) => purl)).toEqual(['pkg:npm/dep@1.0.0']);
    const bytes = readFileSync(join(root, 'out/a.tar.gz.cdx.json'));
    expect(JSON.parse(context.printed.out.join('\n'))).toMatchObject({
      sbom: { path: 'out/a.tar.gz.cdx.json', bytes: bytes.length },
    });
    await runBundle(contextIn(root), 'main.ts', 'out/a.tar.gz', { sbom: true });
    expect(readFileSync(join(root, 'out/a.tar.gz.cdx.json'))).toEqual(bytes);
  });

  test('also by the setting, and not for a folder', async () => {
    const root = writeFiles(folder(), { ...FILES, 'packed/app.js': 'export {};' });
    const refused = await refusal(runBundle(contextIn(root), 'packed', 'p.tar.gz', { sbom: true }));
    expect(refused).toMatchObject({ code: 'sbom-unavailable', exit: 2 });
    expect(existsSync(join(root, 'p.tar.gz'))).toBe(false);
    set(root, { evidence: { sbom: true } });
    expect(await runBundle(contextIn(root), 'main.ts', 'a.tar.gz', {})).toBe(0);
    await billAt(join(root, 'a.tar.gz.cdx.json'));
    expect(await runBundle(contextIn(root), 'packed', 'p.tar.gz', {})).toBe(0);
    expect(existsSync(join(root, 'p.tar.gz.cdx.json'))).toBe(false);
  });
});

describe('publish-version --sbom', () => {
  test('publishes the bill of what is built, and lint is clean beside it', async () => {
    const root = writeFiles(await workspace(), FILES);
    await publish(root, '1.0.0', { entry: 'main.ts', sbom: true });
    const artifact = join(root, 'apps/a/versions/1.0.0.tar.gz');
    const { metadata, components } = await billAt(`${artifact}.cdx.json`);
    expect(metadata.component).toMatchObject({ name: 'a', version: '1.0.0', hashes: [{ content: sha256(artifact) }] });
    expect(components).toHaveLength(1);
    await lintsClean(root);
    // Without a bill, manifest and metadata are the same.
    const documents = ['registry.json', 'apps/a/versions.json'].map((path) => readFileSync(join(root, path), 'utf8'));
    const other = writeFiles(await workspace(), FILES);
    await publish(other, '1.0.0', { entry: 'main.ts' });
    expect(existsSync(join(other, 'apps/a/versions/1.0.0.tar.gz.cdx.json'))).toBe(false);
    expect(['registry.json', 'apps/a/versions.json'].map((path) => readFileSync(join(other, path), 'utf8'))).toEqual(
      documents,
    );
  });

  test('publishes the bill that bundle wrote beside an archive', async () => {
    const root = writeFiles(await workspace(), FILES);
    await runBundle(contextIn(root), 'main.ts', 'dist/a.tar.gz', { sbom: true });
    await publish(root, '1.0.0', { artifact: 'dist/a.tar.gz', sbom: true });
    expect(readFileSync(join(root, 'apps/a/versions/1.0.0.tar.gz.cdx.json'))).toEqual(
      readFileSync(join(root, 'dist/a.tar.gz.cdx.json')),
    );
  });

  test.each<[name: string, content: string | null, options: Options, code: string]>([
    ['no bill is beside the archive', null, { artifact: 'a.tar.gz', sbom: true }, 'sbom-unavailable'],
    ['the bill is of other bytes', 'other', { artifact: 'a.tar.gz', sbom: true }, 'sbom-invalid'],
    ['the bill is not JSON', '<xml/>', { artifact: 'a.tar.gz', sbom: true }, 'sbom-invalid'],
    ['the archive is a folder', null, { entry: 'packed', sbom: true }, 'sbom-unavailable'],
    ['the archive is elsewhere', null, { artifactUrl: 'http://127.0.0.1:1/a.tar.gz', sbom: true }, 'option-conflict'],
  ])('is refused if %s, and nothing is written', async (_, content, options, code) => {
    const root = writeFiles(await workspace(), { ...FILES, 'packed/app.js': 'export {};' });
    await runBundle(contextIn(root), 'main.ts', 'a.tar.gz', { sbom: true });
    const bill = join(root, 'a.tar.gz.cdx.json');
    if (content === 'other') await runBundle(contextIn(root), 'main.ts', 'a.tar.gz', { minify: true });
    else if (content === null) rmSync(bill);
    else writeFileSync(bill, content);
    const before = snapshot(root);
    expect(await refusal(publish(root, '1.0.0', options))).toMatchObject({ code, exit: 2 });
    expect(snapshot(root)).toBe(before);
  });

  test('by the setting publishes a bill where there is one', async () => {
    const root = writeFiles(await workspace(), { ...FILES, 'packed/app.js': 'export {};' });
    set(root, { evidence: { sbom: true } });
    await publish(root, '1.0.0', { entry: 'main.ts' });
    await publish(root, '1.1.0', { entry: 'packed' });
    await publish(root, '1.2.0', { artifact: '../one.tar.gz' });
    expect(
      listedVersions(root)
        .map(({ version }) => version)
        .toSorted(),
    ).toEqual(['1.0.0', '1.1.0', '1.2.0']);
    const bills = ['1.0.0', '1.1.0', '1.2.0'].filter((version) =>
      existsSync(join(root, `apps/a/versions/${version}.tar.gz.cdx.json`)),
    );
    expect(bills).toEqual(['1.0.0']);
  });
});

describe('release', () => {
  test.each<[name: string, settings: object, options: Parameters<typeof releaseIn>[1]]>([
    ['--sbom', {}, { sbom: true }],
    ['the setting', { evidence: { sbom: true } }, {}],
  ])('with %s publishes a bill of each app', async (_, settings, options) => {
    const root = await repository(
      { ...sources({ clock: '1.0.0', lamp: '1.0.0' }), ...FILES, 'src/clock/main.ts': FILES['main.ts'] },
      { listed: ['clock', 'lamp'] },
    );
    set(root, settings);
    const planned = await releaseIn(root, { ...options, dryRun: true });
    expect(planned.report.plan?.map(({ path }) => path)).toContain('apps/clock/versions/1.0.0.tar.gz.cdx.json');
    expect(statesOf(await releaseIn(root, options))).toEqual({ clock: 'new', lamp: 'new' });
    const counts = await Promise.all(
      ['clock', 'lamp'].map(async (key) => {
        const { components } = await billAt(join(root, `apps/${key}/versions/1.0.0.tar.gz.cdx.json`));
        return components.length;
      }),
    );
    expect(counts).toEqual([1, 0]);
    // A second run has nothing to do.
    const before = snapshot(root);
    expect(statesOf(await releaseIn(root, options))).toEqual({ clock: 'unchanged', lamp: 'unchanged' });
    expect(snapshot(root)).toBe(before);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBundle } from '../../src/cli/commands/bundle.ts';
import { unpacked, writeFiles } from '../bundle/tree.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';
import { publish, workspace } from './publish-fixture.ts';
import { releaseIn, repository, sources, statesOf } from './release-fixture.ts';

/** License notices in the commands that build. */

const NOTICES = 'THIRD-PARTY-NOTICES.txt';

/** An app that bundles a package. */
const PACKAGE = {
  'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","license":"ISC"}',
  'node_modules/dep/index.js': 'export const dep = 1;',
  'node_modules/dep/LICENSE': 'Copyright Dep',
};
const CODE = `import { dep } from 'dep';\nexport const app = dep;\n`;

async function namesIn(archive: string): Promise<string[]> {
  return Object.keys(await unpacked(readFileSync(archive)));
}

function configure(root: string, bundle: object): void {
  const file = join(root, 'appreg.config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), bundle }));
}

/** The files of an archive that `bundle` writes. */
async function namesWith(settings: object | null, options: { notices?: boolean }): Promise<string[]> {
  const root = writeFiles(folder(), { 'main.ts': CODE, ...PACKAGE });
  if (settings !== null) writeFileSync(join(root, 'appreg.config.json'), JSON.stringify({ bundle: settings }));
  expect(await runBundle(contextIn(root), 'main.ts', 'a.tar.gz', options)).toBe(0);
  return namesIn(join(root, 'a.tar.gz'));
}

/** Two apps, of which one bundles a package. */
async function apps(): Promise<string> {
  const files = { ...sources({ clock: '1.0.0', lamp: '1.0.0' }), 'src/clock/main.ts': CODE, ...PACKAGE };
  return repository(files, { listed: ['clock', 'lamp'] });
}

describe('bundle', () => {
  test.each<[settings: object | null, options: { notices?: boolean }, names: string[]]>([
    [null, {}, [NOTICES, 'app.js']],
    [null, { notices: false }, ['app.js']],
    [{ notices: false }, {}, ['app.js']],
    [{ notices: true }, { notices: false }, ['app.js']],
  ])('with the settings %j and the options %j writes %j', async (settings, options, names) => {
    expect(await namesWith(settings, options)).toEqual(names);
  });

  test('refuses a license that is not allowed, and writes nothing', async () => {
    const root = writeFiles(folder(), { 'main.ts': CODE, ...PACKAGE });
    writeFileSync(join(root, 'appreg.config.json'), '{"bundle":{"licenses":{"allow":["MIT"]}}}');
    const before = snapshot(root);
    const error = await refusal(runBundle(contextIn(root), 'main.ts', 'out/a.tar.gz', {}));
    expect(error).toMatchObject({ code: 'license-not-allowed', exit: 1 });
    expect(snapshot(root)).toBe(before);
  });
});

describe('publish-version', () => {
  test('publishes the notices with the code, and refuses a license before anything is published', async () => {
    const root = await workspace();
    writeFiles(root, { 'main.ts': CODE, ...PACKAGE });
    await publish(root, '1.0.0', { entry: 'main.ts' });
    expect(await namesIn(join(root, 'apps/a/versions/1.0.0.tar.gz'))).toEqual([NOTICES, 'app.js']);
    await publish(root, '1.0.1', { entry: 'main.ts', notices: false });
    expect(await namesIn(join(root, 'apps/a/versions/1.0.1.tar.gz'))).toEqual(['app.js']);
    configure(root, { licenses: { allow: ['MIT'] } });
    const before = snapshot(root);
    const error = await refusal(publish(root, '1.0.2', { entry: 'main.ts' }));
    expect(error).toMatchObject({ code: 'license-not-allowed', effect: 'none' });
    expect(error.message).toContain('dep@1.0.0 (ISC)');
    expect(snapshot(root)).toBe(before);
  });

  test('refuses --no-notices for an existing artifact', async () => {
    const error = await refusal(publish(await workspace(), '1.0.0', { artifact: '../one.tar.gz', notices: false }));
    expect(error).toMatchObject({ code: 'option-conflict', exit: 2 });
  });
});

describe('release', () => {
  test('reports an app whose notices alone changed as rebuilt', async () => {
    const root = await apps();
    await releaseIn(root);
    expect(statesOf(await releaseIn(root, { check: true }))).toEqual({ clock: 'unchanged', lamp: 'unchanged' });
    const lock = readFileSync(join(root, 'appreg.lock.json'), 'utf8');
    expect(lock.match(/"notices":"sha256:[0-9a-f]{64}"/g)).toHaveLength(1);

    writeFiles(root, { 'node_modules/dep/LICENSE': 'Copyright Dep and others' });
    const run = await releaseIn(root, { check: true });
    expect(statesOf(run)).toEqual({ clock: 'rebuilt', lamp: 'unchanged' });
    expect(run.apps['clock']?.message).toBe(
      'Only the license notices of its packages changed. The published 1.0.0 is not changed.',
    );
    // The package has another version with the same code.
    writeFiles(root, { 'node_modules/dep/package.json': '{"name":"dep","version":"1.0.1","license":"ISC"}' });
    expect(statesOf(await releaseIn(root, { check: true }))['clock']).toBe('rebuilt');
    expect(statesOf(await releaseIn(root, { check: true, notices: false }))['clock']).toBe('rebuilt');

    writeFiles(root, { 'node_modules/dep/index.js': 'export const dep = 2;' });
    expect(statesOf(await releaseIn(root, { check: true }))['clock']).toBe('changed');
  });

  test('reports an app with a license that is not allowed as broken, and publishes the others', async () => {
    const root = await apps();
    configure(root, { licenses: { allow: ['MIT'] } });
    const run = await releaseIn(root);
    expect(statesOf(run)).toEqual({ clock: 'broken', lamp: 'new' });
    expect(run.apps['clock']).toMatchObject({
      message: expect.stringContaining('dep@1.0.0 (ISC)'),
      advice: expect.stringContaining('bundle.licenses.allow'),
    });
    expect(run.apps['lamp']?.published).toBe(true);
  });

  test('ends at a setting that is not a license', async () => {
    const root = await apps();
    configure(root, { licenses: { allow: ['Apache 2'] } });
    expect(await refusal(releaseIn(root))).toMatchObject({ code: 'license-setting-invalid', exit: 2 });
  });
});

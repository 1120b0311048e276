import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBundle } from '../../src/cli/commands/bundle.ts';
import { writeFiles } from '../bundle/tree.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';
import { publish, workspace } from './publish-fixture.ts';
import { releaseIn, repository, sources } from './release-fixture.ts';

/** The load test in the commands that build. */

const WORKING = 'export const app = 1;\n';
const MISSING = `import { readFileSync } from 'node:fs';\nexport const app = readFileSync(import.meta.dirname + '/x.txt');\n`;
/** Every supported version of Node satisfies it. */
const TARGET = { target: 'node20' };

function configure(root: string, bundle: object): void {
  const file = join(root, 'appreg.config.json');
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  writeFileSync(file, JSON.stringify({ ...before, bundle }));
}

/** The names that the code exports, in the output; null if it was not loaded. */
function exportsIn(out: readonly string[]): unknown {
  return JSON.parse(out.join('')).exports ?? null;
}

/** A workspace with an entry point. */
async function prepared(code: string): Promise<string> {
  const root = await workspace();
  configure(root, TARGET);
  writeFiles(root, { 'main.ts': code });
  return root;
}

/** Two apps, of which one cannot be loaded. */
async function apps(): Promise<string> {
  const files = { ...sources({ clock: '1.0.0', lamp: '1.0.0' }), 'src/clock/main.ts': MISSING };
  const root = await repository(files, { listed: ['clock', 'lamp'] });
  configure(root, TARGET);
  return root;
}

describe('bundle', () => {
  test('prints what app.js exports', async () => {
    const root = writeFiles(folder(), { 'main.ts': WORKING, 'ui.ts': 'export const view = 1;' });
    const context = contextIn(root);
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', { ui: 'ui.ts' })).toBe(0);
    expect(context.printed.out.join('\n')).toMatch(/\nexports: app\nui\.js exports: view$/m);
    const json = contextIn(root, { format: 'json' });
    expect(await runBundle(json, 'main.ts', 'a.tar.gz', {})).toBe(0);
    expect(exportsIn(json.printed.out)).toEqual(['app']);
  });

  test('refuses code that can never be loaded, and writes nothing', async () => {
    const root = writeFiles(folder(), { 'main.ts': MISSING });
    const before = snapshot(root);
    const error = await refusal(runBundle(contextIn(root), 'main.ts', 'out/a.tar.gz', { target: 'node20' }));
    expect(error).toMatchObject({ code: 'load-failed', exit: 1 });
    expect(error.message).toContain('the file x.txt, which main.ts:2 needs');
    expect(snapshot(root)).toBe(before);
  });

  test.each<[settings: object, options: { loadTest?: boolean }]>([
    [{ target: 'node20' }, { loadTest: false }],
    [{ target: 'node20', loadTest: false }, {}],
  ])('loads nothing with the settings %j and the options %j', async (settings, options) => {
    const root = writeFiles(folder(), { 'main.ts': MISSING });
    configure(root, settings);
    const context = contextIn(root, { format: 'json' });
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', options)).toBe(0);
    expect(JSON.parse(context.printed.out.join(''))).not.toHaveProperty('exports');
  });
});

describe('publish-version', () => {
  test('loads what it builds, and refuses it before anything is published', async () => {
    const root = await prepared(MISSING);
    const before = snapshot(root);
    const error = await refusal(publish(root, '1.0.0', { entry: 'main.ts' }));
    expect(error).toMatchObject({ code: 'load-failed', exit: 1 });
    expect(snapshot(root)).toBe(before);
    writeFiles(root, { 'main.ts': WORKING });
    const { printed } = await publish(root, '1.0.0', { entry: 'main.ts', format: 'json' });
    expect(exportsIn(printed.out)).toEqual(['app']);
  });

  test('loads in a dry run only what --load-test asks for', async () => {
    const root = await prepared(MISSING);
    const { printed } = await publish(root, '1.0.0', { entry: 'main.ts', dryRun: true, format: 'json' });
    expect(exportsIn(printed.out)).toBeNull();
    const error = await refusal(publish(root, '1.0.0', { entry: 'main.ts', dryRun: true, alsoLoadTest: true }));
    expect(error).toMatchObject({ code: 'load-failed' });
  });

  test('never loads an artifact', async () => {
    const root = await prepared(MISSING);
    const { printed } = await publish(root, '1.0.0', { artifact: '../one.tar.gz', format: 'json' });
    expect(exportsIn(printed.out)).toBeNull();
    for (const option of [{ loadTest: false }, { alsoLoadTest: true }]) {
      const error = await refusal(publish(root, '1.0.1', { artifact: '../two.tar.gz', ...option }));
      expect(error).toMatchObject({ code: 'option-conflict', exit: 2 });
    }
  });
});

describe('release', () => {
  test('publishes the apps that can be loaded', async () => {
    const root = await apps();
    const { code, apps: results } = await releaseIn(root);
    expect(code).toBe(1);
    expect(results['clock']).toMatchObject({
      state: 'broken',
      published: false,
      message: expect.stringContaining('the file x.txt, which src/clock/main.ts:2 needs'),
    });
    expect(results['lamp']).toMatchObject({ published: true, exports: ['app'] });
  });

  test.each([{ check: true }, { dryRun: true }])('loads with %j only what --load-test asks for', async (option) => {
    const root = await apps();
    const { apps: results } = await releaseIn(root, option);
    expect(Object.values(results)).toMatchObject([{ state: 'new' }, { state: 'new' }]);
    expect(results['lamp']).not.toHaveProperty('exports');
    const { apps: loaded } = await releaseIn(root, { ...option, alsoLoadTest: true });
    expect(loaded).toMatchObject({ clock: { state: 'broken' }, lamp: { state: 'new', exports: ['app'] } });
  });

  test('loads nothing with --no-load-test', async () => {
    const { code, apps: results } = await releaseIn(await apps(), { loadTest: false });
    expect([code, results['clock']?.published]).toEqual([0, true]);
  });
});

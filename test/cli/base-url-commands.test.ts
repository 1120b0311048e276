import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runAssemble } from '../../src/cli/commands/assemble.ts';
import { runDeprecate } from '../../src/cli/commands/deprecate.ts';
import { runDiff } from '../../src/cli/commands/diff.ts';
import { runEditApp } from '../../src/cli/commands/edit-app.ts';
import { runLock } from '../../src/cli/commands/lock.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { runRelease } from '../../src/cli/commands/release.ts';
import { runRemoveApp } from '../../src/cli/commands/remove-app.ts';
import { runServe } from '../../src/cli/commands/serve.ts';
import { runSite } from '../../src/cli/commands/site.ts';
import { commitAll, git } from '../support/folders.ts';
import { filesBelow } from '../support/leaks.ts';
import { contextIn, type Recorded, refusal } from './author-support.ts';
import { publish, workspace } from './publish-fixture.ts';

/** Commands that write or publish addresses refuse a baseUrl that does not fit the manifest; others read the files. */

const BASE = 'https://apps.example.com/';
const WRONG = 'https://www.apps.example.com/';

function setBase(root: string, baseUrl: string): void {
  const path = join(root, 'appreg.config.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), baseUrl }));
}

/** A workspace with one published version, and sources of the app, whose baseUrl is then changed. */
async function misconfigured(baseUrl = WRONG): Promise<string> {
  const root = await workspace();
  await publish(root, '1.0.0');
  mkdirSync(join(root, 'src/a'), { recursive: true });
  writeFileSync(join(root, 'src/a/main.ts'), 'export {};\n');
  writeFileSync(join(root, 'src/a/VERSION'), '1.0.0\n');
  const path = join(root, 'appreg.config.json');
  const release = [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }];
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), release }));
  setBase(root, baseUrl);
  return root;
}

const ADDED = { name: 'B', description: 'An app.', icon: 'https://icons.example.com/b.svg', blockColor: '#112233' };

const REFUSED: Record<string, (context: Recorded) => Promise<number>> = {
  'publish-version': (context) =>
    runPublishVersion(context, 'a', '1.1.0', { artifact: '../two.tar.gz', readBack: false }),
  'publish-version --dry-run': (context) =>
    runPublishVersion(context, 'a', '1.1.0', { artifact: '../two.tar.gz', readBack: false, dryRun: true }),
  'add-app': (context) => runAddApp(context, 'b', ADDED),
  'edit-app': (context) => runEditApp(context, 'a', { name: 'Other' }),
  'remove-app': (context) => runRemoveApp(context, 'a', { yes: true }),
  deprecate: (context) => runDeprecate(context, 'a', '1.0.0', { reason: 'security', message: 'Use another one.' }),
  assemble: (context) => runAssemble(context, {}),
  'assemble --check': (context) => runAssemble(context, { check: true }),
  release: (context) => runRelease(context, {}),
  'release --check': (context) => runRelease(context, { check: true }),
  'release --dry-run': (context) => runRelease(context, { dryRun: true }),
  'release --bump': (context) => runRelease(context, { bump: true }),
  serve: (context) => runServe(context, undefined, { port: 0 }),
  site: (context) => runSite(context, 'pages', {}),
};

describe('a workspace in a folder', () => {
  test.each(Object.keys(REFUSED))('%s refuses it, and writes nothing', async (name) => {
    const root = await misconfigured();
    const before = filesBelow(root);
    const error = await refusal(REFUSED[name]?.(contextIn(root)) ?? Promise.resolve());
    expect(error).toMatchObject({ code: 'base-url-mismatched', exit: 2 });
    expect(error.message).toContain(`“${WRONG}”`);
    expect(error.message).toContain(`“${BASE}”`);
    expect(filesBelow(root)).toEqual(before);
  });

  test('diff compares the files that are meant', async () => {
    const root = await misconfigured(BASE);
    git(root, 'init', '--initial-branch', 'main');
    commitAll(root);
    const file = join(root, 'apps/a/versions.json');
    writeFileSync(file, JSON.stringify({ versions: [] }));
    const outputs = [];
    for (const baseUrl of [BASE, WRONG]) {
      setBase(root, baseUrl);
      const context = contextIn(root, { format: 'json' });
      await runDiff(context, 'HEAD', '.', {});
      outputs.push(context.printed.out.join('\n'));
    }
    expect(outputs[0]).toContain('1.0.0');
    expect(outputs[1]).toBe(outputs[0]);
  });

  test('lock records the versions of the files that are meant', async () => {
    const root = await misconfigured();
    expect(await runLock(contextIn(root), undefined, {})).toBe(0);
    expect(readFileSync(join(root, 'appreg.lock.json'), 'utf8')).toContain('1.0.0');
  });

  test('serve --no-rewrite needs no base URL', async () => {
    const root = await misconfigured();
    const context = contextIn(root);
    const running = runServe(context, undefined, { port: 0, rewrite: false });
    await expect.poll(() => context.printed.out.length).toBeGreaterThan(0);
    process.emit('SIGTERM');
    expect(await running).toBe(0);
  });
});

test('metadata files that are elsewhere are not refused', async () => {
  const root = await misconfigured(BASE);
  const path = join(root, 'registry.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace(`${BASE}apps/a`, 'https://a.example.org/main'));
  expect(await runAddApp(contextIn(root), 'b', ADDED)).toBe(0);
  expect(existsSync(join(root, 'apps/b/versions.json'))).toBe(true);
});

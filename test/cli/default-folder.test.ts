import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runDiff } from '../../src/cli/commands/diff.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { runLock } from '../../src/cli/commands/lock.ts';
import { runSite } from '../../src/cli/commands/site.ts';
import type { Context } from '../../src/cli/config/context.ts';
import { configAt } from '../support/config-at.ts';
import { cliContext } from '../support/cli-context.ts';
import { folder, write } from '../support/folders.ts';
import { BASE, entry, metadataWith } from '../support/snapshots.ts';

/** Commands without a path, with the configuration that --config names. */

const NAMED = 'registry/appreg.config.json';

function registryIn(root: string): void {
  write(root, {
    [NAMED]: { baseUrl: BASE, manifest: 'apps.json' },
    'registry/apps.json': { apps: { a: entry('a') } },
    'registry/apps/a/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>',
    'registry/apps/a/versions.json': metadataWith('1.0.0'),
  });
}

async function ran(cwd: string, run: (context: Context) => Promise<number>) {
  const config = (from = cwd) => configAt(from, join(cwd, NAMED));
  const context = cliContext({ cwd, options: { config: NAMED, format: 'json' }, config });
  await run(context);
  return JSON.parse(context.printed.out.join('\n'));
}

describe('--config names the configuration of another folder', () => {
  test('without a path, its registry is used', async () => {
    const root = folder();
    registryIn(root);
    expect(await ran(root, (context) => runLint(context, [], {}))).toMatchObject({
      target: 'registry',
      summary: { apps: 1, versions: 1 },
    });
    expect(await ran(root, (context) => runDiff(context, 'registry', undefined, {}))).toMatchObject({ apps: [] });
    expect(await ran(root, (context) => runSite(context, 'site', { check: true }))).toMatchObject({ apps: 1 });
    expect(await ran(root, (context) => runLock(context, undefined, {}))).toMatchObject({ versions: 1 });
    expect(existsSync(join(root, 'registry/appreg.lock.json'))).toBe(true);
  });

  test('a registry in the current folder is used before it', async () => {
    const root = folder({ 'registry.json': { apps: {} } });
    registryIn(root);
    expect(await ran(root, (context) => runLint(context, [], {}))).toMatchObject({ target: '.', summary: { apps: 0 } });
    // The lock file belongs to the registry of the configuration.
    expect(await ran(root, (context) => runLock(context, undefined, {}))).toMatchObject({ versions: 1 });
  });

  test('a path is taken as given', async () => {
    const root = folder();
    registryIn(root);
    await expect(ran(root, (context) => runLint(context, ['.'], {}))).rejects.toMatchObject({
      code: 'manifest-missing',
    });
  });
});

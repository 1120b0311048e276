import { describe, expect, test } from 'vitest';
import { runLock } from '../../src/cli/commands/lock/run.ts';
import { folder, write } from '../support/folders.ts';
import { contextIn } from './author-support.ts';

const BASE = 'https://apps.example.com/';

/** A workspace with one app. @param appMetadataUrl where its metadata file is */
function workspace(appMetadataUrl: string, files: Record<string, string | object>): string {
  const root = folder();
  const entry = {
    name: 'A',
    description: 'Does a thing.',
    blockStyle: { iconUrl: `${BASE}a.svg`, color: '#112233' },
    appMetadataUrl,
  };
  write(root, { 'appreg.config.json': { baseUrl: BASE }, 'registry.json': { apps: { a: entry } }, ...files });
  return root;
}

describe('lock', () => {
  test.each<[name: string, files: Record<string, string | object>]>([
    ['is missing', {}],
    ['is not JSON', { 'a.json': '{' }],
    ['has no versions', { 'a.json': {} }],
  ])('fails if a metadata file %s', async (_, files) => {
    const context = contextIn(workspace(`${BASE}a.json`, files));
    expect(await runLock(context, undefined, {})).toBe(1);
    expect(context.printed.log.join()).toContain('Not recorded: the versions of a (');
    expect(context.printed.out).toEqual(['appreg.lock.json: 0 versions, 0 new']);
  });

  test('succeeds for an app without versions', async () => {
    const context = contextIn(workspace(`${BASE}a.json`, { 'a.json': { versions: [] } }));
    expect(await runLock(context, undefined, {})).toBe(0);
    expect(context.printed.log).toEqual([]);
  });

  test('succeeds for an app whose metadata file is on another host, and says so', async () => {
    const context = contextIn(workspace('https://other.example.com/a.json', {}));
    expect(await runLock(context, undefined, {})).toBe(0);
    expect(context.printed.log.join()).toContain('Not recorded: the versions of a (');
  });
});

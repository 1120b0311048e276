import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { tarGz } from '../publish/memory.ts';
import { folder } from '../support/folders.ts';
import { contextIn, type Recorded } from './author-support.ts';

/** A workspace with an app, two artifacts, and publishing from it. */

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

export const FIRST_ARTIFACT = tarGz('one');

export const SECOND_ARTIFACT = tarGz('two');

/** A workspace with the app `a`, and two artifacts beside it. */
export async function workspace(baseUrl = 'https://apps.example.com/', key = 'a'): Promise<string> {
  const dir = folder();
  await runInit(contextIn(dir), 'r', { baseUrl });
  writeFileSync(join(dir, 'i.svg'), SVG);
  writeFileSync(join(dir, 'one.tar.gz'), FIRST_ARTIFACT);
  writeFileSync(join(dir, 'two.tar.gz'), SECOND_ARTIFACT);
  await runAddApp(contextIn(join(dir, 'r')), key, {
    name: 'A',
    description: 'An app.',
    icon: '../i.svg',
    blockColor: '#112233',
  });
  return join(dir, 'r');
}

export type Options = Parameters<typeof runPublishVersion>[3];

/** Publishes without requesting the public URL, unless the options require it. */
export async function publish(
  dir: string,
  version: string,
  options: Options = { artifact: '../one.tar.gz' },
): Promise<Recorded> {
  const context = contextIn(dir, options.format === undefined ? {} : { format: options.format });
  expect(await runPublishVersion(context, 'a', version, { readBack: false, ...options })).toBe(0);
  return context;
}

export const listedVersions = (dir: string): Record<string, string>[] =>
  (JSON.parse(readFileSync(join(dir, 'apps/a/versions.json'), 'utf8')) as { versions: Record<string, string>[] })
    .versions;

export async function lintsClean(dir: string): Promise<void> {
  const context = contextIn(dir);
  expect([await runLint(context, [], {}), context.printed.out]).toEqual([0, expect.anything()]);
}

// Scenario: the workflow of an example runs for many states of a repository.
import { cpSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { commitAll, folder, git, write } from './support/folders.ts';
import { makeTools, type Ran, runScript, scriptOf, type Tools } from './support/workflow.ts';

/** Runs the workflow of examples/many-apps for apps that come, change their names and go. */

const EXAMPLE = join(dirname(fileURLToPath(import.meta.url)), '../examples/many-apps');
const WORKFLOW = join(EXAMPLE, '.github/workflows/apps.yml');

let tools: Tools;
let remote: string;
let root: string;
beforeAll(async () => {
  tools = await makeTools('#!/bin/sh\nexit 99\n');
  remote = folder();
  git(remote, 'init', '--quiet', '--bare');
  root = folder();
  git(root, 'init', '--quiet');
  git(root, 'remote', 'add', 'origin', remote);
  const made = await runScript(tools, 'appreg init --base-url https://apps.example.com/ --store git', root, {});
  expect(made).toMatchObject({
    status: 0,
    output: expect.stringContaining('git show FETCH_HEAD:registry.json') as string,
  });
  for (const path of ['appreg.config.json', 'lib', 'apps/clock']) copy(path);
}, 120_000);

function copy(path: string): void {
  cpSync(join(EXAMPLE, path), join(root, path), { recursive: true });
}

/** Commits everything, and runs a job of the workflow. */
async function run(job: 'check' | 'publish'): Promise<Ran> {
  if (git(root, 'status', '--porcelain') !== '') commitAll(root);
  return runScript(tools, scriptOf(WORKFLOW, job), root, {});
}

function published(): Record<string, unknown> {
  return JSON.parse(git(remote, 'show', 'gh-pages:registry.json')).apps;
}

test('the first app, and a new app, pass the check and are published', { timeout: 120_000 }, async () => {
  expect(await run('check')).toMatchObject({
    status: 0,
    output: expect.stringContaining('release lists it') as string,
  });
  expect(published()).toEqual({});
  expect(await run('publish')).toMatchObject({ status: 0, output: expect.stringContaining('1 published') as string });
  copy('apps/lamp');
  expect(await run('check')).toMatchObject({
    status: 0,
    output: expect.stringContaining('1 unchanged, 1 new') as string,
  });
  expect(await run('publish')).toMatchObject({ status: 0 });
  expect(Object.keys(published())).toEqual(['clock', 'lamp']);
  // The app is never listed without its version: both are in one commit.
  expect(git(remote, 'show', '--format=', '--name-only', 'gh-pages').trim().split('\n')).toEqual([
    'appreg.lock.json',
    'apps/lamp/icon.svg',
    'apps/lamp/versions.json',
    'apps/lamp/versions/1.0.3.tar.gz',
    'registry.json',
  ]);
  expect(await run('publish')).toMatchObject({ status: 0, output: expect.stringContaining('nothing to do') as string });
});

test('a renamed folder and a removed app fail the check, until the app is removed', { timeout: 120_000 }, async () => {
  renameSync(join(root, 'apps/lamp'), join(root, 'apps/light'));
  expect(await run('check')).toMatchObject({
    status: 1,
    output: expect.stringContaining('apps/lamp/app.json does not exist, but registry.json lists the app') as string,
  });
  rmSync(join(root, 'apps/light'), { recursive: true });
  expect(await run('check')).toMatchObject({ status: 1 });
  expect(await runScript(tools, 'appreg assemble --remove lamp', root, {})).toMatchObject({ status: 0 });
  expect(await run('check')).toMatchObject({ status: 0 });
  expect(await run('publish')).toMatchObject({ status: 0 });
  expect(Object.keys(published())).toEqual(['clock']);
});

test('an app without a valid description fails the check, which says what to write', { timeout: 120_000 }, async () => {
  write(root, { 'apps/radio/main.ts': 'export const radio = 1;\n', 'apps/radio/VERSION': '1.0.0\n' });
  expect(await run('check')).toMatchObject({
    status: 1,
    output: expect.stringContaining('Write apps/radio/app.json, such as { "name": "radio"') as string,
  });
  write(root, { 'apps/radio/app.json': { name: 'Radio' } });
  const invalid = await run('check');
  expect(invalid.status).toBe(1);
  for (const part of ['unlisted', '“description” is missing', '“color” is missing'])
    expect(invalid.output).toContain(part);
});

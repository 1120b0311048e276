import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runInit } from '../../src/cli/commands/init.ts';
import { folder } from '../support/folders.ts';
import { openObjectStore } from '../support/object-store.ts';
import { contextIn, refusal } from './author-support.ts';

/** `init --attest` writes a pipeline that attests what it publishes. */

let server: Awaited<ReturnType<typeof openObjectStore>>;
beforeAll(async () => {
  server = await openObjectStore();
});
afterAll(() => server.close());

let dir: string;
beforeEach(() => {
  dir = folder();
});

const BASE_URL = 'https://apps.example.com/r/';

async function init(options: Parameters<typeof runInit>[2]): Promise<void> {
  const context = contextIn(dir);
  context.env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
  expect(await runInit(context, undefined, options)).toBe(0);
}

test.each<[string, boolean]>([
  ['with the option', true],
  ['by the setting of an existing configuration', false],
])('%s', async (_, isOption) => {
  const place = { bucket: 'apps', prefix: isOption ? 'a' : 'b', endpoint: server.endpoint, region: 'auto' };
  const config = { baseUrl: BASE_URL, store: { type: 's3', ...place }, evidence: { attest: true } };
  if (!isOption) writeFileSync(join(dir, '.appregrc.yaml'), JSON.stringify(config));
  await init(isOption ? { baseUrl: BASE_URL, store: 's3', ...place, ci: 'github', attest: true } : { ci: 'github' });
  const workflow = readFileSync(join(dir, '.github/workflows/registry.yml'), 'utf8');
  expect(workflow).toContain('--yes --attest');
  expect(workflow).toContain('id-token: write');
});

test('without it, no token is requested', async () => {
  const place = { bucket: 'apps', prefix: 'c', endpoint: server.endpoint, region: 'auto' };
  await init({ baseUrl: BASE_URL, store: 's3', ...place, ci: 'github' });
  const workflow = readFileSync(join(dir, '.github/workflows/registry.yml'), 'utf8');
  expect(workflow).not.toMatch(/attest|id-token/);
});

test.each([
  ['without CI', { baseUrl: BASE_URL, attest: true }],
  ['in a workflow that publishes nothing', { baseUrl: BASE_URL, ci: 'github' as const, attest: true }],
])('%s, it is refused before anything is written', async (_, options) => {
  const error = await refusal(runInit(contextIn(dir), 'new', options));
  expect(error.exit).toBe(2);
  expect(error.message).toContain('--attest');
  expect(existsSync(join(dir, 'new'))).toBe(false);
});

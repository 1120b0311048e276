import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Config, loadConfig } from '../../src/cli/config.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'appreg-config-')));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('the configuration is found', () => {
  const base = 'https://apps.example.com/';
  test.each([
    ['appreg.config.json', JSON.stringify({ baseUrl: base })],
    ['appreg.config.yaml', `baseUrl: ${base}`],
    ['appreg.config.mjs', `export default { baseUrl: '${base}' };`],
    ['.appregrc', JSON.stringify({ baseUrl: base })],
    ['package.json', JSON.stringify({ name: 'x', appreg: { baseUrl: base } })],
  ])('in %s', async (file, text) => {
    put(file, text);
    expect(await loadConfig(root, null, {})).toEqual({ config: { baseUrl: base }, file: join(root, file), root });
  });

  test('above, past a package.json that says nothing of it', async () => {
    put('appreg.config.json', JSON.stringify({ baseUrl: base }));
    put('apps/a/package.json', '{ "name": "a" }');
    expect((await loadConfig(join(root, 'apps/a'), null, {})).root).toBe(root);
  });

  test('nearest first, and by its name where one is given', async () => {
    put('appreg.config.json', JSON.stringify({ baseUrl: base }));
    put('inner/appreg.config.json', JSON.stringify({ baseUrl: `${base}inner/` }));
    expect((await loadConfig(join(root, 'inner'), null, {})).config.baseUrl).toBe(`${base}inner/`);
    expect((await loadConfig(join(root, 'inner'), '../appreg.config.json', {})).config.baseUrl).toBe(base);
  });

  test('nowhere', async () => {
    expect(await loadConfig(root, null, {})).toMatchObject({ config: {}, file: null, root });
  });
});

describe('the configuration is refused', () => {
  test.each([
    ['broken', '{ "baseUrl": ', 'config-unreadable'],
    ['with an unknown field', '{ "baseURL": "https://x.example/" }', 'config-invalid'],
    ['with a wrong type', '{ "serviceOrigins": "https://x.example" }', 'config-invalid'],
    ['with an origin that has a path', '{ "serviceOrigins": ["https://x.example/"] }', 'config-invalid'],
    ['with an unknown level', '{ "rules": { "apps-none": "loud" } }', 'config-invalid'],
  ])('%s', async (_, text, code) => {
    put('appreg.config.json', text);
    await expect(loadConfig(root, null, {})).rejects.toMatchObject({ known: true, code, exit: 2 });
  });
});

describe('a variable that is not set', () => {
  const told = {
    known: true,
    code: 'config-environment',
    exit: 2,
    message: expect.stringContaining('APPS_HOST') as string,
  };

  test.each<[string, string, (config: Config) => unknown]>([
    ['in a field', '{ "baseUrl": "https://${APPS_HOST}/", "manifest": "a.json" }', (config) => config.baseUrl],
    [
      'in the store',
      '{ "store": { "type": "git", "remote": "${APPS_HOST}" }, "manifest": "a.json" }',
      (config) => ({ ...config.store }),
    ],
    [
      'where the format is not text',
      '{ "verify": { "timeout": "${APPS_HOST}" }, "manifest": "a.json" }',
      (config) => config.verify?.timeout,
    ],
    [
      'in a list',
      '{ "serviceOrigins": ["${SET}", "${APPS_HOST}"], "manifest": "a.json" }',
      (config) => [...(config.serviceOrigins ?? [])],
    ],
  ])('%s is told once it is read, and stops nobody else', async (_, text, read) => {
    put('appreg.config.json', text);
    const { config } = await loadConfig(root, null, { SET: 'https://a.example' });
    expect(config.manifest).toBe('a.json');
    expect(() => read(config)).toThrow(expect.objectContaining(told) as Error);
  });

  test('hides no fault beside it', async () => {
    put(
      'appreg.config.json',
      '{ "baseUrl": "${APPS_HOST}", "manifest": "a/b.json", "store": { "type": "s3", "region": "${APPS_HOST}" } }',
    );
    await expect(loadConfig(root, null, {})).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(
        /: \/manifest must match .*; \/store must have required property 'bucket'/,
      ) as string,
    });
  });
});

test('variables are filled in', async () => {
  put('appreg.config.json', '{ "baseUrl": "https://${APPS_HOST}/" }');
  expect((await loadConfig(root, null, { APPS_HOST: 'a.example' })).config.baseUrl).toBe('https://a.example/');
});

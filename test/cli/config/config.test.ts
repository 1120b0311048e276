import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { searchConfig } from '../../../src/cli/config/config-search.ts';
import { type Config, loadConfig } from '../../../src/cli/config/config.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'appreg-config-')));
});
afterEach(() => rmSync(root, { recursive: true }));

function writeFile(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('the configuration file', () => {
  const base = 'https://apps.example.com/';
  test.each([
    ['appreg.config.json', JSON.stringify({ baseUrl: base })],
    ['appreg.config.yaml', `baseUrl: ${base}`],
    ['appreg.config.mjs', `export default { baseUrl: '${base}' };`],
    ['.appregrc', JSON.stringify({ baseUrl: base })],
    ['package.json', JSON.stringify({ name: 'x', appreg: { baseUrl: base } })],
  ])('is found as %s', async (file, text) => {
    writeFile(file, text);
    expect(await loadConfig(root, null, {})).toEqual({ config: { baseUrl: base }, file: join(root, file), root });
  });

  test('is found in a parent folder, past a package.json without a configuration', async () => {
    writeFile('appreg.config.json', JSON.stringify({ baseUrl: base }));
    writeFile('apps/a/package.json', '{ "name": "a" }');
    expect((await loadConfig(join(root, 'apps/a'), null, {})).root).toBe(root);
  });

  test('is the nearest one, or the one that is named', async () => {
    writeFile('appreg.config.json', JSON.stringify({ baseUrl: base }));
    writeFile('inner/appreg.config.json', JSON.stringify({ baseUrl: `${base}inner/` }));
    expect((await loadConfig(join(root, 'inner'), null, {})).config.baseUrl).toBe(`${base}inner/`);
    expect((await loadConfig(join(root, 'inner'), '../appreg.config.json', {})).config.baseUrl).toBe(base);
  });

  test('is null if none exists', async () => {
    expect(await loadConfig(root, null, {})).toMatchObject({ config: {}, file: null, root });
  });
});

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: Error & { code?: string }) => [error.code, error.message]);

describe('JSON configuration is read as the general search reads it', () => {
  const PLACES = ['appreg.config.json', '.appregrc.json', 'package.json'];
  test.each<[string, Record<string, string>]>([
    ['an ordinary file', { 'appreg.config.json': '{ "manifest": "m.json" }' }],
    [
      'files in order of precedence',
      { '.appregrc.json': '{ "manifest": "b.json" }', 'package.json': '{ "appreg": {} }' },
    ],
    ['an empty file', { 'appreg.config.json': '', '.appregrc.json': '{ "manifest": "b.json" }' }],
    ['a file with only whitespace', { 'appreg.config.json': ' \n' }],
    ['null', { 'appreg.config.json': 'null' }],
    ['an array', { 'appreg.config.json': '[]' }],
    [
      'a file with an import',
      { 'appreg.config.json': '{ "$import": "./more.json" }', 'more.json': '{ "manifest": "m" }' },
    ],
    ['a file with a byte order mark', { 'appreg.config.json': '\ufeff{}' }],
    ['a broken file', { 'appreg.config.json': '{' }],
    ['a folder', { 'appreg.config.json/x': '', '.appregrc.json': '{ "manifest": "b.json" }' }],
    ['a field in package.json', { 'package.json': '{ "appreg": { "manifest": "m.json" } }' }],
    ['a package.json without the field', { 'package.json': '{ "name": "appreg" }' }],
    ['a broken package.json', { 'package.json': '{ "name": ' }],
    ['a null field in package.json', { 'package.json': '{ "appreg": null }' }],
  ])('for %s', async (_, files) => {
    for (const [path, text] of Object.entries(files)) writeFile(path, text);
    for (const file of [null, 'appreg.config.json', 'package.json']) {
      const found = searchConfig(PLACES, root, file, { executesCode: true }).then((one) => [
        one && !one.isEmpty ? one.config : {},
        one?.filepath ?? null,
      ]);
      const loaded = loadConfig(root, file, {}).then((one) => [one.config, one.file]);
      const [ours, theirs] = await Promise.all([outcome(loaded), outcome(found)]);
      if (!JSON.stringify(ours).includes('config-invalid')) expect(ours).toEqual(theirs);
    }
  });
});

describe('a configuration is refused', () => {
  test.each([
    { name: 'if it is broken JSON', text: '{ "baseUrl": ', code: 'config-unreadable' },
    { name: 'with an unknown field', text: '{ "baseURL": "https://x.example/" }', code: 'config-invalid' },
    { name: 'with a wrong type', text: '{ "serviceOrigins": "https://x.example" }', code: 'config-invalid' },
    {
      name: 'with an origin that has a path',
      text: '{ "serviceOrigins": ["https://x.example/"] }',
      code: 'config-invalid',
    },
    { name: 'with an unknown level', text: '{ "rules": { "no-apps": "loud" } }', code: 'config-invalid' },
  ])('$name', async ({ text, code }) => {
    writeFile('appreg.config.json', text);
    await expect(loadConfig(root, null, {})).rejects.toMatchObject({ known: true, code, exit: 2 });
  });
});

describe('an unset variable', () => {
  const unsetError = {
    known: true,
    code: 'environment-variable-unset',
    exit: 2,
    message: expect.stringContaining('APPS_HOST') as string,
  };

  test.each<{ name: string; text: string; read: (config: Config) => unknown }>([
    {
      name: 'in a field',
      text: '{ "baseUrl": "https://${APPS_HOST}/", "manifest": "a.json" }',
      read: (config) => config.baseUrl,
    },
    {
      name: 'in the store',
      text: '{ "store": { "type": "git", "remote": "${APPS_HOST}" }, "manifest": "a.json" }',
      read: (config) => ({ ...config.store }),
    },
    {
      name: 'in a field that is not a string',
      text: '{ "verify": { "timeout": "${APPS_HOST}" }, "manifest": "a.json" }',
      read: (config) => config.verify?.timeout,
    },
    {
      name: 'in an array',
      text: '{ "serviceOrigins": ["${SET}", "${APPS_HOST}"], "manifest": "a.json" }',
      read: (config) => [...(config.serviceOrigins ?? [])],
    },
  ])('$name is reported only when the field is read', async ({ text, read }) => {
    writeFile('appreg.config.json', text);
    const { config } = await loadConfig(root, null, { SET: 'https://a.example' });
    expect(config.manifest).toBe('a.json');
    expect(() => read(config)).toThrow(expect.objectContaining(unsetError) as Error);
  });

  test('does not hide other faults of the configuration', async () => {
    writeFile(
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

test('variables are replaced by their values', async () => {
  writeFile('appreg.config.json', '{ "baseUrl": "https://${APPS_HOST}/" }');
  expect((await loadConfig(root, null, { APPS_HOST: 'a.example' })).config.baseUrl).toBe('https://a.example/');
});

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { init } from '../../src/cli/commands/init.ts';
import { validateConfig } from '../../src/core/generated/validators.js';
import { contextIn, folder, refusal, snapshot } from './author-support.ts';

const BASE = { baseUrl: 'https://apps.example.com/r' };

describe('a new workspace', () => {
  test('has a configuration that is valid, and a manifest', async () => {
    const dir = folder();
    const context = contextIn(dir);
    expect(
      await init(context, 'registry', {
        ...BASE,
        serviceOrigin: ['https://flows.example.com', 'http://localhost:3000'],
      }),
    ).toBe(0);
    const config: unknown = JSON.parse(readFileSync(join(dir, 'registry/appreg.config.json'), 'utf8'));
    expect(config).toMatchObject({
      manifest: 'registry.json',
      baseUrl: 'https://apps.example.com/r/',
      serviceOrigins: ['https://flows.example.com', 'http://localhost:3000'],
      store: { type: 'directory' },
    });
    expect(validateConfig(config)).toBe(true);
    expect(readFileSync(join(dir, 'registry/registry.json'), 'utf8')).toBe('{\n  "apps": {}\n}\n');
    expect(context.said.out).toEqual([
      `created ${join('registry', 'appreg.config.json')}`,
      `created ${join('registry', 'registry.json')}`,
    ]);
    expect(context.said.next).toEqual(['cd registry && appreg add-app <key>']);
  });

  test('in the current folder, with a manifest of another name, as JSON', async () => {
    const dir = folder();
    const context = contextIn(dir);
    await init(context, undefined, { ...BASE, manifest: 'apps.json', format: 'json' });
    expect(context.said.out.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      {
        root: dir,
        manifestUrl: 'https://apps.example.com/r/apps.json',
        files: [
          { path: 'appreg.config.json', status: 'created' },
          { path: 'apps.json', status: 'created' },
        ],
      },
    ]);
    expect(existsSync(join(dir, 'apps.json'))).toBe(true);
  });

  test('once more: nothing to do', async () => {
    const dir = folder();
    await init(contextIn(dir), undefined, BASE);
    const before = snapshot(dir);
    const context = contextIn(dir);
    expect(await init(context, '.', BASE)).toBe(0);
    expect(context.said.out).toEqual(['unchanged appreg.config.json', 'unchanged registry.json']);
    expect(snapshot(dir)).toBe(before);
  });

  test.each([
    [
      'github',
      '.github/workflows/registry.yml',
      [
        'fetch-depth: 2',
        'lint --against HEAD^1',
        'verify "$REGISTRY_URL" --origin "$SERVICE_ORIGIN_1"',
        'REGISTRY_URL: "https://apps.example.com/r/registry.json"',
      ],
    ],
    [
      'gitlab',
      '.gitlab-ci.yml',
      [
        'GIT_DEPTH: 0',
        '$CI_MERGE_REQUEST_DIFF_BASE_SHA',
        'verify "$REGISTRY_URL" --origin "$SERVICE_ORIGIN_1"',
        'REGISTRY_URL: "https://apps.example.com/r/registry.json"',
      ],
    ],
  ])('with CI for %s', async (ci, path, lines) => {
    const dir = folder();
    await init(contextIn(dir), undefined, { ...BASE, ci, serviceOrigin: ['https://flows.example.com'] });
    const text = readFileSync(join(dir, path), 'utf8');
    for (const line of lines) expect(text).toContain(line);
    expect(text).not.toContain('\t');
  });
});

describe('nothing is overwritten', () => {
  test.each(['registry.json', 'appreg.config.json', '.gitlab-ci.yml'])('%s is there', async (name) => {
    const dir = folder();
    writeFileSync(join(dir, name), '{ "apps": {} }');
    const before = snapshot(dir);
    const trouble = await refusal(init(contextIn(dir), undefined, { ...BASE, ci: 'gitlab' }));
    expect(trouble).toMatchObject({ code: 'exists', exit: 1 });
    expect(trouble.message).toContain(name);
    expect(snapshot(dir)).toBe(before);
  });

  test('a link out of the folder is not written through', async () => {
    const dir = folder();
    const outside = folder();
    mkdirSync(join(dir, '.github'));
    symlinkSync(outside, join(dir, '.github/workflows'));
    expect((await refusal(init(contextIn(dir), undefined, { ...BASE, ci: 'github' }))).code).toBe('path-refused');
    expect(existsSync(join(outside, 'registry.yml'))).toBe(false);
    expect(existsSync(join(dir, 'registry.json'))).toBe(false);
  });
});

describe('what it is given', () => {
  const wrong: [what: string, options: Parameters<typeof init>[2], names: string][] = [
    ['no address', {}, '--base-url'],
    ['plain http', { baseUrl: 'http://apps.example.com/' }, '--base-url'],
    ['no URL', { baseUrl: 'apps.example.com' }, '--base-url'],
    ['a query', { baseUrl: 'https://x.test/?a=1' }, '--base-url'],
    ['a password', { baseUrl: 'https://me:pw@x.test/' }, '--base-url'],
    ['a path as manifest', { ...BASE, manifest: '../registry.json' }, '--manifest'],
    ['a manifest that is no JSON', { ...BASE, manifest: 'registry.yaml' }, '--manifest'],
    ['the configuration as manifest', { ...BASE, manifest: 'appreg.config.json' }, '--manifest'],
    ['an origin with a path', { ...BASE, serviceOrigin: ['https://x.test/'] }, '--service-origin'],
    ['an unknown CI', { ...BASE, ci: 'jenkins' }, '--ci'],
    ['an unknown store', { ...BASE, store: 'ftp' }, '--store'],
    ['a bucket store without a bucket', { ...BASE, store: 's3' }, '--bucket'],
    ['a flag of another store', { ...BASE, branch: 'pages' }, '--branch'],
  ];
  test.each(wrong)('%s', async (_, options, names) => {
    const dir = folder();
    const trouble = await refusal(init(contextIn(dir), 'new', options));
    expect(trouble.exit).toBe(2);
    expect(trouble.message).toContain(names);
    expect(existsSync(join(dir, 'new'))).toBe(false);
  });

  test('an address of this very machine is allowed, with a remark', async () => {
    const context = contextIn(folder());
    expect(await init(context, undefined, { baseUrl: 'http://localhost:8080' })).toBe(0);
    expect(context.said.log.join()).toContain('https');
  });
});

describe('at a terminal', () => {
  test('the address is asked for, until it is one; results stay clean of the questions', async () => {
    const dir = folder();
    const context = contextIn(dir, {}, ['https://apps.example.com\r']);
    expect(await init(context, undefined, {})).toBe(0);
    expect(JSON.parse(readFileSync(join(dir, 'appreg.config.json'), 'utf8'))).toMatchObject({
      baseUrl: 'https://apps.example.com/',
    });
    expect(context.said.out.join()).not.toContain('At which address');
    expect(context.asked()).toContain('At which address');
  });

  test('Ctrl+C writes nothing', async () => {
    const dir = folder();
    expect(await init(contextIn(dir, {}, ['\u0003']), 'new', {})).toBe(130);
    expect(snapshot(dir)).toBe('');
  });
});

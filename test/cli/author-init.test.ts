import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInit } from '../../src/cli/commands/init.ts';
import { validateConfig } from '../../src/core/generated/config.js';
import { HOSTS } from '../../src/cli/define/choices.ts';
import { PRESETS } from '../../src/author/host-files.ts';
import { openObjectStore } from '../support/object-store.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';

const BASE = { baseUrl: 'https://apps.example.com/r' };

describe('init', () => {
  test('creates a valid configuration and a manifest', async () => {
    const dir = folder();
    const context = contextIn(dir);
    expect(
      await runInit(context, 'registry', {
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
    expect(context.printed.out).toEqual(['created registry/appreg.config.json\ncreated registry/registry.json']);
    expect(context.printed.next).toEqual(['cd registry && appreg add-app <key>']);
  });

  test('says how a CI file outside of the top level of a repository can work', async () => {
    for (const [where, command] of [
      [undefined, 'git init'],
      ['registry', 'git init registry'],
    ] as const) {
      const context = contextIn(folder());
      await runInit(context, where, { ...BASE, ci: 'github' });
      expect(context.printed.log).toEqual([
        `The CI file only works at the top level of a git repository: run ${command}, or move the file to the top level.`,
      ]);
    }
  });

  test('creates a manifest with another name in the current folder, and prints JSON', async () => {
    const dir = folder();
    const context = contextIn(dir, { format: 'json' });
    await runInit(context, undefined, { ...BASE, manifest: 'apps.json', format: 'json' });
    expect(context.printed.out.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      {
        root: dir,
        manifestUrl: 'https://apps.example.com/r/apps.json',
        files: [
          { path: 'appreg.config.json', status: 'created', store: null },
          { path: 'apps.json', status: 'created', store: null },
        ],
      },
    ]);
    expect(existsSync(join(dir, 'apps.json'))).toBe(true);
  });

  test('changes nothing in a checkout with CRLF line endings', async () => {
    const dir = folder();
    await runInit(contextIn(dir), undefined, { ...BASE, ci: 'github' });
    const files = ['appreg.config.json', 'registry.json', '.github/workflows/registry.yml'];
    for (const file of files) {
      const text = readFileSync(join(dir, file), 'utf8');
      writeFileSync(join(dir, file), text.replaceAll('\n', '\r\n'));
    }
    const context = contextIn(dir);
    expect(await runInit(context, undefined, { ...BASE, ci: 'github' })).toBe(0);
    expect(context.printed.out).toEqual([files.map((file) => `unchanged ${file}`).join('\n')]);
  });

  test('quotes a folder name with a space in the next command', async () => {
    const context = contextIn(folder());
    await runInit(context, 'my registry', BASE);
    expect(context.printed.next).toEqual([`cd 'my registry' && appreg add-app <key>`]);
  });

  test('changes nothing when it runs again', async () => {
    const dir = folder();
    await runInit(contextIn(dir), undefined, BASE);
    const before = snapshot(dir);
    const context = contextIn(dir);
    expect(await runInit(context, '.', BASE)).toBe(0);
    expect(context.printed.out).toEqual(['unchanged appreg.config.json\nunchanged registry.json']);
    expect(snapshot(dir)).toBe(before);
  });

  test.each([
    {
      ci: 'github' as const,
      path: '.github/workflows/registry.yml',
      lines: [
        'fetch-depth: 2',
        'lint --cwd "$GITHUB_WORKSPACE" --against HEAD^1',
        'verify "$REGISTRY_URL" --cwd "$GITHUB_WORKSPACE" --against HEAD --origin "$SERVICE_ORIGIN_1"',
        'REGISTRY_URL: "https://apps.example.com/r/registry.json"',
      ],
    },
    {
      ci: 'gitlab' as const,
      path: '.gitlab-ci.yml',
      lines: [
        'GIT_DEPTH: 0',
        '$CI_MERGE_REQUEST_DIFF_BASE_SHA',
        'verify "$REGISTRY_URL" --against HEAD --origin "$SERVICE_ORIGIN_1"',
        'REGISTRY_URL: "https://apps.example.com/r/registry.json"',
      ],
    },
  ])('writes the CI configuration for $ci', async ({ ci, path, lines }) => {
    const dir = folder();
    await runInit(contextIn(dir), undefined, { ...BASE, ci, serviceOrigin: ['https://flows.example.com'] });
    const text = readFileSync(join(dir, path), 'utf8');
    for (const line of lines) expect(text).toContain(line);
    expect(text).not.toContain('\t');
  });
});

test('every host that can be chosen has a preset', () => {
  expect([...HOSTS]).toEqual(Object.keys(PRESETS));
});

function bare(): string {
  const dir = folder();
  execFileSync('git', ['init', '--quiet', '--bare', dir]);
  return dir;
}

describe('init --host', () => {
  test.each<{ host: 'r2' | 'nginx'; more: Parameters<typeof runInit>[2]; store: object }>([
    { host: 'r2', more: { store: 'directory' }, store: { type: 'directory' } },
    { host: 'nginx', more: {}, store: { type: 'directory' } },
  ])('$host: writes the configuration of the host next to the workspace', async ({ host, more, store }) => {
    const dir = folder();
    const context = contextIn(dir);
    await runInit(context, undefined, { ...BASE, ...more, host });
    expect(JSON.parse(readFileSync(join(dir, 'appreg.config.json'), 'utf8')).store).toEqual(store);
    expect(context.printed.out.join().split('\n')).toContain(`created ${join('host', 'README.md')}`);
    const before = snapshot(dir);
    await runInit(contextIn(dir), undefined, { ...BASE, ...more, host });
    expect(snapshot(dir)).toBe(before);
  });

  test.each([
    { host: 'github-pages' as const, branch: 'gh-pages', files: ['.nojekyll', 'registry.json'] },
    { host: 'netlify' as const, branch: 'registry', files: ['_headers', 'registry.json'] },
    { host: 'cloudflare-pages' as const, branch: 'registry', files: ['404.html', '_headers', 'registry.json'] },
  ])('$host: stores the files that the host reads in the branch that it serves', async ({ host, branch, files }) => {
    const dir = folder();
    const remote = bare();
    const options = { baseUrl: 'https://apps.example.com/', host, remote };
    await runInit(contextIn(dir), undefined, options);
    const listed = (): string[] =>
      execFileSync('git', ['-C', remote, 'ls-tree', '--name-only', branch], { encoding: 'utf8' }).trim().split('\n');
    expect(listed()).toEqual(files);
    expect(existsSync(join(dir, files[0]!))).toBe(false);
    expect(existsSync(join(dir, 'host/README.md'))).toBe(true);
    const context = contextIn(dir);
    await runInit(context, undefined, options);
    expect(
      context.printed.out
        .join()
        .split('\n')
        .filter((line) => !line.startsWith('unchanged')),
    ).toEqual([]);
    expect(listed()).toEqual(files);
  });

  test('r2: stores the registry in the bucket of the given account', async () => {
    const server = await openObjectStore();
    try {
      const dir = folder();
      const context = contextIn(dir);
      context.env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
      await runInit(context, undefined, { ...BASE, host: 'r2', bucket: 'apps', endpoint: server.endpoint });
      expect(JSON.parse(readFileSync(join(dir, 'appreg.config.json'), 'utf8')).store).toEqual({
        type: 's3',
        bucket: 'apps',
        region: 'auto',
        endpoint: server.endpoint,
      });
      expect([...server.objects.keys()].filter((key) => !key.includes('probe'))).toEqual(['apps/registry.json']);
      expect(readFileSync(join(dir, 'host/README.md'), 'utf8')).toContain('r2 bucket cors set apps ');
    } finally {
      await server.close();
    }
  });

  test('writes no local files if the remote does not exist', async () => {
    const dir = folder();
    const options = { baseUrl: 'https://apps.example.com/', host: 'netlify' as const, remote: join(dir, 'no.git') };
    expect((await refusal(runInit(contextIn(dir), undefined, options))).exit).toBe(2);
    expect(snapshot(dir)).toBe('');
  });

  test('does not overwrite an existing file with the name of one of its own', async () => {
    const dir = folder();
    mkdirSync(join(dir, 'host'));
    writeFileSync(join(dir, 'host/nginx.conf'), 'mine');
    const before = snapshot(dir);
    const error = await refusal(runInit(contextIn(dir), undefined, { ...BASE, host: 'nginx' }));
    expect(error).toMatchObject({ code: 'already-exists', exit: 1 });
    expect(snapshot(dir)).toBe(before);
  });
});

describe('init overwrites nothing', () => {
  test.each([
    ['registry.json', '{ "apps": {} }'],
    ['appreg.config.json', '{ "baseUrl": "https://other.example.com/" }'],
    ['.gitlab-ci.yml', 'stages: [test]'],
  ])('if %s exists', async (name, text) => {
    const dir = folder();
    writeFileSync(join(dir, name), text);
    const before = snapshot(dir);
    const error = await refusal(runInit(contextIn(dir), undefined, { ...BASE, ci: 'gitlab' }));
    expect(error).toMatchObject({ code: 'already-exists', exit: 1 });
    expect(error.message).toContain(name);
    expect(snapshot(dir)).toBe(before);
  });

  test('if a file has the name of the folder', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'af'), '');
    const before = snapshot(dir);
    expect(await refusal(runInit(contextIn(dir), 'af', BASE))).toMatchObject({
      code: 'not-a-folder',
      exit: 2,
      summary: 'af is a file, not a folder.',
      hint: 'Choose another folder.',
    });
    expect(await refusal(runInit(contextIn(dir), 'af/below', BASE))).toMatchObject({ code: 'not-a-folder', exit: 2 });
    expect(snapshot(dir)).toBe(before);
  });

  test('through a symbolic link out of the folder', async () => {
    const dir = folder();
    const outside = folder();
    mkdirSync(join(dir, '.github'));
    symlinkSync(outside, join(dir, '.github/workflows'));
    expect((await refusal(runInit(contextIn(dir), undefined, { ...BASE, ci: 'github' }))).code).toBe('path-refused');
    expect(existsSync(join(outside, 'registry.yml'))).toBe(false);
    expect(existsSync(join(dir, 'registry.json'))).toBe(false);
  });
});

describe('init beside an existing configuration', () => {
  const CONFIG = {
    baseUrl: 'https://apps.example.com',
    manifest: 'apps.json',
    serviceOrigins: ['https://flows.example.com'],
    release: [{ folder: 'apps/*', key: '{name}', entry: 'main.ts', version: 'VERSION' }],
  };

  test('creates only what is missing, as configured', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'appreg.config.json'), JSON.stringify(CONFIG));
    const context = contextIn(dir);
    expect(await runInit(context, undefined, { ci: 'github' })).toBe(0);
    expect(context.printed.out.join().split('\n')).toEqual([
      'unchanged appreg.config.json',
      'created apps.json',
      'created .github/workflows/registry.yml',
    ]);
    expect(readFileSync(join(dir, 'appreg.config.json'), 'utf8')).toBe(JSON.stringify(CONFIG));
    expect(readFileSync(join(dir, '.github/workflows/registry.yml'), 'utf8')).toContain('apps.json');
  });

  test('creates the manifest in the configured bucket', async () => {
    const server = await openObjectStore();
    try {
      const dir = folder();
      const store = { type: 's3', bucket: 'apps', prefix: 'r', endpoint: server.endpoint, region: 'auto' };
      writeFileSync(join(dir, '.appregrc.yaml'), JSON.stringify({ baseUrl: 'https://apps.example.com/r/', store }));
      const context = contextIn(dir);
      context.env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
      expect(await runInit(context, undefined, {})).toBe(0);
      expect(context.printed.out).toEqual(['unchanged .appregrc.yaml\ncreated registry.json in the bucket apps/r/']);
      expect([...server.objects.keys()].filter((key) => !key.includes('probe'))).toEqual(['apps/r/registry.json']);
    } finally {
      await server.close();
    }
  });

  test('accepts options that say the same', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'apps', appreg: CONFIG }));
    const options = { baseUrl: 'https://apps.example.com/', manifest: 'apps.json', store: 'directory' as const };
    expect(await runInit(contextIn(dir), undefined, options)).toBe(0);
  });

  test.each([
    [{ baseUrl: 'https://other.example.com/' }, '--base-url is “https://other.example.com/”'],
    [{ manifest: 'registry.json' }, 'with “apps.json”, but --manifest is “registry.json”'],
    [{ store: 'git' as const }, 'with “directory”, but --store is “git”'],
    [{ bucket: 'apps' }, 'with no value, but --bucket is “apps”'],
    [{ serviceOrigin: ['https://a.example.com', 'https://b.example.com'] }, 'with “https://flows.example.com”, but'],
  ])('refuses options that differ: %j', async (options, part) => {
    const dir = folder();
    writeFileSync(join(dir, 'appreg.config.json'), JSON.stringify(CONFIG));
    const before = snapshot(dir);
    const error = await refusal(runInit(contextIn(dir), undefined, options));
    expect(error).toMatchObject({ code: 'already-exists', exit: 1 });
    expect(error.message).toContain(part);
    expect(snapshot(dir)).toBe(before);
  });

  test('refuses one that has no baseUrl', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'appreg.config.json'), '{ "rules": {} }');
    expect(await refusal(runInit(contextIn(dir), undefined, BASE))).toMatchObject({
      code: 'base-url-missing',
      exit: 2,
    });
  });

  test('does not use the configuration of a folder above', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'appreg.config.json'), '{ "unknown": true }');
    writeFileSync(join(dir, 'package.json'), '{}');
    expect(await runInit(contextIn(dir), 'registry', BASE)).toBe(0);
  });
});

describe('init and its options', () => {
  const wrong: { what: string; options: Parameters<typeof runInit>[2]; names: string }[] = [
    { what: 'no base URL', options: {}, names: '--base-url' },
    { what: 'plain http', options: { baseUrl: 'http://apps.example.com/' }, names: '--base-url' },
    { what: 'a base URL without a scheme', options: { baseUrl: 'apps.example.com' }, names: '--base-url' },
    { what: 'a base URL with a query', options: { baseUrl: 'https://x.test/?a=1' }, names: '--base-url' },
    { what: 'a port that browsers block', options: { baseUrl: 'https://x.test:6000/' }, names: '--base-url' },
    { what: 'a base URL with a password', options: { baseUrl: 'https://me:pw@x.test/' }, names: '--base-url' },
    { what: 'a path as manifest', options: { ...BASE, manifest: '../registry.json' }, names: '--manifest' },
    { what: 'a manifest that is not JSON', options: { ...BASE, manifest: 'registry.yaml' }, names: '--manifest' },
    { what: 'a lock file as manifest', options: { ...BASE, manifest: 'appreg.lock.json' }, names: '--manifest' },
    {
      what: 'the configuration as manifest',
      options: { ...BASE, manifest: 'appreg.config.json' },
      names: '--manifest',
    },
    {
      what: 'an origin with a path',
      options: { ...BASE, serviceOrigin: ['https://x.test/'] },
      names: '--service-origin',
    },
    { what: 'a bucket store without a bucket', options: { ...BASE, store: 's3' }, names: '--bucket' },
    { what: 'an option of another store', options: { ...BASE, branch: 'pages' }, names: '--branch' },
    { what: 'a host whose store needs a bucket', options: { ...BASE, host: 's3' }, names: '--bucket' },
    { what: 'R2 without an account', options: { ...BASE, host: 'r2', bucket: 'b-1' }, names: '--endpoint' },
    {
      what: 'an option of another store than that of the host',
      options: { ...BASE, host: 'netlify', bucket: 'b-1' },
      names: '--bucket',
    },
  ];
  test.each(wrong)('refuses $what as a usage error that names the option', async ({ options, names }) => {
    const dir = folder();
    const error = await refusal(runInit(contextIn(dir), 'new', options));
    expect(error.exit).toBe(2);
    expect(error.message).toContain(names);
    expect(existsSync(join(dir, 'new'))).toBe(false);
  });

  test('accepts a base URL on localhost, with a remark', async () => {
    const context = contextIn(folder());
    expect(await runInit(context, undefined, { baseUrl: 'http://localhost:8080' })).toBe(0);
    expect(context.printed.log.join()).toContain('https');
  });
});

describe('init at a terminal', () => {
  test('prompts for the base URL on the terminal, and keeps questions out of stdout', async () => {
    const dir = folder();
    const context = contextIn(dir, {}, ['https://apps.example.com\r']);
    expect(await runInit(context, undefined, {})).toBe(0);
    expect(JSON.parse(readFileSync(join(dir, 'appreg.config.json'), 'utf8'))).toMatchObject({
      baseUrl: 'https://apps.example.com/',
    });
    expect(context.printed.out.join()).not.toContain('At which URL');
    expect(context.questions()).toContain('At which URL');
  });

  test('writes nothing after Ctrl+C', async () => {
    const dir = folder();
    expect(await runInit(contextIn(dir, {}, ['\u0003']), 'new', {})).toBe(130);
    expect(snapshot(dir)).toBe('');
  });
});

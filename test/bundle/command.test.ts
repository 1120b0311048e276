import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBundle } from '../../src/cli/commands/bundle.ts';
import { type Config, settingsOf } from '../../src/cli/config/config.ts';
import type { Context } from '../../src/cli/config/context.ts';
import { listing, tree, unpacked } from './tree.ts';

const APP = {
  'src/main.ts': `import data from './data.json'; export const run = () => data;`,
  'src/data.json': '{"a":1}',
  'src/bad.ts': `import 'nowhere';`,
  'src/legal.txt': 'legal',
};

/** Runs the command in `cwd` with a terminal that records the output. */
async function run(cwd: string, entry: string, output: string, options: object = {}, config: Config = {}) {
  const out: string[] = [];
  const log: string[] = [];
  const next: string[] = [];
  const plain = new Proxy({}, { get: () => (text: string) => text });
  const terminal = {
    interactive: false,
    style: plain,
    errStyle: plain,
    out: (text: string) => out.push(text),
    log: (text: string) => log.push(text),
    detail: () => {},
    next: (text: string) => next.push(text),
    progress: () => ({ update() {}, stop() {} }),
  };
  const loaded = settingsOf(config, null, cwd);
  const context = {
    command: { name: 'bundle', formats: ['pretty', 'json'] },
    cwd,
    options,
    terminal,
    env: {},
    config: async () => loaded,
  } as unknown as Context;
  const code = await runBundle(context, entry, output, options);
  return { code, out: out.join('\n'), log, next };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a successful run', () => {
  test('writes the archive and prints its path, size, entries and checksum', async () => {
    const cwd = tree(APP);
    const { code, out, log, next } = await run(cwd, 'src/main.ts', 'dist/deep/app.tar.gz', { include: ['*.txt'] });
    const archive = readFileSync(join(cwd, 'dist/deep/app.tar.gz'));
    const files = await unpacked(archive);
    expect(code).toBe(0);
    expect(Object.keys(files)).toEqual(['app.js', 'legal.txt']);
    expect(out).toBe(
      [
        `dist/deep/app.tar.gz  ${archive.length} bytes`,
        `  ${files['app.js']!.length}  app.js`,
        '    5  legal.txt',
        `sha256:${sha256(archive)}`,
        'exports: run',
      ].join('\n'),
    );
    expect(log).toEqual([]);
    expect(next).toEqual(['appreg publish-version <app> <version> --artifact dist/deep/app.tar.gz']);
  });

  test('prints one JSON document with warnings for --format json', async () => {
    const cwd = tree({ 'app/main.js': '', 'app/.DS_Store': '' });
    const rejected = run(cwd, 'app', 'app/x.tar.gz', { format: 'json' });
    await expect(rejected).rejects.toMatchObject({ code: 'rule-violation', rules: ['artifact-no-app'], exit: 1 });
    expect(existsSync(join(cwd, 'app/x.tar.gz'))).toBe(false);
    const { out, log } = await run(cwd, 'app', 'app/x.tar.gz', { format: 'json', anyContent: true });
    const archive = readFileSync(join(cwd, 'app/x.tar.gz'));
    const warnings = ['left out: .DS_Store', 'The artifact has no app.js at its top level.'];
    expect(JSON.parse(out)).toMatchObject({
      path: 'app/x.tar.gz',
      bytes: archive.length,
      entries: [{ path: 'main.js', size: 0 }],
      checksum: `sha256:${sha256(archive)}`,
      tarSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      warnings,
    });
    expect(log).toEqual(warnings.map((warning) => `warning: ${warning}`));
  });

  test('replaces an existing archive, which is not packed into itself', async () => {
    const cwd = tree({ 'app.js': 'a' });
    await run(cwd, '.', 'app.tar.gz');
    const first = readFileSync(join(cwd, 'app.tar.gz'));
    await run(cwd, '.', 'app.tar.gz');
    expect(readFileSync(join(cwd, 'app.tar.gz')).equals(first)).toBe(true);
    expect(listing(cwd)).toEqual(['app.js', 'app.tar.gz']);
  });

  test('merges the configuration with the flags, which take precedence', async () => {
    const cwd = tree({ ...APP, 'src/main.ts': `import 'one'; import 'two'; export const run = (x: any) => x?.y;` });
    const config = { bundle: { external: ['one'], include: ['*.txt'], target: 'es2019' } };
    await run(cwd, 'src/main.ts', 'a.tar.gz', { external: ['two'], include: ['data.json'] }, config);
    const files = await unpacked(readFileSync(join(cwd, 'a.tar.gz')));
    expect(Object.keys(files)).toEqual(['app.js', 'data.json', 'legal.txt']);
    expect(files['app.js']).not.toContain('?.');
    await run(cwd, 'src/main.ts', 'a.tar.gz', { external: ['two'], target: 'node22' }, config);
    expect((await unpacked(readFileSync(join(cwd, 'a.tar.gz'))))['app.js']).toContain('?.');
  });
});

describe('a failed run', () => {
  test.each([
    {
      name: 'code that does not build',
      entry: 'src/bad.ts',
      output: 'new/out.tar.gz',
      options: {},
      code: 'build-failed',
      exit: 1,
    },
    {
      name: 'the same over an archive that is there',
      entry: 'src/bad.ts',
      output: 'old.tar.gz',
      options: {},
      code: 'build-failed',
      exit: 1,
    },
    {
      name: 'no entry',
      entry: 'src/gone.ts',
      output: 'new/out.tar.gz',
      options: {},
      code: 'entry-point-missing',
      exit: 2,
    },
    {
      name: 'no such UI',
      entry: 'src/main.ts',
      output: 'new/out.tar.gz',
      options: { ui: 'gone.tsx' },
      code: 'entry-point-missing',
      exit: 2,
    },
    {
      name: 'a glob without files',
      entry: 'src/main.ts',
      output: 'new/out.tar.gz',
      options: { include: ['*.gone'] },
      code: 'include-without-match',
      exit: 2,
    },
    { name: 'another suffix', entry: 'src/main.ts', output: 'out.tgz', options: {}, code: 'option-invalid', exit: 2 },
    { name: 'a suffix alone', entry: 'src/main.ts', output: '.tar.gz', options: {}, code: 'option-invalid', exit: 2 },
    {
      name: 'a folder as output',
      entry: 'src/main.ts',
      output: 'folder.tar.gz',
      options: {},
      code: 'option-invalid',
      exit: 2,
    },
    {
      name: 'a file in the way of the folder',
      entry: 'src/main.ts',
      output: 'old.tar.gz/out.tar.gz',
      options: {},
      code: 'output-unwritable',
      exit: 2,
    },
  ] as const)('changes nothing on disk: $name', async ({ entry, output, options, code, exit }) => {
    const cwd = tree({ ...APP, 'old.tar.gz': 'old', 'folder.tar.gz/x': '' });
    const before = listing(cwd);
    await expect(run(cwd, entry, output, options)).rejects.toMatchObject({ code, exit });
    expect(listing(cwd)).toEqual(before);
    expect(readFileSync(join(cwd, 'old.tar.gz'), 'utf8')).toBe('old');
  });

  test('prints file names relative to the current folder', async () => {
    const cwd = tree(APP);
    await expect(run(cwd, 'src/bad.ts', 'x.tar.gz')).rejects.toThrow('src/bad.ts:1:8: Could not resolve');
  });
});

const ARTIFACT = 'apps/clock/versions/1.0.0.tar.gz';
const metadataListing = (file: string): string =>
  JSON.stringify({
    versions: [{ version: '1.0.0', artifactUrl: `https://apps.example.com/apps/clock/versions/${file}` }],
  });

describe('an output that is the artifact of a listed version', () => {
  test('is not replaced by other bytes', async () => {
    const cwd = tree({ ...APP, 'apps/clock/versions.json': metadataListing('1.0.0.tar.gz'), [ARTIFACT]: 'published' });
    await expect(run(cwd, 'src/main.ts', ARTIFACT)).rejects.toMatchObject({
      code: 'immutable',
      exit: 1,
      message: expect.stringContaining('is the artifact of the published version 1.0.0, and'),
    });
    expect(readFileSync(join(cwd, ARTIFACT), 'utf8')).toBe('published');
  });

  test.each(['1.0.0.tar.gz?v=2', '1.0.0.tar.gz#a', '1%2E0.0.tar.gz'])(
    'is not replaced if it is listed as %s',
    async (file) => {
      const cwd = tree({ ...APP, 'apps/clock/versions.json': metadataListing(file), [ARTIFACT]: 'published' });
      await expect(run(cwd, 'src/main.ts', ARTIFACT)).rejects.toMatchObject({ code: 'immutable' });
    },
  );

  test('is not replaced if its version has build metadata, in any form of its URL', async () => {
    const output = ARTIFACT.replace('1.0.0', '1.0.0+b');
    for (const file of ['1.0.0+b.tar.gz', '1.0.0%2Bb.tar.gz', '1.0.0%2bb.tar.gz']) {
      const cwd = tree({ ...APP, 'apps/clock/versions.json': metadataListing(file), [output]: 'published' });
      await expect(run(cwd, 'src/main.ts', output)).rejects.toMatchObject({ code: 'immutable' });
    }
  });

  test('is written if it is missing, and again with the same bytes', async () => {
    const cwd = tree({ ...APP, 'apps/clock/versions.json': metadataListing('1.0.0.tar.gz') });
    expect((await run(cwd, 'src/main.ts', ARTIFACT)).code).toBe(0);
    expect((await run(cwd, 'src/main.ts', ARTIFACT)).code).toBe(0);
  });

  test('is replaced if another file is listed', async () => {
    const cwd = tree({
      ...APP,
      'apps/clock/versions.json': metadataListing('0.9.0.tar.gz'),
      [ARTIFACT]: 'not published',
    });
    expect((await run(cwd, 'src/main.ts', ARTIFACT)).code).toBe(0);
  });
});

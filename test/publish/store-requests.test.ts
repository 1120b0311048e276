import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runAssemble } from '../../src/cli/commands/assemble.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { contextIn, type Recorded } from '../cli/author-support.ts';
import { openArena } from '../support/arena.ts';
import type { ObjectStoreOptions } from '../support/object-store.ts';
import { tarGz } from './memory.ts';

/** The number of requests of the commands to a bucket. */

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

type Opened = Awaited<ReturnType<typeof openArena>>;
const open: Opened[] = [];
afterEach(async () => {
  for (const arena of open.splice(0)) await arena.close();
});

async function workspace(more: ObjectStoreOptions = {}): Promise<Opened & { cache: string }> {
  const arena = await openArena('bucket in memory', { ceph: null }, more);
  open.push(arena);
  const cache = join(arena.root, '..', 'cache');
  arena.env['APPREG_CACHE_DIR'] = cache;
  const { flags } = arena;
  const options = Object.fromEntries(flags.flatMap((flag, i) => (i % 2 === 0 ? [[flag.slice(2), flags[i + 1]!]] : [])));
  writeFileSync(join(arena.root, 'i.svg'), SVG);
  await runInit(contextOf(arena), undefined, { baseUrl: arena.base, ...options });
  return Object.assign(arena, { cache });
}

function contextOf({ root, env }: Opened): Recorded {
  return { ...contextIn(root), env };
}

async function counted(arena: Opened, work: () => Promise<number>): Promise<{ GET: number; PUT: number; all: number }> {
  const { requests } = arena.objects!;
  requests.length = 0;
  expect(await work()).toBe(0);
  const count = (method: string): number => requests.filter((one) => one.method === method).length;
  return { GET: count('GET'), PUT: count('PUT'), all: requests.length };
}

const publishing = (arena: Opened, version: string) => (): Promise<number> => {
  writeFileSync(join(arena.root, `${version}.tar.gz`), tarGz(version));
  return runPublishVersion(contextOf(arena), 'a', version, { artifact: `${version}.tar.gz` });
};

async function withApp(more: ObjectStoreOptions = {}): Promise<Opened & { cache: string }> {
  const arena = await workspace(more);
  await runAddApp(contextOf(arena), 'a', { name: 'A', description: 'An app.', icon: 'i.svg', blockColor: '#112233' });
  return arena;
}

/** Requests of a publish once the conditions of the store are remembered. */
const REMEMBERED = 8;
/** Requests that test the conditions of a store that was tested before. */
const PROBE = 4;

const entryOf = (arena: { cache: string }): string =>
  join(arena.cache, 'stores', readdirSync(join(arena.cache, 'stores'))[0]!);

async function withFolders(more: ObjectStoreOptions): Promise<Opened> {
  const arena = await workspace(more);
  for (let at = 1; at <= 112; at++) {
    const folder = join(arena.root, `apps/app-${at}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'icon.svg'), SVG);
    writeFileSync(join(folder, 'app.json'), `{"name":"App ${at}","description":"An app.","color":"#112233"}\n`);
  }
  return arena;
}

describe('publishing to a bucket', () => {
  test('sends eight requests, and four more without remembered conditions of the store', async () => {
    const arena = await withApp();
    expect(await counted(arena, publishing(arena, '1.0.0'))).toEqual({ GET: 6, PUT: 2, all: REMEMBERED });
    expect(await counted(arena, publishing(arena, '1.0.1'))).toEqual({ GET: 6, PUT: 2, all: REMEMBERED });
    arena.env['APPREG_CACHE_DIR'] = '';
    expect((await counted(arena, publishing(arena, '1.0.2'))).all).toBe(REMEMBERED + PROBE);
    expect((await counted(arena, publishing(arena, '1.0.3'))).all).toBe(REMEMBERED + PROBE);
  });

  test('remembers no secret and no name of the bucket', async () => {
    const arena = await withApp();
    const folder = join(arena.cache, 'stores');
    const [name, ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    const text = readFileSync(join(folder, name!), 'utf8');
    expect(JSON.parse(text)).toEqual({
      schema: 1,
      place: name!.replace(/\.json$/, ''),
      conditions: 'etag',
      provenAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
    for (const word of ['canary', 'AKIAEXAMPLE', 'registry', '127.0.0.1'])
      expect(`${name} ${text}`).not.toContain(word);
  });

  test.each<[string, (file: string) => void | Promise<void>]>([
    ['broken', (file) => writeFileSync(file, '{')],
    ['empty', (file) => writeFileSync(file, '')],
    ['a different document', (file) => writeFileSync(file, '[]')],
    ['of an unknown condition', (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"etag"', '"none"'))],
    [
      'of another bucket',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(/"place":"./, '"place":"_')),
    ],
    [
      'in another format version',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"schema":1', '"schema":2')),
    ],
    [
      '24 hours old',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(/At":"[^"]*/, `At":"${ago(86_400_000)}`)),
    ],
    [
      'dated in the future',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(/At":"[^"]*/, `At":"${ago(-60_000)}`)),
    ],
    ['without a date', (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(/At":"[^"]*/, 'At":"soon'))],
    ['writable by other users', (file) => chmodSync(file, 0o666)],
    [
      'a symbolic link',
      async (file) => {
        await rename(file, `${file}.there`);
        symlinkSync(`${file}.there`, file);
      },
    ],
  ])('ignores a remembered file that is %s', async (_what, change) => {
    const arena = await withApp();
    await change(entryOf(arena));
    expect((await counted(arena, publishing(arena, '1.0.0'))).all).toBe(REMEMBERED + PROBE);
    expect((await counted(arena, publishing(arena, '1.0.1'))).all).toBe(REMEMBERED);
  });

  test('tests the conditions again with other credentials', async () => {
    const arena = await withApp();
    const before = { ...arena.env };
    Object.assign(arena.env, { AWS_ACCESS_KEY_ID: 'AKIAOTHER' });
    expect((await counted(arena, publishing(arena, '1.0.0'))).all).toBe(REMEMBERED + PROBE);
    Object.assign(arena.env, before);
    expect((await counted(arena, publishing(arena, '1.0.1'))).all).toBe(REMEMBERED);
  });

  test('succeeds if the cache folder cannot be written', async () => {
    const arena = await withApp();
    writeFileSync(join(arena.root, 'file'), '');
    arena.env['APPREG_CACHE_DIR'] = join(arena.root, 'file', 'cache');
    expect((await counted(arena, publishing(arena, '1.0.0'))).all).toBe(REMEMBERED + PROBE);
  });

  test('tests the conditions again if the remembered ones fail', async () => {
    const arena = await withApp();
    const file = entryOf(arena);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"etag"', '"bare-etag"'));
    // This store compares the quotes as well, so that what is remembered fails.
    await counted(arena, publishing(arena, '1.0.0'));
    expect(readFileSync(file, 'utf8')).toContain('"etag"');
    expect((await counted(arena, publishing(arena, '1.0.1'))).all).toBe(REMEMBERED);
  });
});

function ago(milliseconds: number): string {
  return new Date(Date.now() - milliseconds).toISOString();
}

describe('assembling 112 apps', () => {
  const FILES = 225;

  test.each<{ what: string; more: ObjectStoreOptions; gets: number }>([
    { what: 'lists all files in one request', more: { lists: { page: 1000 } }, gets: FILES + 2 },
    {
      what: 'lists all files in one request, unsorted',
      more: { lists: { page: 1000, sorted: false } },
      gets: FILES + 2,
    },
    { what: 'cannot list files', more: {}, gets: 2 * FILES + 1 },
  ])(
    'writes many files at a time to a store that $what',
    async ({ more, gets }) => {
      const arena = await withFolders({ ...more, delay: 50 });
      arena.objects!.mostAtOnce = 0;
      const first = await counted(arena, () => runAssemble(contextOf(arena), {}));
      expect(first).toEqual({ PUT: FILES, GET: gets, all: FILES + gets });
      expect(arena.objects!.mostAtOnce).toBeGreaterThan(48);
      expect(arena.objects!.mostAtOnce).toBeLessThanOrEqual(64);
      expect(arena.objects!.objects.size).toBe(FILES + 1);
      // The manifest is written last.
      const { requests } = arena.objects!;
      const lastPut = requests.findLast(({ method }) => method === 'PUT');
      expect(lastPut?.key).toBe('registry/registry.json');

      expect((await counted(arena, () => runAssemble(contextOf(arena), {}))).PUT).toBe(0);
    },
    60_000,
  );

  test.each([true, false])(
    'finds all existing files in a listing of several pages (sorted: %s)',
    async (sorted) => {
      const arena = await withFolders({ lists: { page: 40, sorted } });
      await counted(arena, () => runAssemble(contextOf(arena), {}));
      writeFileSync(join(arena.root, 'apps/app-7/icon.svg'), SVG.replace('8', '9'));
      const { PUT } = await counted(arena, () => runAssemble(contextOf(arena), {}));
      expect(PUT).toBe(1);
      expect(String(await arena.get('apps/app-7/icon.svg'))).toBe(SVG.replace('8', '9'));
    },
    60_000,
  );
});

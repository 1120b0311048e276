import * as fs from 'node:fs';
import type * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFile, replaceFile } from '../../src/store/directory/atomic.ts';
import { openDirectory } from '../../src/store/directory/directory.ts';
import { storeContract } from './contract.ts';
import { scratch } from './scratch.ts';

/** Disks and systems that are not available here: each fault is simulated in front of the real functions. */

type Name = 'link' | 'rename' | 'open' | 'rm' | 'readFile';
type Real = typeof promises;
const faults = vi.hoisted((): { [K in Name]?: (...args: Parameters<Real[K]>) => unknown } => ({}));

vi.mock('node:fs/promises', async (load) => {
  const real = await load<Real>();
  const through =
    <K extends Name>(name: K) =>
    async (...args: Parameters<Real[K]>): Promise<unknown> =>
      (await faults[name]?.(...args)) ?? (real[name] as (...args: unknown[]) => unknown)(...args);
  return {
    ...real,
    link: through('link'),
    rename: through('rename'),
    open: through('open'),
    rm: through('rm'),
  };
});

vi.mock('../../src/store/directory/system.ts', async (load) => {
  const real = await load<typeof import('../../src/store/directory/system.ts')>();
  return {
    ...real,
    async readFile(path: string): Promise<Buffer> {
      await faults.readFile?.(path);
      return real.readFile(path);
    },
  };
});

function fail(code: string): never {
  throw Object.assign(new Error(`${code}: put on`), { code, syscall: 'test' });
}

afterEach(() => {
  for (const name of Object.keys(faults) as Name[]) delete faults[name];
  vi.unstubAllGlobals();
});

function file(): { root: string; path: string } {
  const root = scratch();
  const path = join(root, 'a.json');
  fs.writeFileSync(path, 'old');
  return { root, path };
}

/** A folder cannot replace another, not even an empty one; folders cannot be opened; reads can fail because of writers. */
function windows(): void {
  faults.rename = (from, to) => {
    const [source, target] = [fs.lstatSync(from), fs.lstatSync(to, { throwIfNoEntry: false })];
    if (source.isDirectory() && target) fail('EPERM');
  };
  faults.open = (path) => {
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) fail('EISDIR');
  };
  // One read in five, pseudo-randomly: with a counter, the same reader could fail every time.
  let state = 1;
  faults.readFile = () => {
    state = (state * 48_271) % 0x7fff_ffff;
    if (state % 5 === 0) fail('EBUSY');
  };
}

/** Opens files as the system does, and makes one function of written files fail. */
function spoil(
  name: 'sync' | 'close' | 'writeFile' | 'stat',
  fault: (really: () => unknown) => unknown,
  folders = false,
): void {
  faults.open = async (path, flags, mode) => {
    if ((flags === 'r') !== folders) return undefined;
    const real = await vi.importActual<Real>('node:fs/promises');
    const handle = await real.open(path, flags, mode);
    const call = handle[name].bind(handle) as (...args: unknown[]) => unknown;
    Object.assign(handle, {
      [name]: async (...args: unknown[]) => (await fault(() => call(...args))) ?? call(...args),
    });
    return handle;
  };
}

function endFault(): void {
  delete faults.open;
}

describe('without hard links', () => {
  beforeEach(() => {
    faults.link = () => fail('EPERM');
  });

  storeContract('the folder', async () => ({ store: openDirectory(scratch()) }));

  test('a file that is created while the lock is taken is not overwritten', async () => {
    const root = scratch();
    const path = join(root, 'new.json');
    faults.link = () => {
      fs.writeFileSync(path, 'theirs');
      fail('ENOTSUP');
    };
    expect(await createFile(path, Buffer.from('ours'))).toBe(false);
    expect(fs.readFileSync(path, 'utf8')).toBe('theirs');
    expect(fs.readdirSync(root)).toEqual(['new.json']);
  });
});

describe('on Windows', () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
  beforeEach(() => {
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    return () => Object.defineProperty(process, 'platform', platform);
  });

  describe('a store', () => {
    beforeEach(windows);
    storeContract('the folder', async () => ({ store: openDirectory(scratch()) }));

    test('an empty lock folder is free', async () => {
      const { root } = file();
      fs.mkdirSync(join(root, '.a.json.lock'));
      const store = openDirectory(root);
      expect(await store.replace('a.json', Buffer.from('new'), (await store.read('a.json'))!.token)).toBe('replaced');
      expect(fs.readdirSync(root)).toEqual(['a.json']);
    });
  });

  test.each(['EPERM', 'EACCES', 'EBUSY'])(
    'a file that a scanner holds briefly (%s) is replaced afterwards',
    async (code) => {
      const { path } = file();
      let times = 3;
      faults.rename = () => (times-- > 0 ? fail(code) : undefined);
      expect(await replaceFile(path, Buffer.from('new'))).toBe(true);
      expect(fs.readFileSync(path, 'utf8')).toBe('new');
    },
  );

  test('a file that stays open is not changed, and is reported as in use', { timeout: 20_000 }, async () => {
    const { root, path } = file();
    faults.rename = () => fail('EBUSY');
    await expect(replaceFile(path, Buffer.from('new'), { shownAs: 'a.json' })).rejects.toMatchObject({
      code: 'file-busy',
      message: expect.stringMatching(/^Cannot write a\.json: .* Nothing was changed\.$/),
    });
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(fs.readdirSync(root)).toEqual(['a.json']);
  });
});

describe('a disk that fails', () => {
  storeContract('the folder', async () => ({ store: openDirectory(scratch()) }), {
    faults: [
      {
        name: 'a full disk',
        code: 'disk-full',
        effect: 'none',
        start: () => spoil('sync', () => fail('ENOSPC')),
        end: endFault,
      },
      {
        name: 'a folder that cannot be synced',
        code: 'io-error',
        effect: 'applied',
        start: () => spoil('sync', () => fail('EIO'), true),
        end: endFault,
      },
    ],
  });

  test.each([
    ['while the bytes are synced', 'sync', 'ENOSPC', 'disk-full'],
    ['while the bytes are synced', 'sync', 'EIO', 'io-error'],
    ['while the file is closed', 'close', 'EDQUOT', 'disk-full'],
    ['while the file is written', 'writeFile', 'EMFILE', 'too-many-open-files'],
    ['with an unknown code', 'writeFile', 'EWHATEVER', 'io-error'],
  ] as const)('%s (%s: %s) preserves the previous bytes', async (_, name, system, code) => {
    const { root, path } = file();
    spoil(name, async (really) => {
      if (name === 'close') await really();
      fail(system);
    });
    const expected = { code, exit: 2, message: expect.stringMatching(new RegExp(`\\(${system}\\)|says ${system}`)) };
    await expect(replaceFile(path, Buffer.from('new'))).rejects.toMatchObject(expected);
    await expect(createFile(join(root, 'b.json'), Buffer.from('new'))).rejects.toMatchObject(expected);
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(fs.readdirSync(root)).toEqual(['a.json']);
  });

  test('keeps no folder that was made for a file that could not be created', async () => {
    const root = join(scratch(), 'new');
    spoil('sync', () => fail('ENOSPC'));
    await expect(openDirectory(root).create('apps/a/icon.svg', Buffer.from('new'))).rejects.toMatchObject({
      code: 'disk-full',
      effect: 'none',
    });
    expect(fs.existsSync(root)).toBe(false);
    // A folder that existed before is kept, although it is empty.
    fs.mkdirSync(join(root, 'apps'), { recursive: true });
    await expect(openDirectory(root).create('apps/a/icon.svg', Buffer.from('new'))).rejects.toThrow('disk is full');
    expect(fs.readdirSync(root, { recursive: true })).toEqual(['apps']);
  });

  test('by a short write without an error causes an unexpected error, and the file is unchanged', async () => {
    const { root, path } = file();
    spoil('writeFile', () => Promise.resolve({}));
    await expect(replaceFile(path, Buffer.from('new'))).rejects.toThrow('0 of 3 bytes');
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(fs.readdirSync(root)).toEqual(['a.json']);
  });

  test('after the rename reports that the new file is in place', async () => {
    const { path } = file();
    spoil('sync', () => fail('EIO'), true);
    await expect(replaceFile(path, Buffer.from('new'))).rejects.toMatchObject({
      code: 'io-error',
      message: expect.stringContaining('The new file is in place'),
    });
    expect(fs.readFileSync(path, 'utf8')).toBe('new');
  });

  test.each(['EINVAL', 'ENOTSUP', 'EPERM'])('only to sync folders (%s) is accepted', async (code) => {
    const { path } = file();
    spoil('sync', () => fail(code), true);
    expect(await replaceFile(path, Buffer.from('new'))).toBe(true);
  });

  test('while the lock is released reports that the file was written', async () => {
    const { root } = file();
    const store = openDirectory(root);
    const { token } = (await store.read('a.json'))!;
    faults.rm = (path) => (String(path).includes('.lock') ? fail('EIO') : undefined);
    await expect(store.replace('a.json', Buffer.from('new'), token)).rejects.toMatchObject({
      message: expect.stringContaining('The file was written'),
    });
    expect(fs.readFileSync(join(root, 'a.json'), 'utf8')).toBe('new');
  });
});

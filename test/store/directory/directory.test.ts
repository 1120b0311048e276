import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDirectory } from '../../../src/store/directory/directory.ts';
import type { Store } from '../../../src/store/store.ts';
import { storeContract } from '../contract.ts';
import { leftovers, scratch } from '../scratch.ts';

const onPosix = test.skipIf(process.platform === 'win32');

storeContract('the folder', async () => {
  const root = scratch();
  return { store: openDirectory(root), rival: openDirectory(`${root}/../${root.split(/[\\/]/).at(-1)}`) };
});

async function overwrite(store: Store, path: string, text: string): Promise<string> {
  const stored = await store.read(path);
  return store.replace(path, Buffer.from(text), stored?.token ?? 'none');
}

function folder(): { root: string; store: Store; outside: string } {
  const outside = scratch();
  const root = join(outside, 'root');
  fs.mkdirSync(join(root, 'real'), { recursive: true });
  fs.writeFileSync(join(root, 'real/file.json'), 'old');
  fs.writeFileSync(join(outside, 'secret.json'), 'secret');
  return { root, outside, store: openDirectory(root) };
}

function file(mode: number): { path: string; store: Store } {
  const root = scratch();
  const path = join(root, 'a.json');
  fs.writeFileSync(path, 'old');
  fs.chmodSync(path, mode);
  return { path, store: openDirectory(root) };
}

describe('a folder', () => {
  test('is created with the first file, and read as empty before', async () => {
    const root = join(scratch(), 'not/yet');
    const store = openDirectory(root);
    expect(await store.read('a.json')).toBeNull();
    expect(fs.existsSync(root)).toBe(false);
    expect(await store.create('b/a.json', Buffer.from('1'))).toBe('created');
    expect(fs.readFileSync(join(root, 'b/a.json'), 'utf8')).toBe('1');
  });

  test('contains only the files', async () => {
    const root = scratch();
    const store = openDirectory(root);
    await store.create('a/b.json', Buffer.from('1'));
    await store.create('a/b.json', Buffer.from('2'));
    await overwrite(store, 'a/b.json', '3');
    await store.replace('a/b.json', Buffer.from('4'), 'stale');
    expect(fs.readdirSync(root, { recursive: true }).sort()).toEqual(['a', join('a', 'b.json')]);
  });

  test('accepts names up to the limit of the disk, and refuses longer ones', async () => {
    const root = scratch();
    const store = openDirectory(root);
    const longest = `${'n'.repeat(250)}.json`;
    expect(await store.create(longest, Buffer.from('1'))).toBe('created');
    expect(await overwrite(store, longest, '2')).toBe('replaced');
    await expect(store.create(`${'n'.repeat(300)}.json`, Buffer.from('1'))).rejects.toMatchObject({
      code: 'name-too-long',
      exit: 2,
    });
    expect(leftovers(root)).toEqual([]);
  });

  test('reports a file in place of a folder, and a folder in place of a file', async () => {
    const root = scratch();
    const store = openDirectory(root);
    await store.create('file', Buffer.from('1'));
    expect(await store.read('file/below.json')).toBeNull();
    await expect(store.create('file/below.json', Buffer.from('1'))).rejects.toMatchObject({
      code: 'not-a-folder',
      message: expect.stringMatching(/^Cannot write file\/below\.json: .* Nothing was changed\.$/),
    });
    fs.mkdirSync(join(root, 'folder'));
    await expect(store.read('folder')).rejects.toMatchObject({ code: 'not-a-file' });
    await expect(store.replace('folder', Buffer.from('1'), 'x')).rejects.toMatchObject({ code: 'not-a-file' });
    expect(await store.create('folder', Buffer.from('1'))).toBe('exists');
    fs.writeFileSync(join(root, 'plain'), '');
    await expect(openDirectory(join(root, 'plain')).create('a', Buffer.from('1'))).rejects.toMatchObject({
      code: 'not-a-folder',
    });
  });

  onPosix('refuses a file that is not regular, without blocking', async () => {
    const store = openDirectory('/dev');
    await expect(store.read('null')).rejects.toMatchObject({ code: 'not-a-file' });
  });
});

describe.skipIf(process.platform === 'win32')('symbolic links', () => {
  test.each([
    { name: 'a relative link', to: 'real/file.json', path: 'link.json' },
    { name: 'a link to another folder', to: 'real', path: 'linked/file.json' },
  ])('$name is preserved, and its target is replaced', async ({ to, path }) => {
    const { root, store } = folder();
    fs.symlinkSync(to, join(root, path.split('/')[0]!));
    expect(await overwrite(store, path, 'new')).toBe('replaced');
    expect(fs.readlinkSync(join(root, path.split('/')[0]!))).toBe(to);
    expect(fs.readFileSync(join(root, 'real/file.json'), 'utf8')).toBe('new');
    expect(leftovers(root)).toEqual([]);
  });

  test('an absolute link within the root is followed, and both names of the file share one lock', async () => {
    const { root, store } = folder();
    fs.symlinkSync(join(root, 'real/file.json'), join(root, 'link.json'));
    fs.writeFileSync(join(root, 'real/file.json'), '0');
    const add = async (path: string): Promise<void> => {
      for (let done = 0; done < 5;) {
        const { bytes, token } = (await store.read(path))!;
        if ((await store.replace(path, Buffer.from(String(Number(Buffer.from(bytes)) + 1)), token)) === 'replaced')
          done++;
      }
    };
    await Promise.all([add('link.json'), add('real/file.json'), add('link.json')]);
    expect(fs.readFileSync(join(root, 'real/file.json'), 'utf8')).toBe('15');
  });

  test.each([
    { name: 'a link to a file outside', to: '../secret.json', path: 'x' },
    { name: 'a link to a folder outside', to: '..', path: 'x/secret.json' },
    { name: 'a link that would create a file outside', to: '..', path: 'x/new.json' },
    { name: 'a link that would create folders outside', to: '..', path: 'x/new/new.json' },
    { name: 'an absolute link', to: '/', path: 'x/tmp/new.json' },
  ])('$name is refused in every method', async ({ to, path }) => {
    const { root, outside, store } = folder();
    fs.symlinkSync(to, join(root, 'x'));
    const refused = { code: 'path-refused', exit: 2 };
    await expect(store.read(path)).rejects.toMatchObject(refused);
    await expect(store.create(path, Buffer.from('x'))).rejects.toMatchObject(refused);
    await expect(store.replace(path, Buffer.from('x'), 'x')).rejects.toMatchObject(refused);
    expect(fs.readFileSync(join(outside, 'secret.json'), 'utf8')).toBe('secret');
    expect(fs.readdirSync(outside).sort()).toEqual(['root', 'secret.json']);
  });

  test.each([
    ['nowhere.json', 'dangling-link'],
    ['../nowhere.json', 'dangling-link'],
    ['loop', 'link-loop'],
  ])('a link to %s is refused as %s', async (to, code) => {
    const { root, outside, store } = folder();
    fs.symlinkSync(to, join(root, 'loop'));
    for (const path of ['loop', 'loop/below.json']) {
      await expect(store.read(path)).rejects.toMatchObject({ code });
      await expect(store.create(path, Buffer.from('x'))).rejects.toMatchObject({ code });
      await expect(store.replace(path, Buffer.from('x'), 'x')).rejects.toMatchObject({ code });
    }
    expect(fs.readdirSync(outside).sort()).toEqual(['root', 'secret.json']);
    expect(fs.readdirSync(root).sort()).toEqual(['loop', 'real']);
  });

  test('the root itself can be a symbolic link', async () => {
    const { root, outside } = folder();
    fs.symlinkSync('root', join(outside, 'named'));
    const store = openDirectory(join(outside, 'named'));
    expect(await overwrite(store, 'real/file.json', 'new')).toBe('replaced');
    expect(fs.readFileSync(join(root, 'real/file.json'), 'utf8')).toBe('new');
  });
});

describe.skipIf(process.platform === 'win32')('file attributes', () => {
  test.each([0o600, 0o640, 0o644, 0o664, 0o666, 0o755, 0o2664])(
    'include the mode %o, which is preserved',
    async (mode) => {
      const { path, store } = file(mode);
      const before = process.umask(0o077);
      try {
        expect(await overwrite(store, 'a.json', 'new')).toBe('replaced');
      } finally {
        process.umask(before);
      }
      expect((fs.statSync(path).mode & 0o7777).toString(8)).toBe(mode.toString(8));
    },
  );

  test('of a new file include the mode that results from the umask', async () => {
    const root = scratch();
    const before = process.umask(0o027);
    try {
      await openDirectory(root).create('a.json', Buffer.from('x'));
    } finally {
      process.umask(before);
    }
    expect((fs.statSync(join(root, 'a.json')).mode & 0o777).toString(8)).toBe('640');
  });

  test.runIf(process.getuid?.() === 0)('include the owner and group, which are preserved (as root)', async () => {
    const { path, store } = file(0o664);
    fs.chownSync(path, 65534, 65533);
    expect(await overwrite(store, 'a.json', 'new')).toBe('replaced');
    expect(fs.statSync(path)).toMatchObject({ uid: 65534, gid: 65533 });
    expect(fs.statSync(path).mode & 0o777).toBe(0o664);
  });

  test('include read-only, with which a file is refused, also for root', async () => {
    const { path, store } = file(0o444);
    await expect(overwrite(store, 'a.json', 'new')).rejects.toMatchObject({
      code: 'read-only',
      exit: 2,
      message: 'a.json is read-only. Nothing was changed.',
    });
    expect(fs.readFileSync(path, 'utf8')).toBe('old');
    expect(fs.statSync(path).mode & 0o777).toBe(0o444);
    expect(fs.readdirSync(join(path, '..'))).toEqual(['a.json']);
  });

  test('do not include hard links: the other name keeps the previous bytes', async () => {
    const { path, store } = file(0o644);
    fs.linkSync(path, `${path}.partner`);
    expect(await overwrite(store, 'a.json', 'new')).toBe('replaced');
    expect(fs.readFileSync(path, 'utf8')).toBe('new');
    expect(fs.readFileSync(`${path}.partner`, 'utf8')).toBe('old');
  });
});

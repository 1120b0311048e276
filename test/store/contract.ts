import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';

export interface Made {
  store: Store;
  /** A second door to the same place, as another process or machine has it (default: the same store). */
  rival?: Store;
  cleanup?(): Promise<void>;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** What every store must do, wherever it keeps its files. `make` gives an empty one. */
export function storeContract(name: string, make: () => Promise<Made>, { workers = 8, times = 4 } = {}): void {
  describe(`${name} keeps the contract of stores`, () => {
    let made: Made | undefined;
    let store: Store;
    let rival: Store;
    beforeAll(async () => {
      made = await make();
      store = made.store;
      rival = made.rival ?? store;
    }, 90_000);
    afterAll(() => made?.cleanup?.());

    test('it has a name', () => expect(store.name).not.toBe(''));

    test.each(['nothing.json', 'no/such/folder/nothing.json'])('reads null where nothing is: %s', async (path) => {
      expect(await store.read(path)).toBeNull();
    });

    test('creates a file once, and never over another', async () => {
      expect(await store.create('once.json', bytesOf('first'))).toBe('created');
      expect(await rival.create('once.json', bytesOf('second'))).toBe('exists');
      expect(await store.create('once.json', bytesOf('first'))).toBe('exists');
      expect(textOf((await rival.read('once.json'))?.bytes)).toBe('first');
    });

    test.each([
      ['no bytes', new Uint8Array()],
      ['every byte there is', Uint8Array.from({ length: 256 }, (_, i) => i)],
      ['line endings, a byte order mark, half a character', Uint8Array.of(0xef, 0xbb, 0xbf, 13, 10, 10, 13, 0xc3)],
      ['three million bytes', new Uint8Array(3_000_000).map((_, i) => (i * 7919) >> 5)],
    ])('gives back exactly: %s', async (what, bytes) => {
      const path = `exact/${what.replace(/\W/g, '-')}.bin`;
      expect(await store.create(path, bytes)).toBe('created');
      const created = await rival.read(path);
      expect(Buffer.compare(created!.bytes, bytes)).toBe(0);

      const other = bytes.slice(0, 1000).map((byte) => byte ^ 1);
      expect(await store.replace(path, Uint8Array.of(1, 2), created!.token)).toBe('replaced');
      expect(await store.replace(path, other, (await store.read(path))!.token)).toBe('replaced');
      expect(Buffer.compare((await rival.read(path))!.bytes, other)).toBe(0);
    });

    test('only what is asked for is written', async () => {
      const bytes = Buffer.from('....middle....').subarray(4, 10);
      await store.create('slice.txt', bytes);
      expect(textOf((await store.read('slice.txt'))!.bytes)).toBe('middle');
    });

    test('replaces a file only as it was read', async () => {
      await store.create('replace.json', bytesOf('one'));
      const before = (await store.read('replace.json'))!;
      expect(await rival.replace('replace.json', bytesOf('two'), before.token)).toBe('replaced');
      expect(await store.replace('replace.json', bytesOf('three'), before.token)).toBe('changed');
      expect(textOf((await store.read('replace.json'))!.bytes)).toBe('two');
      const now = (await store.read('replace.json'))!;
      expect(now.token).not.toBe(before.token);
      expect(await store.replace('replace.json', bytesOf('three'), now.token)).toBe('replaced');
    });

    test('a token stands for a state: reading twice gives the same', async () => {
      await store.create('token.json', bytesOf('one'));
      expect((await store.read('token.json'))!.token).toBe((await rival.read('token.json'))!.token);
    });

    test('replaces nothing where nothing is', async () => {
      await store.create('token-of.json', bytesOf('one'));
      const { token } = (await store.read('token-of.json'))!;
      expect(await store.replace('gone.json', bytesOf('two'), token)).toBe('changed');
      expect(await store.replace('gone/too.json', bytesOf('two'), token)).toBe('changed');
      expect(await store.read('gone.json')).toBeNull();
      expect(await store.read('gone/too.json')).toBeNull();
    });

    test('keeps files in folders, and names with spaces, percent signs and letters beyond ASCII', async () => {
      const paths = [
        'apps/my-app/versions/1.0.0.tar.gz',
        'a b/c%20d/e+f#g?.json',
        'größe/名前.json',
        '.well-known/x',
        '1.0.0+build.tar.gz',
      ];
      for (const path of paths.filter((path) => process.platform !== 'win32' || !path.includes('?'))) {
        expect(await store.create(path, bytesOf(path))).toBe('created');
        expect(textOf((await store.read(path))!.bytes)).toBe(path);
      }
    });

    test.each([
      '',
      '/',
      '.',
      '..',
      './a',
      '../a',
      'a/..',
      'a/../b',
      'a/../../b',
      'a/./b',
      '/etc/passwd',
      '//host/share',
      'a//b',
      'a/',
      'a\\b',
      '..\\a',
      '\\\\host\\share',
      'C:a',
      'c:/a',
      'a:stream',
      'a\0b',
      'a\nb',
      'a\u007f',
      'CON',
      'nul',
      'aux.json',
      'apps/com1/x',
      'apps/LPT9.tar.gz',
      'dot.',
      'dots...',
      'space ',
      'a ./b',
    ])('refuses the path %j for every verb', async (path) => {
      const refused = { code: 'path-refused', exit: 2 };
      await expect(store.read(path)).rejects.toMatchObject(refused);
      await expect(store.create(path, bytesOf('x'))).rejects.toMatchObject(refused);
      await expect(store.replace(path, bytesOf('x'), 'x')).rejects.toMatchObject(refused);
    });

    test('of many who create the same file at once, one does', async () => {
      for (let round = 0; round < 5; round++) {
        const path = `race/${round}.bin`;
        const contents = Array.from({ length: 8 }, (_, i) => new Uint8Array(50_000).fill(i));
        const answers = await Promise.all(contents.map((bytes, i) => (i % 2 ? rival : store).create(path, bytes)));
        expect(answers.filter((answer) => answer === 'created')).toHaveLength(1);
        const winner = contents[answers.indexOf('created')]!;
        expect(Buffer.compare((await store.read(path))!.bytes, winner)).toBe(0);
      }
    }, 60_000);

    test('of many who add one at once, none is lost', async () => {
      await store.create('counter', bytesOf('0'));
      const work = async (door: Store): Promise<void> => {
        for (let done = 0; done < times;) {
          const { bytes, token } = (await door.read('counter'))!;
          const next = bytesOf(String(Number(textOf(bytes)) + 1));
          if ((await door.replace('counter', next, token)) === 'replaced') done++;
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, i) => work(i % 2 ? rival : store)));
      expect(textOf((await store.read('counter'))!.bytes)).toBe(String(workers * times));
    }, 60_000);
  });
}

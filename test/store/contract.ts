import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppregError, type Effect } from '../../src/core/errors/error.ts';
import { digestOfBytes, fileBytes, md5Of, sha256Of } from '../../src/store/bytes.ts';
import { type BatchStore, isBatchStore, type Store } from '../../src/store/store.ts';

export interface Made {
  store: Store;
  /** A second store for the same files, as in another process or on another machine (default: the same store). */
  rival?: Store;
  cleanup?(): Promise<void>;
}

/** A fault that makes every write fail until it ends. */
export interface StoreFault {
  name: string;
  start(): void;
  end(): void;
  /** The code and the effect that the error must report; null: the error itself describes what the store has. */
  code: string;
  effect: Effect | null;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
function batchOf(store: Store): BatchStore['batch'] {
  if (!isBatchStore(store)) throw new Error(`${store.name} does not write several files at once`);
  return store.batch;
}
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** What every store must do. `make` returns an empty store. */
export function storeContract(
  name: string,
  make: () => Promise<Made>,
  {
    workers = 8,
    times = 4,
    atOnce = false,
    faults = [],
  }: { workers?: number; times?: number; atOnce?: boolean; faults?: readonly StoreFault[] } = {},
): void {
  describe(`${name} fulfills the contract of stores`, () => {
    let made: Made | undefined;
    let store: Store;
    let rival: Store;
    beforeAll(async () => {
      made = await make();
      store = made.store;
      rival = made.rival ?? store;
    }, 90_000);
    afterAll(() => made?.cleanup?.());

    test('has a name', () => expect(store.name).not.toBe(''));

    test.each(['nothing.json', 'no/such/folder/nothing.json'])('reads null for the missing file %s', async (path) => {
      expect(await store.read(path)).toBeNull();
    });

    test('creates a file once, and never overwrites another', async () => {
      expect(await store.create('once.json', bytesOf('first'))).toBe('created');
      expect(await rival.create('once.json', bytesOf('second'))).toBe('exists');
      expect(await store.create('once.json', bytesOf('first'))).toBe('exists');
      expect(textOf((await rival.read('once.json'))?.bytes)).toBe('first');
    });

    test.each([
      ['no bytes', new Uint8Array()],
      ['every byte value', Uint8Array.from({ length: 256 }, (_, i) => i)],
      ['line endings, a byte order mark, a truncated character', Uint8Array.of(0xef, 0xbb, 0xbf, 13, 10, 10, 13, 0xc3)],
      ['three million bytes', new Uint8Array(3_000_000).map((_, i) => (i * 7919) >> 5)],
    ])('returns exactly the stored bytes: %s', async (what, bytes) => {
      const path = `exact/${what.replace(/\W/g, '-')}.bin`;
      expect(await store.create(path, bytes)).toBe('created');
      const created = await rival.read(path);
      expect(Buffer.compare(created!.bytes, bytes)).toBe(0);

      const other = bytes.slice(0, 1000).map((byte) => byte ^ 1);
      expect(await store.replace(path, Uint8Array.of(1, 2), created!.token)).toBe('replaced');
      expect(await store.replace(path, other, (await store.read(path))!.token)).toBe('replaced');
      expect(Buffer.compare((await rival.read(path))!.bytes, other)).toBe(0);
    });

    test('creates a file from a local one, and returns its digest', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'appreg-contract-'));
      try {
        const bytes = Buffer.from(new Uint8Array(300_000).map((_, i) => (i * 7919) >> 5));
        writeFileSync(join(folder, 'local.bin'), bytes);
        const known = { length: bytes.length, sha256: sha256Of(bytes), md5: md5Of(bytes) };
        const local = fileBytes(join(folder, 'local.bin'), 'local.bin', known);
        expect(await store.digest('from/local.bin')).toBeNull();
        expect(await store.create('from/local.bin', local)).toBe('created');
        expect(await rival.create('from/local.bin', local)).toBe('exists');
        expect(Buffer.compare((await rival.read('from/local.bin'))!.bytes, bytes)).toBe(0);
        expect(await rival.digest('from/local.bin')).toEqual(digestOfBytes(bytes));

        writeFileSync(join(folder, 'local.bin'), bytes.fill(1, 200_000));
        const changed = { code: 'artifact-changed', exit: 1, effect: 'none' };
        await expect(store.create('from/changed.bin', local)).rejects.toMatchObject(changed);
        expect(await store.digest('from/changed.bin')).toBeNull();
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('writes only the bytes of a view, not its whole buffer', async () => {
      const bytes = Buffer.from('....middle....').subarray(4, 10);
      await store.create('slice.txt', bytes);
      expect(textOf((await store.read('slice.txt'))!.bytes)).toBe('middle');
    });

    test('replaces a file only in the state in which it was read', async () => {
      await store.create('replace.json', bytesOf('one'));
      const before = (await store.read('replace.json'))!;
      expect(await rival.replace('replace.json', bytesOf('two'), before.token)).toBe('replaced');
      expect(await store.replace('replace.json', bytesOf('three'), before.token)).toBe('changed');
      expect(textOf((await store.read('replace.json'))!.bytes)).toBe('two');
      const now = (await store.read('replace.json'))!;
      expect(now.token).not.toBe(before.token);
      expect(await store.replace('replace.json', bytesOf('three'), now.token)).toBe('replaced');
    });

    test('returns the same token for two reads of the same state', async () => {
      await store.create('token.json', bytesOf('one'));
      expect((await store.read('token.json'))!.token).toBe((await rival.read('token.json'))!.token);
    });

    test('does not replace a missing file', async () => {
      await store.create('token-of.json', bytesOf('one'));
      const { token } = (await store.read('token-of.json'))!;
      expect(await store.replace('gone.json', bytesOf('two'), token)).toBe('changed');
      expect(await store.replace('gone/too.json', bytesOf('two'), token)).toBe('changed');
      expect(await store.read('gone.json')).toBeNull();
      expect(await store.read('gone/too.json')).toBeNull();
    });

    test.each(faults)(
      'reports the effect of a write that fails with $name',
      async (fault) => {
        const path = `fault-${faults.indexOf(fault)}.json`;
        const old = `old-${path}`;
        await store.create(old, bytesOf('old'));
        const { token } = (await store.read(old))!;
        fault.start();
        const failures = await Promise.allSettled([
          store.create(path, bytesOf('new')),
          store.replace(old, bytesOf('new'), token),
        ]).finally(() => fault.end());
        const { code, effect } = fault;
        for (const failure of failures)
          expect(failure).toMatchObject({ status: 'rejected', reason: { known: true, code, effect } });
        const contents = [(await rival.read(path))?.bytes, (await rival.read(old))?.bytes].map(
          (bytes) => bytes && textOf(bytes),
        );
        if (effect === 'none') expect(contents).toEqual([undefined, 'old']);
        if (effect === 'applied') expect(contents).toEqual(['new', 'new']);
      },
      120_000,
    );

    test('does not replace a file with a folder of the same name', async () => {
      await store.create('file.json', bytesOf('one'));
      const answer = await store.create('file.json/below.json', bytesOf('two')).catch((error: unknown) => error);
      expect(answer === 'created' || (answer instanceof AppregError && answer.effect === 'none')).toBe(true);
      expect(textOf((await rival.read('file.json'))!.bytes)).toBe('one');
    });

    test('stores files in folders, and names with spaces, percent signs and non-ASCII letters', async () => {
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
    ])('refuses the path %j in every method', async (path) => {
      const refused = { code: 'path-refused', exit: 2, effect: 'none' };
      await expect(store.read(path)).rejects.toMatchObject(refused);
      await expect(store.digest(path)).rejects.toMatchObject(refused);
      await expect(store.create(path, bytesOf('x'))).rejects.toMatchObject(refused);
      await expect(store.replace(path, bytesOf('x'), 'x')).rejects.toMatchObject(refused);
    });

    test(`writes ${atOnce ? 'several files' : 'one file'} at once`, () => {
      expect(isBatchStore(store)).toBe(atOnce);
    });

    if (atOnce)
      describe('writes several files at once', () => {
        test('all of them or none', async () => {
          const atOnce = batchOf(store);
          const paths = ['at-once/one.json', 'at-once/two.json', 'at-once/größe 名前.json'];
          expect((await atOnce.read(paths)).size).toBe(0);
          const fresh = paths.map((path) => ({ path, bytes: bytesOf(path), token: null }));
          expect(await atOnce.write(fresh)).toBe('written');
          const there = await batchOf(rival).read([...paths, 'at-once/three.json']);
          expect([...there].map(([path, { bytes }]) => [path, textOf(bytes)]).sort()).toEqual(
            paths.map((path) => [path, path]).sort(),
          );
          for (const [path, stored] of there) expect(await store.read(path)).toEqual(stored);

          const changed = { path: paths[0]!, bytes: bytesOf('changed'), token: there.get(paths[0]!)!.token };
          const added = { path: 'at-once/three.json', bytes: bytesOf('three'), token: null };
          for (const conflicting of [
            { path: paths[1]!, bytes: bytesOf('x'), token: null },
            { path: paths[1]!, bytes: bytesOf('x'), token: changed.token },
            { path: 'at-once/four.json', bytes: bytesOf('x'), token: changed.token },
          ])
            expect(await atOnce.write([changed, added, conflicting])).toBe('changed');
          expect(textOf((await rival.read(paths[0]!))!.bytes)).toBe(paths[0]);
          expect(await store.read('at-once/three.json')).toBeNull();
          expect(await atOnce.write([changed, added])).toBe('written');
          expect(textOf((await rival.read(paths[0]!))!.bytes)).toBe('changed');
          expect(textOf((await rival.read('at-once/three.json'))!.bytes)).toBe('three');
        });

        test('from concurrent writers, without partial reads', async () => {
          const [left, right] = ['pair/left', 'pair/right'] as const;
          await batchOf(store).write([left, right].map((path) => ({ path, bytes: bytesOf('0'), token: null })));
          const work = async (opened: Store): Promise<void> => {
            for (let done = 0; done < times;) {
              const there = await batchOf(opened).read([left, right]);
              const seen = [left, right].map((path) => textOf(there.get(path)!.bytes));
              expect(seen[0]).toBe(seen[1]);
              const bytes = bytesOf(String(Number(seen[0]) + 1));
              const writes = [left, right].map((path) => ({ path, bytes, token: there.get(path)!.token }));
              if ((await batchOf(opened).write(writes)) === 'written') done++;
            }
          };
          await Promise.all(Array.from({ length: workers }, (_, i) => work(i % 2 ? rival : store)));
          expect(textOf((await store.read(right))!.bytes)).toBe(String(workers * times));
        }, 60_000);
      });

    test('lets one of several concurrent writers create a file', async () => {
      for (let round = 0; round < 5; round++) {
        const path = `race/${round}.bin`;
        const contents = Array.from({ length: 8 }, (_, i) => new Uint8Array(50_000).fill(i));
        const answers = await Promise.all(contents.map((bytes, i) => (i % 2 ? rival : store).create(path, bytes)));
        expect(answers.filter((answer) => answer === 'created')).toHaveLength(1);
        const winner = contents[answers.indexOf('created')]!;
        expect(Buffer.compare((await store.read(path))!.bytes, winner)).toBe(0);
      }
    }, 60_000);

    test('loses no update of concurrent writers', async () => {
      await store.create('counter', bytesOf('0'));
      const work = async (opened: Store): Promise<void> => {
        for (let done = 0; done < times;) {
          const { bytes, token } = (await opened.read('counter'))!;
          const next = bytesOf(String(Number(textOf(bytes)) + 1));
          if ((await opened.replace('counter', next, token)) === 'replaced') done++;
        }
      };
      await Promise.all(Array.from({ length: workers }, (_, i) => work(i % 2 ? rival : store)));
      expect(textOf((await store.read('counter'))!.bytes)).toBe(String(workers * times));
    }, 60_000);
  });
}

import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { AppregError } from '../../src/core/errors.ts';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import { describePlan } from '../../src/publish/describe-plan.ts';
import type { Plan, Step } from '../../src/publish/plan.ts';
import type { StepResult } from '../../src/publish/step.ts';
import type { BatchStore, Store, Stored, Write } from '../../src/store/store.ts';
import { memoryStore } from './memory.ts';

// Nobody is waited for here.
vi.mock('node:timers/promises', () => ({ setTimeout: () => new Promise(setImmediate) }));

const artifact: Step & { kind: 'create' } = {
  kind: 'create',
  path: 'a/1.0.0.tar.gz',
  bytes: Buffer.from('bytes'),
  what: 'the artifact of a 1.0.0',
};
const metadata = 'a/versions.json';

/** Adds a line, once. */
function adding(line: string): Step & { kind: 'edit' } {
  return {
    kind: 'edit',
    path: metadata,
    edit: (text) => (text.split('\n').includes(line) ? null : `${text}${line}\n`),
    what: `the version ${line}`,
  };
}

const plan: Plan = { steps: [artifact, adding('1.0.0')] };

function outcomes(results: readonly StepResult[]): string[] {
  return results.map(({ step, outcome }) => `${step.path}: ${outcome}`);
}

/** A store that says in which order it was asked to write, and can be made to fail. */
function watched(
  files: Record<string, string | Uint8Array>,
  over: (store: Store) => Partial<Store> = () => ({}),
): { store: Store; log: string[]; text(path: string): string | undefined } {
  const memory = memoryStore(files);
  const odd = { ...memory, ...over(memory) };
  const log: string[] = [];
  const store: Store = {
    name: 'memory',
    read: (path) => odd.read(path),
    digest: (path) => odd.digest(path),
    async create(path, bytes) {
      const answer = await odd.create(path, bytes);
      log.push(`${answer} ${path}`);
      return answer;
    },
    async replace(path, bytes, token) {
      const answer = await odd.replace(path, bytes, token);
      log.push(`${answer} ${path}`);
      return answer;
    },
  };
  return { store, log, text: (path) => memory.files.get(path)?.toString('utf8') };
}

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Somebody who puts `content` there just before. */
const faster =
  (content: string) =>
  (inner: Store): Partial<Store> => ({
    async create(path, bytes) {
      await inner.create(path, Buffer.from(content));
      return inner.create(path, bytes);
    },
  });

const full = (): never => {
  throw new AppregError('disk-full', 'Cannot write it: the disk is full. Nothing was changed.', 'Free some space.');
};

async function notServed(): Promise<void> {
  throw new AppregError('read-back-missing', 'It is not served yet.', 'Wait for the host.');
}

/** An edit that somebody else's text makes impossible. */
const refusing: Step = {
  ...adding('1'),
  edit(text) {
    if (text === '') return 'ours';
    throw new AppregError('immutable', 'Published meanwhile. Nothing was changed.', 'Take the next version.');
  },
};

describe('a plan', () => {
  test('is carried out in its order, and each step is told when it is done', async () => {
    const { store, log, text } = watched({ [metadata]: '' });
    const results = await applyPlan(plan, store, {
      onStep: ({ step, outcome }) => log.push(`told ${outcome} ${step.path}`),
      readBack: async (step) => void log.push(`read back ${step.path}`),
    });
    expect(log).toEqual([
      'created a/1.0.0.tar.gz',
      'told created a/1.0.0.tar.gz',
      'read back a/1.0.0.tar.gz',
      'replaced a/versions.json',
      'told edited a/versions.json',
    ]);
    expect(outcomes(results)).toEqual(['a/1.0.0.tar.gz: created', 'a/versions.json: edited']);
    expect(text(metadata)).toBe('1.0.0\n');
  });

  test('carried out again writes nothing and reads nothing back', async () => {
    const { store, log } = watched({ [metadata]: '' });
    await applyPlan(plan, store);
    log.length = 0;
    const readBack = async (): Promise<void> => void log.push('read back');
    expect(outcomes(await applyPlan(plan, store, { readBack }))).toEqual([
      'a/1.0.0.tar.gz: already-there',
      'a/versions.json: unchanged',
    ]);
    expect(log).toEqual([]);
  });

  test('whose artifact an earlier run left there reads it back before it is listed', async () => {
    const { store, log } = watched({ [metadata]: '', [artifact.path]: 'bytes' });
    const readBack = async (): Promise<void> => void log.push('read back');
    expect(outcomes(await applyPlan(plan, store, { readBack }))).toEqual([
      'a/1.0.0.tar.gz: already-there',
      'a/versions.json: edited',
    ]);
    expect(log).toEqual(['read back', 'replaced a/versions.json']);
  });

  test('may create a document and edit it, and edit it twice', async () => {
    const { store, text } = watched({});
    const steps: Step[] = [
      { kind: 'create', path: metadata, bytes: Buffer.from('0\n'), what: 'the file' },
      adding('1'),
      adding('2'),
      adding('1'),
    ];
    expect(outcomes(await applyPlan({ steps }, store)).map((line) => line.split(': ')[1])).toEqual([
      'created',
      'edited',
      'edited',
      'unchanged',
    ]);
    expect(text(metadata)).toBe('0\n1\n2\n');
  });

  test('without steps is done', async () => {
    expect(await applyPlan({ steps: [] }, watched({}).store)).toEqual([]);
  });

  test('keeps a byte order mark and line endings', async () => {
    const { store, text } = watched({ [metadata]: '\ufeffa\r\nb\r\n' });
    await applyPlan({ steps: [adding('c')] }, store);
    expect(text(metadata)).toBe('\ufeffa\r\nb\r\nc\n');
  });

  test('an edit that would always find something to do is done once', async () => {
    const { store, text } = watched({ [metadata]: '' });
    await applyPlan({ steps: [{ ...adding('x'), edit: (text) => `${text}x` }] }, store);
    expect(text(metadata)).toBe('x');
  });

  test('an edit that gives the same text changes nothing', async () => {
    const { store, log } = watched({ [metadata]: 'x' });
    expect(outcomes(await applyPlan({ steps: [{ ...adding('x'), edit: (text) => text }] }, store))).toEqual([
      'a/versions.json: unchanged',
    ]);
    expect(log).toEqual([]);
  });
});

describe('is refused before anything is written', () => {
  test.each<[string, Record<string, string | Uint8Array>, Step[], Partial<AppregError>]>([
    [
      'other bytes under a published name, by both digests',
      { [metadata]: '', [artifact.path]: 'others' },
      [adding('1'), artifact],
      {
        code: 'immutable',
        exit: 1,
        message: `a/1.0.0.tar.gz is there already with other bytes: ${sha('others')} (6 bytes) is there, ${sha('bytes')} (5 bytes) is what you have. Nothing was changed.`,
      },
    ],
    [
      'a document that is not UTF-8',
      { [metadata]: Buffer.of(0x7b, 0xff, 0x7d) },
      [artifact, adding('1')],
      { code: 'not-utf8', exit: 2 },
    ],
    [
      'a document that is not there',
      {},
      [artifact, adding('1')],
      { code: 'document-missing', exit: 2, message: 'a/versions.json is not there. Nothing was changed.' },
    ],
    [
      'what the edit refuses',
      { [metadata]: '' },
      [
        artifact,
        {
          ...adding('1'),
          edit: () => {
            throw new AppregError('immutable', 'No.', 'Another version.');
          },
        },
      ],
      { code: 'immutable', exit: 1, message: 'No. Nothing was changed.', hint: 'Another version.' },
    ],
  ])('%s', async (_, files, steps, trouble) => {
    const { store, log } = watched(files);
    await expect(applyPlan({ steps }, store)).rejects.toMatchObject({
      message: expect.stringMatching(/Nothing was changed\.$/),
      ...trouble,
    });
    expect(log).toEqual([]);
  });
});

describe('when others are faster', () => {
  test('an edit is made anew on what they wrote', async () => {
    let rivals = 5;
    const { store, log, text } = watched({ [metadata]: '' }, (inner) => ({
      async replace(path, bytes, token) {
        if (rivals > 0) {
          const now = (await inner.read(path))!;
          await inner.replace(path, Buffer.concat([now.bytes, Buffer.from(`rival ${rivals--}\n`)]), now.token);
        }
        return inner.replace(path, bytes, token);
      },
    }));
    expect(outcomes(await applyPlan({ steps: [adding('ours')] }, store))).toEqual(['a/versions.json: edited']);
    expect(text(metadata)).toBe('rival 5\nrival 4\nrival 3\nrival 2\nrival 1\nours\n');
    expect(log.filter((line) => line.startsWith('changed'))).toHaveLength(5);
  });

  test('forty at once all get through', async () => {
    const { store, text } = watched({ [metadata]: '' });
    const versions = Array.from({ length: 40 }, (_, i) => `1.${i}.0`);
    await Promise.all(versions.map((version) => applyPlan({ steps: [adding(version)] }, store)));
    expect(text(metadata)!.trim().split('\n').sort()).toEqual(versions.sort());
  });

  test('the same file with the same bytes is theirs and ours; with other bytes it is refused', async () => {
    expect(outcomes(await applyPlan({ steps: [artifact] }, watched({}, faster('bytes')).store))).toEqual([
      'a/1.0.0.tar.gz: already-there',
    ]);
    await expect(applyPlan(plan, watched({ [metadata]: '' }, faster('others')).store)).rejects.toMatchObject({
      code: 'immutable',
      exit: 1,
    });
  });

  test('and the edit is refused on what they wrote: the artifact is there, and that is said', async () => {
    const { store } = watched({ [metadata]: '' }, (inner) => ({
      async replace(path, bytes, token) {
        await inner.replace(path, Buffer.from('taken\n'), token);
        return inner.replace(path, bytes, token);
      },
    }));
    await expect(applyPlan({ steps: [artifact, refusing] }, store)).rejects.toMatchObject({
      code: 'immutable',
      exit: 1,
      message: 'Published meanwhile. Stored: a/1.0.0.tar.gz. Not stored: a/versions.json.',
    });
  });

  test('always: it gives up in the end', async () => {
    const { store } = watched({ [metadata]: '' }, (inner) => ({
      async replace(path) {
        const now = (await inner.read(path))!;
        await inner.replace(path, Buffer.concat([now.bytes, Buffer.from('rival\n')]), now.token);
        return 'changed';
      },
    }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({ code: 'write-conflict', exit: 2 });
  });

  test('and the store does not notice: the edit is found lost, and made again', async () => {
    let lost = 2;
    const { store, text } = watched({ [metadata]: '' }, (inner) => ({
      async replace(path, bytes, token) {
        if (lost-- <= 0) return inner.replace(path, bytes, token);
        // Theirs, read before ours and written after it.
        await inner.replace(path, Buffer.from(`rival ${lost}\n`), token);
        return 'replaced';
      },
    }));
    expect(outcomes(await applyPlan({ steps: [adding('ours')] }, store))).toEqual(['a/versions.json: edited']);
    expect(text(metadata)).toBe('rival 0\nours\n');
  });

  test('but keep what we wrote: it is not written twice', async () => {
    const { store, text } = watched({ [metadata]: '' }, (inner) => ({
      async replace(path, bytes, token) {
        const answer = await inner.replace(path, bytes, token);
        const now = (await inner.read(path))!;
        await inner.replace(path, Buffer.concat([now.bytes, Buffer.from('later\n')]), now.token);
        return answer;
      },
    }));
    expect(outcomes(await applyPlan({ steps: [adding('ours')] }, store))).toEqual(['a/versions.json: edited']);
    expect(text(metadata)).toBe('ours\nlater\n');
  });
});

describe('a store that does not do what it answers', () => {
  const found = { exit: 2, message: expect.stringContaining('a/versions.json') as string };

  test('keeps the old document: found after a few tries, not taken for others', async () => {
    const { store, log } = watched({ [metadata]: '' }, () => ({ replace: async () => 'replaced' }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      ...found,
      code: 'write-lost',
      message: expect.stringMatching(
        /did not keep the write: it has the document from before.*Stored: a\/1\.0\.0\.tar\.gz\. Not stored: a\/versions\.json\.$/,
      ) as string,
    });
    expect(log.length).toBeLessThan(10);
  });

  test('refuses each write as if the document had changed, and it did not', async () => {
    const { store, log } = watched({ [metadata]: '' }, () => ({ replace: async () => 'changed' }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({ ...found, code: 'store-stale' });
    expect(log.length).toBeLessThan(20);
  });

  test.each([
    ['something else', Buffer.from([0xff, 0xfe])],
    ['nothing', null],
  ])('keeps %s', async (_, kept) => {
    let isWritten = false;
    const { store } = watched({ [metadata]: '' }, (inner) => ({
      async replace() {
        isWritten = true;
        return 'replaced';
      },
      async read(path) {
        if (!isWritten || path !== metadata) return inner.read(path);
        return kept && { bytes: kept, token: 'other' };
      },
    }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({
      ...found,
      code: 'write-lost',
    });
  });

  test('says that a file exists, and does not have it', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({ create: async () => 'exists' }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      code: 'store-stale',
      message: expect.stringContaining('a/1.0.0.tar.gz exists') as string,
    });
  });
});

describe('what holds after a failure is said', () => {
  test('of the file that was read back, and of the rest', async () => {
    const { store, log, text } = watched({ [metadata]: '' });
    await expect(applyPlan(plan, store, { readBack: notServed })).rejects.toMatchObject({
      code: 'read-back-missing',
      exit: 1,
      message: 'It is not served yet. Stored: a/1.0.0.tar.gz. Not stored: a/versions.json.',
      hint: 'Wait for the host. Then run the same command again to finish.',
    });
    expect(log).toEqual(['created a/1.0.0.tar.gz']);
    expect(text(metadata)).toBe('');
    // And the next run does finish.
    expect(outcomes(await applyPlan(plan, store))).toEqual([
      'a/1.0.0.tar.gz: already-there',
      'a/versions.json: edited',
    ]);
  });

  test('when the first step fails', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({ create: full }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      message: 'Cannot write it: the disk is full. Nothing was changed.',
      hint: 'Free some space.',
    });
  });

  test('when a later one fails', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({ replace: full }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      message: 'Cannot write it: the disk is full. Stored: a/1.0.0.tar.gz. Not stored: a/versions.json.',
    });
  });

  test('and nothing more than is known: who does not say that nothing was changed is not made to', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({
      replace() {
        throw new AppregError('git-unreachable', 'The host hung up.', 'Look at it.');
      },
    }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({
      message: 'The host hung up. Not stored: a/versions.json.',
    });
    const unclear = watched({ [metadata]: '' }, () => ({
      create() {
        throw new AppregError('git-unreachable', 'It hung up.', 'Look at it.', { effect: 'unknown' });
      },
    }));
    await expect(applyPlan(plan, unclear.store)).rejects.toMatchObject({
      message: 'It hung up. Not stored: a/versions.json. Whether it was stored is not known: a/1.0.0.tar.gz.',
      written: { stored: [], notStored: ['a/versions.json'], unknown: ['a/1.0.0.tar.gz'] },
    });
  });

  test('a defect keeps its stack', async () => {
    const defect = new TypeError('ours');
    const { store } = watched({}, () => ({
      create() {
        throw defect;
      },
    }));
    await expect(applyPlan({ steps: [artifact] }, store)).rejects.toBe(defect);
  });
});

/** A store that writes several files at once, and says in which order it was asked. */
function together(
  files: Record<string, string | Uint8Array>,
  before: (inner: Store) => Promise<void> = async () => {},
): { store: BatchStore; log: string[]; text(path: string): string | undefined } {
  const { store, log, text } = watched(files);
  const memory = { ...store };
  const read = async (paths: readonly string[]): Promise<Map<string, Stored>> => {
    const found = await Promise.all(paths.map(async (path) => [path, await memory.read(path)] as const));
    return new Map(found.flatMap(([path, stored]) => (stored ? [[path, stored]] : [])));
  };
  const write = async (writes: readonly Write[]): Promise<'written' | 'changed'> => {
    await before(memory);
    const there = await read(writes.map(({ path }) => path));
    const ok = writes.every(({ path, token }) => (there.get(path)?.token ?? null) === token);
    log.push(`${ok ? 'written' : 'changed'} ${writes.map(({ path }) => path).join(' ')}`);
    if (!ok) return 'changed';
    for (const { path, bytes, token } of writes)
      await (token === null ? memory.create(path, bytes) : memory.replace(path, bytes as Uint8Array, token));
    return 'written';
  };
  return { store: { ...store, batch: { read, write } }, log, text };
}
/** The writes of several files. */
const one = (log: readonly string[]): string[] => log.filter((line) => /^(written|changed) .* /.test(line));

describe('where the store writes several files at once', () => {
  const created: Step = { ...artifact, path: metadata, bytes: Buffer.from('0\n') };
  const icon: Step = { kind: 'replace', path: 'a/icon.svg', bytes: Buffer.from('new'), what: 'the icon' };

  test('the whole plan is one write, each step with its outcome', async () => {
    const { store, log, text } = together({ 'a/icon.svg': 'old', 'b.json': 'b\n' });
    const b: Step = { ...adding('x'), path: 'b.json' };
    const steps: Step[] = [artifact, created, adding('1'), adding('1'), icon, b, { ...b, edit: () => null }];
    const told: string[] = [];
    const results = await applyPlan({ steps }, store, { onStep: ({ outcome }) => void told.push(outcome) });
    expect(told).toEqual(['created', 'created', 'edited', 'unchanged', 'edited', 'edited', 'unchanged']);
    expect(results.map(({ outcome }) => outcome)).toEqual(told);
    expect(one(log)).toEqual(['written a/1.0.0.tar.gz a/versions.json a/icon.svg b.json']);
    expect([text(metadata), text('a/icon.svg'), text('b.json')]).toEqual(['0\n1\n', 'new', 'b\nx\n']);
    log.length = 0;
    expect(outcomes(await applyPlan({ steps: [artifact, icon] }, store)).map((line) => line.split(': ')[1])).toEqual([
      'already-there',
      'unchanged',
    ]);
    expect(log).toEqual([]);
  });

  test('but not where a file is read back before the next', async () => {
    const { store, log } = together({ [metadata]: '' });
    await applyPlan(plan, store, { readBack: async () => void log.push('read back') });
    expect(log).toEqual(['created a/1.0.0.tar.gz', 'read back', 'replaced a/versions.json']);
  });

  test('others who were faster: it is made anew on what they wrote', async () => {
    let rivals = 3;
    const { store, log, text } = together({ [metadata]: '' }, async (inner) => {
      const now = (await inner.read(metadata))!;
      if (rivals-- > 0)
        await inner.replace(metadata, Buffer.concat([now.bytes, Buffer.from(`rival ${rivals}\n`)]), now.token);
    });
    await applyPlan(plan, store);
    expect(text(metadata)).toBe('rival 2\nrival 1\nrival 0\n1.0.0\n');
    expect(one(log).map((line) => line.split(' ')[0])).toEqual(['changed', 'changed', 'changed', 'written']);
  });

  test.each<[string, Store, Partial<AppregError>]>([
    [
      'other bytes',
      together({ [metadata]: '', [artifact.path]: 'others' }).store,
      { code: 'immutable', exit: 1, message: expect.stringMatching(/Nothing was changed\.$/) as string },
    ],
    ['no document', together({}).store, { message: 'a/versions.json is not there. Nothing was changed.' }],
    [
      'always faster others',
      together({ [metadata]: '' }, async (inner) => {
        const now = (await inner.read(metadata))!;
        await inner.replace(metadata, Buffer.concat([now.bytes, Buffer.from('x\n')]), now.token);
      }).store,
      { code: 'write-conflict', message: expect.stringMatching(/Nothing was changed\.$/) as string },
    ],
    [
      'a host that refuses',
      together({ [metadata]: '' }, full).store,
      { message: 'Cannot write it: the disk is full. Nothing was changed.' },
    ],
    [
      'a host that breaks off',
      together({ [metadata]: '' }, () => {
        throw new AppregError('git-unreachable', 'It broke off.', 'Run it again.', { effect: 'unknown' });
      }).store,
      {
        message: 'It broke off. Whether it was stored is not known: a/1.0.0.tar.gz, a/versions.json.',
        hint: 'Run it again.',
      },
    ],
  ])('%s: what holds is said', async (_, store, trouble) => {
    await expect(applyPlan(plan, store)).rejects.toMatchObject(trouble);
  });

  test('and the edit is refused on what they wrote: nothing was changed', async () => {
    const { store, text } = together({ [metadata]: '' }, async (inner) => {
      const now = (await inner.read(metadata))!;
      await inner.replace(metadata, Buffer.from('taken\n'), now.token);
    });
    await expect(applyPlan({ steps: [artifact, refusing] }, store)).rejects.toMatchObject({
      message: 'Published meanwhile. Nothing was changed.',
    });
    expect(text(artifact.path)).toBeUndefined();
  });
});

test('a plan in words: a line for each step, with nothing in it that moves the cursor', () => {
  const odd: Step = { ...adding('2.0.0'), path: 'a\u001b[2J.json' };
  expect(describePlan({ steps: [{ ...artifact, bytes: new Uint8Array(12_345) }, odd] })).toBe(
    'create a/1.0.0.tar.gz  (the artifact of a 1.0.0, 12,345 bytes)\nedit   a\\u{1b}[2J.json  (the version 2.0.0)',
  );
});

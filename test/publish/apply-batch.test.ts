import { message } from '../../src/core/text/message.ts';
import { describe, expect, test, vi } from 'vitest';
import { AppregError } from '../../src/core/errors/error.ts';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import type { Step } from '../../src/publish/plan.ts';
import type { BatchStore, Store, Stored, Write } from '../../src/store/store.ts';
import { artifact, metadata, adding, editing, plan, outcomes, watched, full, refusing } from './plan-fixture.ts';

/** Plans in a store that writes several files at once. */

// Retries do not wait in these tests.
vi.mock('node:timers/promises', () => ({ setTimeout: () => new Promise(setImmediate) }));

/** A store that writes several files at once, and records the order of the writes. */
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

describe('a plan in a store that writes several files at once', () => {
  const created: Step = { ...artifact, path: metadata, bytes: Buffer.from('0\n') };
  const icon: Step = { kind: 'replace', path: 'a/icon.svg', bytes: Buffer.from('new'), what: 'the icon' };

  test('is one write, and reports the outcome of each step', async () => {
    const { store, log, text } = together({ 'a/icon.svg': 'old', 'b.json': 'b\n' });
    const b = adding('x', 'b.json');
    const nothing = editing((text) => (text === '' ? 'x' : null), { path: 'b.json' });
    const steps: Step[] = [artifact, created, adding('1'), adding('1'), icon, b, nothing];
    const reported: string[] = [];
    const results = await applyPlan({ steps }, store, { onStep: ({ outcome }) => void reported.push(outcome) });
    expect(reported).toEqual(['created', 'created', 'edited', 'unchanged', 'edited', 'edited', 'unchanged']);
    expect(results.map(({ outcome }) => outcome)).toEqual(reported);
    expect(one(log)).toEqual(['written a/1.0.0.tar.gz a/versions.json a/icon.svg b.json']);
    expect([text(metadata), text('a/icon.svg'), text('b.json')]).toEqual(['0\n1\n', 'new', 'b\nx\n']);
    log.length = 0;
    expect(outcomes(await applyPlan({ steps: [artifact, icon] }, store)).map((line) => line.split(': ')[1])).toEqual([
      'already-there',
      'unchanged',
    ]);
    expect(log).toEqual([]);
  });

  test('is not one write if a file is read back before the next step', async () => {
    const { store, log } = together({ [metadata]: '' });
    await applyPlan(plan, store, { readBack: async () => void log.push('read back') });
    expect(log).toEqual(['created a/1.0.0.tar.gz', 'read back', 'replaced a/versions.json']);
  });

  test('is computed again after concurrent writes', async () => {
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

  test.each<{ name: string; store: Store; expected: Partial<Record<keyof AppregError, unknown>> }>([
    {
      name: 'existing files with other bytes',
      store: together({ [metadata]: '', [artifact.path]: 'others' }).store,
      expected: { code: 'immutable', exit: 1, message: expect.stringMatching(/Nothing was changed\.$/) as string },
    },
    {
      name: 'a missing document',
      store: together({}).store,
      expected: { message: 'a/versions.json does not exist. Nothing was changed.' },
    },
    {
      name: 'concurrent writes after every attempt',
      store: together({ [metadata]: '' }, async (inner) => {
        const now = (await inner.read(metadata))!;
        await inner.replace(metadata, Buffer.concat([now.bytes, Buffer.from('x\n')]), now.token);
      }).store,
      expected: { code: 'write-conflict', message: expect.stringMatching(/Nothing was changed\.$/) as string },
    },
    {
      name: 'a full disk',
      store: together({ [metadata]: '' }, full).store,
      expected: { message: 'Cannot write it: the disk is full. Nothing was changed.' },
    },
    {
      name: 'an interrupted connection',
      store: together({ [metadata]: '' }, () => {
        throw new AppregError('git-unreachable', message`It broke off.`, message`Run it again.`, { effect: 'unknown' });
      }).store,
      expected: {
        message: 'It broke off. It is unknown whether this was stored: a/1.0.0.tar.gz, a/versions.json.',
        hint: 'Run it again.',
      },
    },
  ])('that fails because of $name reports what is stored', async ({ store, expected }) => {
    await expect(applyPlan(plan, store)).rejects.toMatchObject(expected);
  });

  test('changes nothing if an edit is refused after a concurrent write', async () => {
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

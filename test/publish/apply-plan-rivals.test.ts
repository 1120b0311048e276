import { describe, expect, test, vi } from 'vitest';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import type { Store } from '../../src/store/store.ts';
import { artifact, metadata, adding, plan, outcomes, watched, refusing } from './plan-fixture.ts';

/** Plans with concurrent writers, and in stores that do not store what they received. */

// Retries do not wait in these tests.
vi.mock('node:timers/promises', () => ({ setTimeout: () => new Promise(setImmediate) }));

/** Another writer that creates the file with `content` just before. */
const faster =
  (content: string) =>
  (inner: Store): Partial<Store> => ({
    async create(path, bytes) {
      await inner.create(path, Buffer.from(content));
      return inner.create(path, bytes);
    },
  });

describe('with concurrent writers', () => {
  test('an edit is computed again on their text', async () => {
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

  test('forty concurrent plans are all applied', async () => {
    const { store, text } = watched({ [metadata]: '' });
    const versions = Array.from({ length: 40 }, (_, i) => `1.${i}.0`);
    await Promise.all(versions.map((version) => applyPlan({ steps: [adding(version)] }, store)));
    expect(text(metadata)!.trim().split('\n').sort()).toEqual(versions.sort());
  });

  test('a file with the same bytes counts as stored, and one with other bytes is refused', async () => {
    expect(outcomes(await applyPlan({ steps: [artifact] }, watched({}, faster('bytes')).store))).toEqual([
      'a/1.0.0.tar.gz: already-there',
    ]);
    await expect(applyPlan(plan, watched({ [metadata]: '' }, faster('others')).store)).rejects.toMatchObject({
      code: 'immutable',
      exit: 1,
    });
  });

  test('an edit that is refused on their text reports that the artifact is stored', async () => {
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

  test('an edit with a conflict on every attempt is given up', async () => {
    const { store } = watched({ [metadata]: '' }, (inner) => ({
      async replace(path) {
        const now = (await inner.read(path))!;
        await inner.replace(path, Buffer.concat([now.bytes, Buffer.from('rival\n')]), now.token);
        return 'changed';
      },
    }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({ code: 'write-conflict', exit: 2 });
  });

  test('an edit that the store lost without a conflict is made again', async () => {
    let lost = 2;
    const { store, text } = watched({ [metadata]: '' }, (inner) => ({
      async replace(path, bytes, token) {
        if (lost-- <= 0) return inner.replace(path, bytes, token);
        // A concurrent edit, computed before ours and written after it.
        await inner.replace(path, Buffer.from(`rival ${lost}\n`), token);
        return 'replaced';
      },
    }));
    expect(outcomes(await applyPlan({ steps: [adding('ours')] }, store))).toEqual(['a/versions.json: edited']);
    expect(text(metadata)).toBe('rival 0\nours\n');
  });

  test('an edit that is followed by theirs is not made twice', async () => {
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

describe('a store with incorrect responses is reported', () => {
  const found = { exit: 2, message: expect.stringContaining('a/versions.json') as string };

  test('if it keeps the previous document, after fewer than ten writes', async () => {
    const { store, log } = watched({ [metadata]: '' }, () => ({ replace: async () => 'replaced' }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      ...found,
      code: 'write-lost',
      message: expect.stringMatching(
        /did not keep the write: it still has the previous document, \d+ times in a row\..*Stored: a\/1\.0\.0\.tar\.gz\. Not stored: a\/versions\.json\.$/,
      ) as string,
    });
    expect(log.length).toBeLessThan(10);
  });

  test('if it refuses each write although the document did not change', async () => {
    const { store, log } = watched({ [metadata]: '' }, () => ({ replace: async () => 'changed' }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({ ...found, code: 'store-stale' });
    expect(log.length).toBeLessThan(20);
  });

  test.each([
    ['different bytes', Buffer.from([0xff, 0xfe])],
    ['no file', null],
  ])('if it contains %s after the write', async (_, stored) => {
    let isWritten = false;
    const { store } = watched({ [metadata]: '' }, (inner) => ({
      async replace() {
        isWritten = true;
        return 'replaced';
      },
      async read(path) {
        if (!isWritten || path !== metadata) return inner.read(path);
        return stored && { bytes: stored, token: 'other' };
      },
    }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({
      ...found,
      code: 'write-lost',
    });
  });

  test('if it states that a file exists and does not return it', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({ create: async () => 'exists' }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      code: 'store-stale',
      message: expect.stringContaining('a/1.0.0.tar.gz exists') as string,
    });
  });
});

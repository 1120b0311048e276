import { message } from '../../src/core/text/message.ts';
import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { AppregError } from '../../src/core/errors/error.ts';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import { describePlan, type Step } from '../../src/publish/plan.ts';
import { artifact, metadata, adding, editing, plan, outcomes, watched, full } from './plan-fixture.ts';

/** Applying a plan, step by step. */

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

async function notServed(): Promise<void> {
  throw new AppregError('read-back-missing', message`It is not served yet.`, message`Wait for the host.`);
}

// Retries do not wait in these tests.
vi.mock('node:timers/promises', () => ({ setTimeout: () => new Promise(setImmediate) }));

describe('a plan', () => {
  test('is applied in its order, and each step is reported once it is done', async () => {
    const { store, log, text } = watched({ [metadata]: '' });
    const results = await applyPlan(plan, store, {
      onStep: ({ step, outcome }) => log.push(`reported ${outcome} ${step.path}`),
      readBack: async ({ version }) => void log.push(`read back ${version}`),
    });
    expect(log).toEqual([
      'created a/1.0.0.tar.gz',
      'reported created a/1.0.0.tar.gz',
      'read back 1.0.0',
      'replaced a/versions.json',
      'reported edited a/versions.json',
    ]);
    expect(outcomes(results)).toEqual(['a/1.0.0.tar.gz: created', 'a/versions.json: edited']);
    expect(text(metadata)).toBe('1.0.0\n');
  });

  test('that is applied again writes nothing and reads nothing back', async () => {
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

  test('with an artifact from an earlier run reads it back before it is listed', async () => {
    const { store, log } = watched({ [metadata]: '', [artifact.path]: 'bytes' });
    const readBack = async (): Promise<void> => void log.push('read back');
    expect(outcomes(await applyPlan(plan, store, { readBack }))).toEqual([
      'a/1.0.0.tar.gz: already-there',
      'a/versions.json: edited',
    ]);
    expect(log).toEqual(['read back', 'replaced a/versions.json']);
  });

  test('can create a document and edit it twice', async () => {
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

  test('without steps does nothing', async () => {
    expect(await applyPlan({ steps: [] }, watched({}).store)).toEqual([]);
  });

  test('preserves a byte order mark and line endings', async () => {
    const { store, text } = watched({ [metadata]: '\ufeffa\r\nb\r\n' });
    await applyPlan({ steps: [adding('c')] }, store);
    expect(text(metadata)).toBe('\ufeffa\r\nb\r\nc\n');
  });

  test('applies an edit once, even if the edit would always change the text', async () => {
    const { store, text } = watched({ [metadata]: '' });
    await applyPlan({ steps: [editing((text) => `${text}x`)] }, store);
    expect(text(metadata)).toBe('x');
  });

  test('does not write an edit that results in the same text', async () => {
    const { store, log } = watched({ [metadata]: 'x' });
    expect(outcomes(await applyPlan({ steps: [editing((text) => text || 'y')] }, store))).toEqual([
      'a/versions.json: unchanged',
    ]);
    expect(log).toEqual([]);
  });
});

describe('before anything is written, a plan refuses', () => {
  test.each<{
    name: string;
    files: Record<string, string | Uint8Array>;
    steps: Step[];
    expected: Partial<Record<keyof AppregError, unknown>>;
  }>([
    {
      name: 'other bytes under a published name, with both digests',
      files: { [metadata]: '', [artifact.path]: 'others' },
      steps: [adding('1'), artifact],
      expected: {
        code: 'immutable',
        exit: 1,
        message: `a/1.0.0.tar.gz already exists with different bytes: its checksum is ${sha('others')} (6 bytes), yours is ${sha('bytes')} (5 bytes). Nothing was changed.`,
      },
    },
    {
      name: 'a document that is not UTF-8',
      files: { [metadata]: Buffer.of(0x7b, 0xff, 0x7d) },
      steps: [artifact, adding('1')],
      expected: { code: 'not-utf8', exit: 2 },
    },
    {
      name: 'a missing document',
      files: {},
      steps: [artifact, adding('1')],
      expected: { code: 'document-missing', exit: 2, message: 'a/versions.json does not exist. Nothing was changed.' },
    },
    {
      name: 'a document that its edit refuses',
      files: { [metadata]: 'another' },
      steps: [
        artifact,
        editing((text) => {
          if (text === '') return 'ours';
          throw new AppregError('immutable', message`No.`, message`Another version.`);
        }),
      ],
      expected: { code: 'immutable', exit: 1, message: 'No. Nothing was changed.', hint: 'Another version.' },
    },
  ])('$name', async ({ files, steps, expected }) => {
    const { store, log } = watched(files);
    await expect(applyPlan({ steps }, store)).rejects.toMatchObject({
      message: expect.stringMatching(/Nothing was changed\.$/),
      ...expected,
    });
    expect(log).toEqual([]);
  });
});

describe('a failed plan', () => {
  test('reports the file that was read back as stored, and the others as not stored', async () => {
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

  test.each([
    {
      hint: message`Publish it again as 2.0.0.`,
      advisesRepeat: false,
      end: ' Then run the same command again to finish.',
    },
    {
      hint: message`Check the permissions. Its folder is /srv/apps`,
      advisesRepeat: false,
      end: '; then run the same command again to finish.',
    },
    { hint: message`Wait, then run the same command again.`, advisesRepeat: true, end: '' },
  ])('advises to run the command again once: $hint', async ({ hint, advisesRepeat, end }) => {
    const { store } = watched({ [metadata]: '' }, () => ({
      replace: () =>
        Promise.reject(new AppregError('write-conflict', message`No.`, hint, { effect: 'none', advisesRepeat })),
    }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({ hint: `${hint}${end}`, advisesRepeat: true });
  });

  test('reports that nothing was changed if the first step fails', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({ create: full }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      message: 'Cannot write it: the disk is full. Nothing was changed.',
      hint: 'Free some space.',
    });
  });

  test('reports what is stored if a later step fails', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({ replace: full }));
    await expect(applyPlan(plan, store)).rejects.toMatchObject({
      message: 'Cannot write it: the disk is full. Stored: a/1.0.0.tar.gz. Not stored: a/versions.json.',
    });
  });

  test('does not report that nothing was changed if that is unknown', async () => {
    const { store } = watched({ [metadata]: '' }, () => ({
      replace() {
        throw new AppregError('git-unreachable', message`The host hung up.`, message`Look at it.`);
      },
    }));
    await expect(applyPlan({ steps: [adding('1')] }, store)).rejects.toMatchObject({
      message: 'The host hung up. Not stored: a/versions.json.',
    });
    const unclear = watched({ [metadata]: '' }, () => ({
      create() {
        throw new AppregError('git-unreachable', message`It hung up.`, message`Look at it.`, { effect: 'unknown' });
      },
    }));
    await expect(applyPlan(plan, unclear.store)).rejects.toMatchObject({
      message: 'It hung up. Not stored: a/versions.json. It is unknown whether this was stored: a/1.0.0.tar.gz.',
      written: { stored: [], notStored: ['a/versions.json'], unknown: ['a/1.0.0.tar.gz'] },
    });
  });

  test('passes on an unexpected error with its stack', async () => {
    const defect = new TypeError('ours');
    const { store } = watched({}, () => ({
      create() {
        throw defect;
      },
    }));
    await expect(applyPlan({ steps: [artifact] }, store)).rejects.toBe(defect);
  });
});

test('a plan is printed with one line for each step, with control characters escaped', () => {
  const unsafeStep = adding('2.0.0', 'a\u001b[2J.json');
  expect(describePlan({ steps: [{ ...artifact, bytes: new Uint8Array(12_345) }, unsafeStep] })).toBe(
    'create a/1.0.0.tar.gz  (the artifact of a 1.0.0, 12,345 bytes)\nedit   a\\u{1b}[2J.json  (the version 2.0.0)',
  );
});

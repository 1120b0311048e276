// Scenario: publishers are killed at every write.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDirectory } from '../../src/store/directory/directory.ts';
import { randomNumbers } from '../support/random.ts';
import { artifacts, verifiedVersions, buildPublisher, seed, start } from './processes.ts';
import { artifactBytes, artifactPath, type Job, publish } from './publisher.ts';
import { leftovers, scratch } from './scratch.ts';

/** Publishers that are killed: the registry stays complete, and the next run completes. APPREG_STORM=10 runs ten times as many rounds. */

const STORM = Number(process.env['APPREG_STORM'] ?? 1);
const BYTES = 100_000;
let publisher: string;
beforeAll(async () => {
  publisher = await buildPublisher(scratch());
});

/** Publishes in this process, as the run after one that was killed. @returns the printed lines */
async function published(job: Job): Promise<string[]> {
  const lines: string[] = [];
  await publish(job, (line) => void lines.push(line));
  return lines;
}

async function seeded(versions: string[]): Promise<string> {
  const root = scratch();
  seed(root);
  await published({ root, versions, bytes: BYTES });
  return root;
}

describe.skipIf(process.platform === 'win32')('a publisher that is killed', () => {
  // [what is written then, the step, whether the new state is in place, what may be left behind]
  const steps: { phase: 'artifact' | 'metadata'; failpoint: string; placed: boolean }[] = [
    { phase: 'artifact', failpoint: 'temp-created', placed: false },
    { phase: 'artifact', failpoint: 'half-written', placed: false },
    { phase: 'artifact', failpoint: 'before-sync', placed: false },
    { phase: 'artifact', failpoint: 'before-link', placed: false },
    { phase: 'artifact', failpoint: 'after-link', placed: true },
    { phase: 'metadata', failpoint: 'lock-prepared', placed: false },
    { phase: 'metadata', failpoint: 'locked', placed: false },
    { phase: 'metadata', failpoint: 'temp-created', placed: false },
    { phase: 'metadata', failpoint: 'half-written', placed: false },
    { phase: 'metadata', failpoint: 'before-sync', placed: false },
    { phase: 'metadata', failpoint: 'before-rename', placed: false },
    { phase: 'metadata', failpoint: 'after-rename', placed: true },
    { phase: 'metadata', failpoint: 'before-unlock', placed: true },
  ];

  test.concurrent.each(steps)(
    'while it writes the $phase, at $failpoint, leaves a complete registry, and the next run completes',
    async ({ phase, failpoint, placed }) => {
      const root = await seeded(['1.0.0']);
      const job = { root, versions: ['1.1.0'], bytes: BYTES };
      if (phase === 'metadata') await openDirectory(root).create(artifactPath('1.1.0'), artifactBytes('1.1.0', BYTES));

      const killed = await start(publisher, job, { failpoint }).ended;
      expect(killed).toMatchObject({ signal: 'SIGKILL' });
      expect(verifiedVersions(root, BYTES)).toEqual(phase === 'metadata' && placed ? ['1.0.0', '1.1.0'] : ['1.0.0']);
      expect(artifacts(root).includes('1.1.0.tar.gz')).toBe(phase === 'metadata' || placed);
      // Otherwise this test would show nothing about the next run.
      expect(leftovers(root)).not.toEqual([]);

      expect((await published(job)).join('\n')).toContain('published 1.1.0');
      expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0', '1.1.0']);
      // Files that the second run did not touch are removed by the next write.
      await published({ root, versions: ['1.2.0'], bytes: BYTES });
      expect(leftovers(root)).toEqual([]);
    },
  );
});

describe.skipIf(process.platform === 'win32')('a publisher that is interrupted', () => {
  test.concurrent.each([
    { phase: 'artifact', failpoint: 'half-written', signal: 'SIGINT' },
    { phase: 'artifact', failpoint: 'before-sync', signal: 'SIGTERM' },
    { phase: 'metadata', failpoint: 'half-written', signal: 'SIGINT' },
    { phase: 'metadata', failpoint: 'locked', signal: 'SIGTERM' },
    { phase: 'metadata', failpoint: 'before-sync', signal: 'SIGHUP' },
  ] as const)(
    'while it writes the $phase, at $failpoint, by $signal leaves no files',
    async ({ phase, failpoint, signal }) => {
      const root = await seeded(['1.0.0']);
      if (phase === 'metadata') await openDirectory(root).create(artifactPath('1.1.0'), artifactBytes('1.1.0', BYTES));
      const ended = await start(
        publisher,
        { root, versions: ['1.1.0'], bytes: BYTES },
        { failpoint: `${failpoint}:${signal}` },
      ).ended;
      expect(ended).toMatchObject({ code: null, signal });
      expect(leftovers(root)).toEqual([]);
      expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0']);
      expect(existsSync(join(root, artifactPath('1.1.0')))).toBe(phase === 'metadata');
    },
  );

  test.concurrent('after the rename completes the write before it ends', async () => {
    const root = await seeded([]);
    const ended = await start(
      publisher,
      { root, versions: ['1.0.0', '1.1.0'], bytes: BYTES },
      { failpoint: 'after-rename:SIGINT' },
    ).ended;
    expect(ended).toMatchObject({ code: null, signal: 'SIGINT' });
    expect(leftovers(root)).toEqual([]);
    expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0']);
  });
});

describe('a publisher that is killed at random moments', () => {
  test(
    `${40 * STORM} times leaves a complete registry each time, and all versions are published in the end`,
    { timeout: 60_000 * STORM },
    async () => {
      const chance = randomNumbers();
      const rounds = 40 * STORM;
      const root = await seeded([]);
      const bytes = 400_000;
      const versions = Array.from({ length: 30 }, (_, i) => `1.${i}.0`);
      let before: string[] = [];
      for (let round = 0; round < rounds; round++) {
        // In a complete registry, there would be no write to interrupt.
        if (before.length === versions.length)
          versions.push(...versions.map((version) => version.replace('.0', `.${round}`)));
        const { child, ready, ended } = start(publisher, { root, versions, bytes });
        await ready;
        await new Promise((resolve) => setTimeout(resolve, chance() * 50));
        child.kill('SIGKILL');
        await ended;
        const now = verifiedVersions(root, bytes);
        expect(now.slice(0, before.length)).toEqual(before);
        before = now;
      }
      expect((await start(publisher, { root, versions, bytes }).ended).code).toBe(0);
      expect(verifiedVersions(root, bytes)).toEqual(versions);
    },
  );
});

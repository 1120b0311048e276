// Scenario: releases are interrupted at each write.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Kind } from '../support/arena.ts';
import { write } from '../support/folders.ts';
import { noCeph, openPlaces, type Places } from '../support/places.ts';
import type { Storm } from '../support/storm.ts';

/** `appreg release` as a real process: killed at every step, and two at the same time. */

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
}, 120_000);
afterAll(() => places.close());

const KEYS = ['b', 'c', 'd'];
const RELEASE = ['release', '--jobs', '2', '--format', 'json'];
const ENV = { NODE_PATH: join(process.cwd(), 'node_modules') };

interface Repository {
  storm: Storm;
  steps: readonly string[];
  /** Writes the sources of all apps; `code` decides their bytes. */
  declare(version: string, code?: string): void;
  release(env?: Record<string, string>): ReturnType<Storm['run']>;
  /** The same, in the shared process. */
  releaseAgain(): ReturnType<Storm['run']>;
  /** Fails unless each app lists the version once, with its artifact. */
  expectListed(version: string): Promise<void>;
  lock(): Promise<string>;
  /** The lock file of the workspace; in a folder, that is the one of the store. */
  ownLock(): string;
}

const opened = new Map<Kind, Promise<Repository>>();

/** A registry with three apps, whose sources are in the workspace. */
function repositoryIn(kind: Kind): Promise<Repository> {
  const known = opened.get(kind) ?? make(kind);
  opened.set(kind, known);
  return known;
}

async function make(kind: Kind): Promise<Repository> {
  const { arena, storm } = await places.opened(kind);
  for (const key of KEYS) {
    const words = ['--name', key, '--description', 'An app.', '--icon', 'i.svg', '--color', '#112233'];
    expect(await storm.runShared(['add-app', key, ...words])).toMatchObject({ code: 0 });
  }
  const path = join(arena.root, 'appreg.config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  const release = [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }];
  writeFileSync(path, JSON.stringify({ ...config, release }));
  expect(await storm.runShared(['lock'])).toMatchObject({ code: 0 });
  return {
    storm,
    steps: arena.steps,
    declare(version, code = version) {
      for (const key of KEYS)
        write(arena.root, {
          [`src/${key}/main.ts`]: `export const app = '${key} ${code}';\n`,
          [`src/${key}/VERSION`]: `${version}\n`,
        });
    },
    release: (env) => storm.run(RELEASE, { ...ENV, ...env }),
    releaseAgain: () => storm.runShared(RELEASE),
    async expectListed(version) {
      const lines = (await storm.audit()).map((line) => line.split(' ').slice(0, 2).join(' '));
      for (const key of KEYS) expect(lines.filter((line) => line === `${key} ${version}`)).toHaveLength(1);
    },
    ownLock: () => readFileSync(join(arena.root, 'appreg.lock.json'), 'utf8'),
    lock: async () => String(await arena.get('appreg.lock.json')),
  };
}

const KILLED: [Kind, readonly string[] | null][] = [
  ['folder', null],
  ['git', null],
  ['bucket in memory', null],
  ['bucket of Ceph', ['after-send']],
];

describe.each(KILLED)('release to a %s', (kind, only) => {
  const skip = kind === 'bucket of Ceph' && noCeph.skip;

  test.skipIf(skip)('continues after it was killed at any step', { timeout: 240_000 }, async () => {
    const { storm, steps, declare, release, releaseAgain, expectListed, lock } = await repositoryIn(kind);
    for (const [index, step] of (only ?? steps).entries()) {
      const version = `1.${index}.0`;
      declare(version);
      const ended = await release({ APPREG_FAILPOINT: step });
      expect(ended.signal, `${step}: ${ended.stdout}${ended.stderr}`).toBe('SIGKILL');
      await storm.audit();
      const again = await releaseAgain();
      expect(again.code, `${step}: ${again.stdout}${again.stderr}`).toBe(0);
      await expectListed(version);
      const recorded = JSON.parse(await lock()) as { apps: Record<string, Record<string, { sources?: string }>> };
      for (const key of KEYS) expect(recorded.apps[key]?.[version]?.sources, `${step} ${key}`).toMatch(/^sha256:/);
    }
    const last = await releaseAgain();
    expect(JSON.parse(last.stdout)).toMatchObject({ summary: { unchanged: 3, new: 0, published: 0, failed: 0 } });
  });

  test.skipIf(skip)('succeeds twice at the same time', { timeout: 60_000 }, async () => {
    const { declare, release, expectListed, ownLock } = await repositoryIn(kind);
    declare('2.0.0');
    const both = await Promise.all([release(), release()]);
    for (const { code, stdout, stderr } of both) expect(code, stdout + stderr).toBe(0);
    await expectListed('2.0.0');
    expect(ownLock().split('"2.0.0":')).toHaveLength(KEYS.length + 1);
  });
});

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { buildInto } from './built.ts';
import { type Kind, openArena } from './arena.ts';
import { type Ceph, cephMissing, openCeph } from './ceph.ts';
import { openSharedProcess } from './shared-process.ts';
import { openStorm, publish, type Storm } from './storm.ts';

/** Places to publish to, with the program that does it; each is opened once, and serves several tests. */

interface Opened {
  arena: Awaited<ReturnType<typeof openArena>>;
  storm: Storm;
}

export interface Places {
  /** Of the built program; removed in the end. */
  folder: string;
  program: string;
  opened(kind: Kind): Promise<Opened>;
  /** Everything is served and stored as it should be again. */
  calm(): Promise<void>;
  close(): Promise<void>;
}

/** True where Ceph is to be left out, and why, for the names of tests. */
export const noCeph = { skip: cephMissing() !== null && !process.env['CI'], why: '' };
if (noCeph.skip) noCeph.why = ` (skipped: ${cephMissing()})`;

export async function openPlaces(): Promise<Places> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-storm-'));
  const program = join(folder, 'dist/node/main.cjs');
  await buildInto(folder, { failpoints: true });
  const shared = openSharedProcess(program);
  const places = new Map<Kind, Promise<Opened>>();
  let ceph: Promise<Ceph> | null = null;

  async function open(kind: Kind): Promise<Opened> {
    const server = kind === 'bucket of Ceph' ? await (ceph ??= openCeph()) : null;
    const arena = await openArena(kind, { ceph: server });
    return { arena, storm: await openStorm(program, arena, shared) };
  }

  return {
    folder,
    program,
    opened(kind) {
      const known = places.get(kind) ?? open(kind);
      places.set(kind, known);
      return known;
    },
    async calm() {
      for (const place of await Promise.allSettled(places.values())) {
        if (place.status === 'rejected') continue;
        const { arena } = place.value;
        arena.front = null;
        if (arena.objects) arena.objects.mishapOf = () => undefined;
        if (arena.host) arena.host.readOnly = null;
      }
    },
    async close() {
      shared.close();
      for (const place of await Promise.allSettled(places.values()))
        if (place.status === 'fulfilled') await place.value.arena.close();
      (await ceph)?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Finds the entries that are listed after some work and were not before: apps, and versions by their checksums. */
export async function addedEntries(storm: Storm, work: () => Promise<unknown>): Promise<string[]> {
  const before = new Set(await storm.audit());
  await work();
  const now = await storm.audit();
  return now.filter((line) => !before.has(line)).map((line) => line.replace(/^a [\d.]+ /, ''));
}

/** One more run, which has to succeed. */
export async function succeeds(storm: Storm, file: string): Promise<void> {
  expect(await storm.runShared(publish('minor', file))).toMatchObject({ code: 0 });
}

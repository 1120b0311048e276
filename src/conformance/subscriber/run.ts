import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SubscriberCase } from '../case.ts';
import { observeAll } from '../observe.ts';
import type { Observation } from '../result.ts';
import { folderOf } from '../sets.ts';
import { openAdapterDriver } from './adapter-driver.ts';
import { openAuthority } from './authority.ts';
import type { ServedFile } from './case.ts';
import { openCommandDriver } from './command-driver.ts';
import type { Driver } from './driver.ts';
import { type Ability, type OnDetails, runCase } from './run-case.ts';

/** Runs the cases of subscribers, each with hosts and a state of its own. */

/** The implementation: a program, or the URL of an adapter. */
export type Implementation = { command: readonly string[] } | { adapter: string };

export interface SubscriberRun {
  /** The number of the set. */
  set: number;
  implementation: Implementation;
  /** The folder in which a program runs, and its environment. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** What the implementation is unable to do. */
  without: readonly Ability[];
  /** Milliseconds per verb. */
  timeout: number;
  /** Cases at once. */
  concurrency: number;
  /** The certificate authority of the hosts (PEM); null for one of this run alone. */
  authority: { key: string; cert: string } | null;
  now: Date;
  /** Default: what the implementation writes is ignored. */
  onDetails?: OnDetails;
}

/** @throws Error for a fault of the environment that affects all cases */
export async function runSubscriberCases(
  cases: readonly SubscriberCase[],
  { set, implementation, cwd, env, without, timeout, concurrency, authority, now, onDetails }: SubscriberRun,
): Promise<Observation[]> {
  const folder = await mkdtemp(join(tmpdir(), 'appreg-conformance-'));
  try {
    const opened = await openAuthority(now, authority);
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, opened.ca);
    const driver: Driver =
      'command' in implementation
        ? openCommandDriver({ words: implementation.command, cwd, env, timeout, stateFolder: folder })
        : openAdapterDriver(implementation.adapter, timeout);
    const setup = {
      driver,
      authority: opened,
      caFile,
      files: await filesOf(set),
      without,
      now,
      onDetails: onDetails ?? (() => {}),
    };
    return await observeAll(cases, concurrency, (one) => runCase(one, setup));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files that every case of a set begins with. */
export async function filesOf(set: number): Promise<Record<string, ServedFile>> {
  const text = await readFile(`${folderOf(set, 'subscriber')}-files.json`, 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of the package
  return JSON.parse(text) as Record<string, ServedFile>;
}

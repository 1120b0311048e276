import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SubscriberCase } from '../src/case/case.ts';
import { expectedFailures } from '../src/expected.ts';
import { type ConformanceReport, reportOf } from '../src/result.ts';
import { casesOf } from '../src/sets.ts';
import { runSubscriberCases, type SubscriberRun } from '../src/subscriber/run.ts';

/** Runs of the cases for subscribers, as the command line makes them. */

export const root = join(import.meta.dirname, '../..');

export const CASES = casesOf(1, 'subscriber');

const DEFAULTS: Omit<SubscriberRun, 'implementation'> = {
  set: 1,
  cwd: root,
  env: process.env,
  without: [],
  timeout: 60_000,
  concurrency: 6,
  authority: null,
  now: new Date(),
};

/** @param expected the text of a file of --expected */
export async function subscriberReport(
  options: Pick<SubscriberRun, 'implementation'> & Partial<SubscriberRun>,
  { cases = CASES, expected = '[]' }: { cases?: readonly SubscriberCase[]; expected?: string } = {},
): Promise<ConformanceReport> {
  const observations = await runSubscriberCases(cases, { ...DEFAULTS, ...options });
  return reportOf(cases, observations, {
    role: 'subscriber',
    set: 1,
    implementation: null,
    expected: expectedFailures(expected, 'expected-failures.json', CASES),
  });
}

/** The cases with these statuses, one line each. */
export function linesOf({ cases }: ConformanceReport, ...statuses: string[]): string[] {
  return cases
    .filter(({ status }) => statuses.includes(status))
    .map(({ id, status, message }) => `${status} ${id}: ${message ?? ''}`);
}

/** Starts a program that prints its URL first. */
export async function startAdapter(
  command: string,
  args: readonly string[],
): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(command, args, { cwd: join(root, 'examples'), stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: printed.toString().trim(), child };
}

/** The case with this id. */
export function caseOf(id: string): SubscriberCase {
  const found = CASES.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
}

/** True if programs are installed. */
export function hasPrograms(...programs: string[]): boolean {
  return programs.every((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined);
}

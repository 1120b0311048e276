import {
  type Count,
  isAppregError,
  message,
  type NotBlank,
  type PositiveInteger,
  recordFrom,
  safe,
  type SafeText,
  VERSION,
} from 'appreg';
import { type AnyCase, type CaseId, type Level, LEVELS, type Role, type Section } from './case/case.ts';
import { HOST_SETTINGS } from './case/host-settings.ts';

/** The results of a run, and what follows from them. Pure: the same observations give the same results. */

/**
 * `expected-failure`: the case fails, and the file of --expected says why. `stale-expected-failure`: such a case
 * passes. `harness-error`: the kit itself failed. `not-run`: what the case needs is missing. `reported`: the
 * specification is silent, so the behavior is not judged.
 */
export const STATUSES = [
  'pass',
  'fail',
  'expected-failure',
  'stale-expected-failure',
  'harness-error',
  'not-run',
  'reported',
] as const;
export type Status = (typeof STATUSES)[number];

/** Observation of a role in one case. */
export interface Observation {
  id: string;
  verdict: 'pass' | 'fail' | 'harness-error' | 'not-run';
  /** The fault, or the reason why the case could not be judged; null for a case that passes. */
  message: SafeText | null;
  /** The behavior of the implementation, in one line; null if nothing is known of it. */
  observed: SafeText | null;
}

export interface CaseResult {
  id: CaseId;
  level: Level;
  spec: Section;
  /** The sentence of the specification that a required case rests on. */
  quote: NotBlank | null;
  title: NotBlank;
  status: Status;
  /** The fault, or the reason why the case was not judged. */
  message: string | null;
  /** The behavior of the implementation. */
  observed: string | null;
  /** The reason why the case is expected to fail, from the file of --expected. */
  reason: string | null;
  /** The setting to change on known hosts, by the name of the host; only for a case that failed. */
  settings: Record<string, string> | null;
}

/**
 * The results of a conformance test: the output of `conformance documents|host|subscriber --format json`. It contains
 * no times and no addresses: two runs with the same behavior give the same document.
 *
 * @title Results of a conformance test
 */
export interface ConformanceReport {
  schema: 1;
  tool: { name: 'appreg'; version: string };
  command: 'conformance documents' | 'conformance host' | 'conformance subscriber';
  role: Role;
  /** The number of the frozen set of cases. */
  set: PositiveInteger;
  /** The name of the implementation, from --name. */
  implementation: string | null;
  /** Of the required cases. `incomplete`: the kit itself failed in at least one case. */
  outcome: 'pass' | 'fail' | 'incomplete';
  /** The number of cases by level and status. */
  summary: Record<Level, Record<Status, Count>>;
  /** In the order of the set. */
  cases: CaseResult[];
}

/** Facts about a run in addition to its observations. */
interface RunFacts {
  role: Role;
  set: number;
  implementation: string | null;
  /** The reasons of expected failures, by the id of the case. */
  expected: ReadonlyMap<string, string>;
}

/** The report of a run. A case without an observation is an error of the kit. */
export function reportOf(
  cases: readonly AnyCase[],
  observations: readonly Observation[],
  { role, set, implementation, expected }: RunFacts,
): ConformanceReport {
  const observed = new Map(observations.map((one) => [one.id, one]));
  const results = cases.map((one) =>
    resultOf(one, observed.get(one.id) ?? unobserved(one), expected.get(one.id) ?? null),
  );
  return {
    schema: 1,
    tool: { name: 'appreg', version: VERSION },
    command: `conformance ${role}`,
    role,
    set,
    implementation: implementation === null ? null : message`${implementation}`,
    outcome: outcomeOf(results),
    summary: summaryOf(results),
    cases: results,
  };
}

/** 0: every required case passes, or its failure is expected; 1: one fails, or an entry is stale; 2: the kit failed. */
export function conformanceExit({ outcome }: ConformanceReport): 0 | 1 | 2 {
  return EXITS[outcome];
}

const EXITS = { pass: 0, fail: 1, incomplete: 2 } as const;

/** True for a result that decides the outcome against the implementation. */
export function isFailure({ level, status }: Pick<CaseResult, 'level' | 'status'>): boolean {
  return status === 'stale-expected-failure' || (status === 'fail' && level === 'required');
}

function unobserved({ id }: AnyCase): Observation {
  return { id, verdict: 'harness-error', message: message`The case has no result.`, observed: null };
}

function resultOf(one: AnyCase, seen: Observation, reason: string | null): CaseResult {
  const { id, level, spec, quote, title } = one;
  const status = statusOf(level, seen.verdict, reason !== null);
  const settings = status === 'fail' && one.role === 'host' ? { ...HOST_SETTINGS[one.setting] } : null;
  const why = reason === null ? null : message`${reason}`;
  const text = status === 'stale-expected-failure' ? STALE : seen.message;
  return { id, level, spec, quote, title, status, message: text, observed: seen.observed, reason: why, settings };
}

const STALE = message`The case passes, and the file of --expected lists it. Remove its entry.`;

function statusOf(level: Level, verdict: Observation['verdict'], isExpected: boolean): Status {
  if (verdict === 'harness-error' || verdict === 'not-run') return verdict;
  if (level === 'unspecified') return 'reported';
  if (!isExpected) return verdict;
  return verdict === 'fail' ? 'expected-failure' : 'stale-expected-failure';
}

function outcomeOf(results: readonly CaseResult[]): ConformanceReport['outcome'] {
  if (results.some(({ status }) => status === 'harness-error')) return 'incomplete';
  return results.some(isFailure) ? 'fail' : 'pass';
}

function summaryOf(results: readonly CaseResult[]): ConformanceReport['summary'] {
  const numberOf = (level: Level, status: Status): number =>
    results.filter((one) => one.level === level && one.status === status).length;
  return recordFrom(
    LEVELS.map((level) => [level, recordFrom(STATUSES.map((status) => [status, numberOf(level, status)]))]),
  );
}

// Verdicts of a role.

/** Correct behavior. @param observed what the implementation did */
export function passed(id: string, observed: SafeText | null = null): Observation {
  return { id, verdict: 'pass', message: null, observed };
}

/**
 * Other behavior than expected.
 * @param problem what is wrong
 * @param observed what the implementation did
 */
export function failed(id: string, problem: SafeText, observed: SafeText | null = null): Observation {
  return { id, verdict: 'fail', message: problem, observed };
}

/** A case that could not be run. @param reason what is missing */
export function notRun(id: string, reason: SafeText): Observation {
  return { id, verdict: 'not-run', message: reason, observed: null };
}

/** A fault of the kit or of its environment, which is never a failure of the implementation. */
export function harnessError(id: string, problem: SafeText): Observation {
  return { id, verdict: 'harness-error', message: problem, observed: null };
}

/** Runs one case. Whatever is thrown is a fault of the kit. */
async function observeCase(id: string, run: () => Promise<Observation>): Promise<Observation> {
  try {
    return await run();
  } catch (error) {
    if (isAppregError(error)) {
      if (error.exit > 128) throw error;
      return harnessError(id, message`${safe(error.message)} ${safe(error.hint)}`);
    }
    return harnessError(id, message`${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Runs cases with a limited concurrency; the observations are in the order of the cases. @param limit at least 1 */
export async function observeAll<C extends { id: string }>(
  cases: readonly C[],
  limit: number,
  run: (one: C) => Promise<Observation>,
): Promise<Observation[]> {
  const observations: Observation[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < cases.length; at = next++) {
      const one = cases[at];
      if (one !== undefined) observations[at] = await observeCase(one.id, async () => run(one));
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  return observations;
}

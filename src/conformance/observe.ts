import { isAppregError } from '../core/errors.ts';
import { message, safe, type SafeText } from '../core/text/message.ts';
import type { Observation } from './result.ts';

/** How a role says what it observed. */

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

import { join } from 'node:path';
import { message, type SafeText } from '../../core/text/message.ts';
import { folderOf } from '../sets.ts';
import type { DocumentCase } from '../case.ts';
import { failed, observeAll, passed } from '../observe.ts';
import type { Observation } from '../result.ts';
import type { Answer, GivenDocument, Validator } from './validator.ts';

/** How many validators run at once. */
const CONCURRENCY = 4;

/** The document of a case, in the folder of the set. */
export function documentOf({ id, script }: DocumentCase, set: number): GivenDocument {
  const kind = script.document;
  return { path: join(folderOf(set, 'documents'), id, `${kind}.json`), kind };
}

/** Gives each document to a validator, and compares the answer with the expected verdict. */
export async function runDocumentCases(
  cases: readonly DocumentCase[],
  set: number,
  validator: Validator,
): Promise<Observation[]> {
  return observeAll(cases, CONCURRENCY, async (one) => compare(one, await validator(documentOf(one, set))));
}

/** The observation of one case. */
export function compare({ id, expect }: DocumentCase, answer: Answer): Observation {
  const seen = describe(answer);
  if ('failure' in answer) return failed(id, answer.failure, seen);
  const rejects = expect.verdict === 'invalid';
  if (answer.accepted === rejects)
    return failed(
      id,
      rejects ? message`The document is invalid, and was accepted.` : message`The document was rejected.`,
      seen,
    );
  // A validator that does not say where faults are is judged by its verdict alone.
  if (answer.faults === null) return passed(id, seen);
  const severity = rejects ? 'error' : 'warning';
  const reported = answer.faults.filter((fault) => fault.severity === severity).map(({ pointer }) => pointer);
  const missing = expect.verdict === 'valid' ? undefined : expect.faults.find((fault) => !isReported(fault, reported));
  if (missing !== undefined) return failed(id, message`No ${severity} was reported at “${missing}”.`, seen);
  return passed(id, seen);
}

/** True if a fault is reported at its place, or at a value that contains it. */
function isReported(fault: string, reported: readonly string[]): boolean {
  return reported.some((pointer) => fault === pointer || fault.startsWith(`${pointer}/`));
}

function describe(answer: Answer): SafeText {
  if ('failure' in answer) return message`no verdict`;
  const verdict = answer.accepted ? 'accepted' : 'rejected';
  if (answer.faults === null || answer.faults.length === 0) return message`${verdict}`;
  const faults = answer.faults.map(({ severity, pointer }) => `${severity} at “${pointer}”`);
  return message`${verdict}: ${faults.join(', ')}`;
}

import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { type CasesByRole, type Role, SETS } from 'appreg-conformance';
import { casesOf, LATEST_SET } from 'appreg-conformance';

/** The cases that a command line selects. */

/** @throws AppregError `option-invalid` for a set that does not exist */
export function setOf(set: number | undefined): number {
  if (set === undefined || SETS.some((known) => known === set)) return set ?? LATEST_SET;
  throw new AppregError(
    'option-invalid',
    message`Invalid --set “${set}”: there is no set of this number.`,
    message`Use one of: ${SETS.join(', ')}`,
  );
}

/** A role's cases: all of the set, and those that --only selects. */
export interface Selection<R extends Role> {
  set: number;
  all: readonly CasesByRole[R][];
  selected: readonly CasesByRole[R][];
}

/** @throws AppregError `option-invalid` for a set or a case that does not exist */
export function selectCases<R extends Role>(
  role: R,
  { set: number, only }: { set?: number; only?: readonly string[] },
): Selection<R> {
  const set = setOf(number);
  const all = casesOf(set, role);
  if (only === undefined) return { set, all, selected: all };
  const ids = all.map(({ id }) => id);
  for (const id of only) {
    if (ids.includes(id)) continue;
    throw new AppregError(
      'option-invalid',
      message`Invalid --only “${safeExcerpt(id, 80)}”: set ${set} has no such case of the role ${role}.${didYouMean(id, ids)}`,
      message`appreg conformance --role ${role} lists the cases.`,
    );
  }
  return { set, all, selected: all.filter(({ id }) => only.includes(id)) };
}

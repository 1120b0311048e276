import { AppregError, didYouMean, isBlank, isObject, jsonValueIn, message, type SafeText } from 'appreg';
import type { AnyCase } from './case/case.ts';

/**
 * Reads a list of expected failures: `[{ "case": "<id>", "reason": "<why>" }]`.
 * @param text of the file
 * @param shownAs the name of the file in messages
 * @param cases all cases of the role
 * @returns the reasons by the id of the case
 * @throws AppregError `expected-failures-invalid`: not such a list, an unknown or repeated case, no reason, or a case that
 * is not judged
 */
export function expectedFailures(
  text: string,
  shownAs: string,
  cases: readonly AnyCase[],
): ReadonlyMap<string, string> {
  const entries = jsonValueIn(text);
  if (!Array.isArray(entries)) throw refuse(message`${shownAs} is not a list of expected failures in JSON.`);
  const levels = new Map(cases.map(({ id, level }) => [id, level]));
  const reasons = new Map<string, string>();
  for (const [index, entry] of entries.entries()) {
    const at = `${shownAs}, entry ${index + 1}`;
    if (!isObject(entry) || typeof entry['case'] !== 'string')
      throw refuse(message`${at}: “case” is missing. It is the id of a case.`);
    const { case: id, reason } = entry;
    const level = levels.get(id);
    if (level === undefined)
      throw refuse(message`${at}: the set has no case “${id}”.${didYouMean(id, [...levels.keys()])}`);
    if (level === 'unspecified')
      throw refuse(message`${at}: the case “${id}” is reported and never judged, so it cannot fail.`);
    if (reasons.has(id)) throw refuse(message`${at}: the case “${id}” is listed twice.`);
    if (typeof reason !== 'string' || isBlank(reason))
      throw refuse(message`${at}: the case “${id}” has no reason. An expected failure needs one.`);
    reasons.set(id, reason);
  }
  return reasons;
}

function refuse(problem: SafeText): AppregError {
  return new AppregError(
    'expected-failures-invalid',
    problem,
    message`Write a list of cases with reasons: [{ "case": "<id>", "reason": "<why it fails>" }].`,
  );
}

import type { Diagnosis } from '../core/engine/diagnosis.ts';
import { counted } from '../core/text/text.ts';

/** Versions that are listed and retired are shown up to this number, and with --verbose up to the second one. */
const MOST = 5;
const MOST_VERBOSE = 200;

/** Which versions their authors retired, a line each: what a subscriber sees is no fault of the registry. */
export function retirementLines({ retired = [] }: Diagnosis, verbose: boolean): string[] {
  const most = verbose ? MOST_VERBOSE : MOST;
  const lines = retired.slice(0, most).map(({ app, version, reason, use }) => {
    const advice = use === null ? 'it names no replacement' : `use ${use}`;
    return `${app}: ${version} is listed; its author retired it (${reason}); ${advice}`;
  });
  const rest = retired.length - lines.length;
  return rest === 0 ? lines : [...lines, `… and ${counted(rest, 'more retired version')}`];
}

import type { Retirement } from '../core/about/about-file.ts';
import { sanitized } from '../html/html.ts';

/** The words of the pages and feeds for what authors claim. */

const REASONS: Readonly<Record<Retirement['reason'], string>> = {
  security: 'because it has a security problem',
  broken: 'because it does not work',
  superseded: 'because another version replaces it',
  unmaintained: 'because it is not maintained',
  legal: 'for legal reasons',
};

/**
 * A sentence that says why a version is retired, followed by what the author says about it.
 * @param what the version, in the sentence
 */
export function retirementText({ reason, message, since, use }: Retirement, what = 'this version'): string {
  const day = since === null ? '' : ` on ${sanitized(since, 20)}`;
  const instead = use === null ? '' : ` Use ${sanitized(use, 60)} instead.`;
  return `The author retired ${what}${day} ${REASONS[reason]}: ${sanitized(message, 300)}${instead}`;
}

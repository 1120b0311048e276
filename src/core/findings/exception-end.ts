import type { Exception } from './report.ts';

const DAY = 86_400_000;

/** True after the last day of the exception, in UTC. @param now ISO 8601 */
export function isOver({ until }: Pick<Exception, 'until'>, now: string): boolean {
  return until !== null && Date.parse(now) >= Date.parse(`${until}T00:00:00Z`) + DAY;
}

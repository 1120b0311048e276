import type { AppFacts, Resource } from '../../../core/facts/facts.ts';
import { isMissing } from '../../../core/facts/facts.ts';
import { ARTIFACT_AGE, RENEWAL, VIEWS_AGE } from './observation-cache.ts';

/**
 * Until when (milliseconds since 1970) a later observation reuses this one's results; `now` if there are none.
 * @param now the time of the observation
 */
export function reusableUntil({ metadata, icon, artifacts }: Omit<AppFacts, 'key'>, now: number): number {
  const ends = [viewsUntil(metadata, now), viewsUntil(icon, now)];
  for (const { reusedFrom, web } of artifacts) {
    if (reusedFrom !== undefined) ends.push(Date.parse(reusedFrom) + ARTIFACT_AGE);
    if (isMissing(web)) continue;
    for (const { tls } of web.server.hops) {
      const renewed = tls === null ? Number.NaN : Date.parse(tls.notAfter) - RENEWAL;
      if (renewed >= now) ends.push(renewed);
    }
  }
  return Math.min(...ends);
}

/** The same for one document or icon. A resource that cannot be requested is reused indefinitely. */
export function viewsUntil({ viewsReusedFrom, web }: Pick<Resource, 'viewsReusedFrom' | 'web'>, now: number): number {
  if (viewsReusedFrom !== undefined) return Date.parse(viewsReusedFrom) + VIEWS_AGE;
  return isMissing(web) ? Infinity : now;
}

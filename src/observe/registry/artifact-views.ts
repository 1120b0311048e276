import type { ArtifactFacts, HttpViews } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { isAnswered } from '../../core/http/probe.ts';
import { browserViews } from './browser-views.ts';
import { REQUESTED_ONCE } from './cache/observation-cache.ts';
import type { ObserveContext } from './context.ts';

/** The views that an artifact only has if it is the first of its app and host. */
const FIRST_ONLY_VIEWS = ['preflights', 'headPreflight', 'revalidation', 'headerProbes', 'repeatedProbes'] as const;

/**
 * How the artifacts' hosts respond to browsers is requested once per app and host: for the first artifact that was
 * fetched. If all were verified before, the earlier result is reused.
 */
export async function addArtifactViews(facts: readonly ArtifactFacts[], context: ObserveContext): Promise<void> {
  const chosen = new Map<string, { web: HttpViews; isFetched: boolean }>();
  for (const { url, web, reusedFrom } of facts) {
    if (url === null || isMissing(web) || !isAnswered(web.server)) continue;
    const { origin } = new URL(url);
    const other = chosen.get(origin);
    const isFetched = reusedFrom === undefined;
    const isBetter = !other || (!other.isFetched && (isFetched || (!hasViews(other.web) && hasViews(web))));
    if (isBetter) chosen.set(origin, { web, isFetched });
    const dropped = isBetter ? other?.web : web;
    if (dropped && hasViews(dropped)) removeViews(dropped);
  }
  for (const { web } of chosen.values()) {
    if (hasViews(web)) continue;
    const { server } = web;
    Object.assign(
      web,
      await browserViews({ kind: 'artifact', server, accept: '*/*', reference: null, limit: 0 }, context),
    );
  }
}

function hasViews(web: HttpViews): boolean {
  return !isMissing(web.preflight) || web.browser.length > 0;
}

function removeViews(web: HttpViews): void {
  for (const name of FIRST_ONLY_VIEWS) delete web[name];
  Object.assign(web, { browser: [], preflight: REQUESTED_ONCE, head: REQUESTED_ONCE });
}

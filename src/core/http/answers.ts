import type { ComparedBody, HttpViews, Probe } from '../facts/facts.ts';
import { isPage } from './copies.ts';
import { isAnswered } from './probe.ts';

/**
 * The complete 2xx responses to GET whose headers rules judge, by client. A copy that cannot be read, and a page in place
 * of the file, have rules of their own.
 */

/** The responses to all clients: to the plain GET first, then to browsers, and to clients that accept only gzip. */
export function answersToAll(web: HttpViews): Probe[] {
  return [...complete([web.server]), ...answersToFetch(web), ...complete([web.image])];
}

/** The responses to pages that read the file, and to clients that accept only gzip. */
export function answersToFetch({ browser, gzip }: HttpViews): Probe[] {
  return complete([...browser, gzip]);
}

/** The responses to browsers; to the plain GET if no browser got one. */
export function answersToBrowsers(web: HttpViews): Probe[] {
  const answers = complete([...web.browser, web.image]);
  return answers.length > 0 ? answers : complete([web.server]);
}

/** The responses to a browser that shows the file without CORS, as a plain <img> does. */
export function answersToImages(web: HttpViews): Probe[] {
  const answers = complete([web.image]);
  return answers.length > 0 ? answers : answersToBrowsers(web);
}

/** Words to append to “is served”: that this is so for browsers, if the plain GET was answered otherwise. */
export function toBrowsers(web: HttpViews, probe: Probe, valueOf: (probe: Probe) => string | null): string {
  return probe === web.server || valueOf(probe) === valueOf(web.server) ? '' : ' to browsers';
}

function complete(probes: readonly (Probe | undefined)[]): Probe[] {
  return probes.filter((probe) => probe !== undefined).filter((probe) => isAnswered(probe) && isReadable(probe.copy));
}

function isReadable(copy: ComparedBody | undefined): boolean {
  return copy === undefined || (copy.fault === null && copy.missingCoding === undefined && !isPage(copy));
}

import type {
  ArtifactFacts,
  Conditional,
  DocumentFacts,
  Hop,
  HttpViews,
  IconFacts,
  Probe,
  Resource,
  TlsFacts,
} from '../../../core/facts/facts.ts';
import { isMissing } from '../../../core/facts/facts.ts';
import { isIntermittent } from '../../../core/http/repeated-probes.ts';
import { hasNoErrors } from '../../../core/http/probe.ts';
import { parseUrl } from '../../../core/url/url.ts';
import { digestOf } from '../../../core/registry/checksum.ts';
import {
  ARTIFACT_AGE,
  artifactId,
  isProbe,
  type ObservationCache,
  probesIn,
  type RememberedApp,
  RENEWAL,
  type Views,
  VIEWS_AGE,
} from './observation-cache.ts';

/** Which facts of an earlier run are still valid. */

/** The origin of a hop's URL; empty if it cannot be parsed. */
function originOf(hop: Hop): string {
  return parseUrl(hop.url)?.origin ?? '';
}

/**
 * The facts of an artifact whose bytes were verified against the digest listed now, or null.
 * @param artifact.scanned whether its content must have been scanned
 */
export function verifiedBefore(
  memory: ObservationCache,
  app: RememberedApp | null,
  { url, checksum, scanned }: { url: string; checksum: string; scanned: boolean },
  certificates: ReadonlyMap<string, TlsFacts>,
): ArtifactFacts | null {
  const digest = digestOf(checksum);
  if (digest === null || !app) return null;
  const known = app.facts.artifacts[app.ids.indexOf(artifactId(url, digest))];
  if (!known || isMissing(known.web) || isMissing(known.content) || known.content.sha256 !== digest) return null;
  if (!isRecent(known.reusedFrom, memory.now, ARTIFACT_AGE)) return null;
  if (scanned && !isMissing(known.archive) && known.archive.scan === undefined) return null;
  const hops = known.web.server.hops.map((hop) => ({
    ...hop,
    // The host may have a new certificate: use the one of this run, if a request was sent to the host.
    tls: certificates.get(originOf(hop)) ?? hop.tls,
  }));
  const soon = Date.parse(memory.now) + RENEWAL;
  for (const hop of hops) {
    if (!hop.tls || certificates.has(originOf(hop)) || Date.parse(hop.tls.notAfter) >= soon) continue;
    // An hourly fetch for that would cost too much: the certificate is then left out.
    if (!memory.daily) return null;
    hop.tls = null;
  }
  return { ...known, url, web: { ...known.web, server: { ...known.web.server, hops } } };
}

/**
 * The views of a document or an icon if they are recent enough and had no error, or null.
 * @returns with the time of the observation, ISO 8601
 */
export function viewsBefore(
  { web, viewsReusedFrom }: Pick<Resource, 'web' | 'viewsReusedFrom'>,
  now: string,
): { views: Views; observedAt: string } | null {
  if (isMissing(web) || viewsReusedFrom === undefined || !isRecent(viewsReusedFrom, now, VIEWS_AGE)) return null;
  // Conditional requests are sent for another document each time.
  const { server: _, conditional: __, ...views } = web;
  // Responses that differed are observed again.
  const isStable = views.headerProbes === undefined && !(views.repeatedProbes ?? []).some(isIntermittent);
  return isStable && probesIn(views).every(hasNoErrors) ? { views, observedAt: viewsReusedFrom } : null;
}

/** The responses of a document to conditional requests, if recent enough, or null. */
export function conditionalBefore(known: DocumentFacts | null, now: string | null): Conditional[] | null {
  if (now === null || !known || isMissing(known.web) || !isRecent(known.viewsReusedFrom, now, VIEWS_AGE)) return null;
  const { conditional = null, repeatedProbes = [] } = known.web;
  return conditional?.every(({ probe }) => hasNoErrors(probe)) && !repeatedProbes.some(isIntermittent)
    ? conditional
    : null;
}

/** An icon that was observed within a day, as a reused fact; or null. */
export function iconBefore(known: IconFacts | null, url: string, now: string): IconFacts | null {
  if (known?.url !== url || isMissing(known.content)) return null;
  const before = viewsBefore(known, now);
  return before ? { ...known, reusedFrom: before.observedAt } : null;
}

/** True if two sets of views agree about the host, as far as both were requested. */
export function isSameBehavior(now: Views, before: Views): boolean {
  const both = !isMissing(now.head) && !isMissing(before.head);
  return both
    ? fingerprintOf(viewsOfAll(now)) === fingerprintOf(viewsOfAll(before))
    : fingerprintOf(now.browser) === fingerprintOf(before.browser);
}

/** The views without those that only the first resource of each kind and host has. */
function viewsOfAll({ browser, head, preflight, preflights }: Views): Partial<HttpViews> {
  return { browser, head, preflight, ...(preflights ? { preflights } : {}) };
}

/** Without dates and lengths. */
function fingerprintOf(views: Partial<HttpViews> | Probe[]): string {
  const relevant = /^(?:access-control-|vary$|cross-origin-|allow$|cache-control$|www-authenticate$)/;
  return JSON.stringify(views, (_, value: unknown) => {
    if (!isProbe(value)) return value;
    return value.hops.map(({ url, status, headers }) => [
      url,
      status,
      headers.filter(([name]) => relevant.test(name)).sort(),
    ]);
  });
}

function isRecent(moment: string | undefined, now: string, limit: number): boolean {
  const age = moment === undefined ? Number.NaN : Date.parse(now) - Date.parse(moment);
  return age >= 0 && age <= limit;
}

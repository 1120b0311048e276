import { createHash } from 'node:crypto';
import {
  type AppFacts,
  type ArtifactFacts,
  type Conditional,
  type Content,
  type DocumentFacts,
  type HttpViews,
  type IconFacts,
  isMissing,
  type Missing,
  type Probe,
  type Resource,
  type TlsFacts,
} from '../../core/facts/facts.ts';
import { hasNoErrors, isAnswered, originOf, statusOf } from '../../core/http/probe.ts';
import { isIntermittent } from '../../core/http/repeated-probes.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { digestOf } from '../../core/registry/checksum.ts';
import { listedVersionsIn, versionFields } from '../../core/registry/manifest.ts';

/** The facts of earlier runs: which are stored, and which are still valid. */

/**
 * Results of earlier runs (`--cache`): facts of observations that were complete, matched and had no error. The caller
 * decides where they are stored, and adds those of this run from its parts.
 */
export interface ObservationCache {
  /** ISO 8601; the time of this run. */
  now: string;
  /**
   * True for an hourly observation: icons, and how a host responds to browsers and conditional requests, are reused for
   * a day, so that an unchanged resource costs one conditional request.
   */
  daily?: boolean;
  manifest(): DocumentFacts | null;
  app(key: string): RememberedApp | null | Promise<RememberedApp | null>;
  /**
   * The about file of an app, which is then requested with one conditional GET. Absent if about files are always
   * requested as a whole.
   */
  about?(key: string): Promise<KnownAbout | null>;
}

/** The facts about one app, with an id for each artifact: its URL may contain a secret, and is not stored as it is. */
export interface RememberedApp {
  ids: readonly string[];
  facts: AppFacts;
}

/** An about file, as an earlier run observed it. */
export interface KnownAbout {
  /** As requested. */
  url: string;
  content: DocumentContent;
  /** The header of a conditional request, in lower case; null without a usable validator. */
  condition: [name: string, value: string] | null;
}

/** The views of a resource: how it responds to a browser. */
export type Views = Omit<HttpViews, 'server'>;

const HOUR = 3_600_000;

/** Milliseconds for which verified artifacts are reused; a limit is needed since a deleted one would never be noticed. */
export const ARTIFACT_AGE = 30 * 24 * HOUR;

/** The same for responses to browsers. They do not depend on whether a file changed, so they are not reused for longer. */
const VIEWS_AGE = 24 * HOUR;

/** A certificate that expires this soon may be renewed any day. */
const RENEWAL = 30 * 24 * HOUR;

/** The reason why an artifact has no views, if they were requested of another one. */
export const REQUESTED_ONCE: Missing = {
  missing: { code: 'once-per-host' },
  runWide: true,
  intentional: true,
};

/** The key of an artifact in the cache. */
function artifactId(url: string, digest: string): string {
  return createHash('sha256').update(`${url} ${digest}`).digest('hex');
}

/** The probes of all views, except those that were repeated to find a cause. */
function probesIn(views: Views): Probe[] {
  const { revalidation, headerProbes: _, repeatedProbes: __, ...others } = views;
  return [...Object.values(others), revalidation?.probe].flat().filter(isProbe);
}

/** True for a probe, as opposed to a missing fact. */
export function isProbe(value: unknown): value is Probe {
  return typeof value === 'object' && value !== null && 'hops' in value && Array.isArray(value.hops);
}

const NOT_KEPT: Missing = { missing: { code: 'not-cached' } };

/**
 * A document as it may be stored, or null.
 * @param isPlain false for a text that contains a secret: redacted, it would be another text
 */
export function keptDocument(
  facts: DocumentFacts,
  now: string,
  isPlain: (text: string) => boolean,
): DocumentFacts | null {
  const { content } = facts;
  if (isMissing(content) || content.cut || !isComplete(facts)) return null;
  return content.text !== null && !isPlain(content.text)
    ? null
    : { ...facts, viewsReusedFrom: facts.viewsReusedFrom ?? now };
}

/**
 * The parts of an app that are stored: its documents and verified artifacts, and previously stored ones that are still
 * listed. Null if nothing new was observed, or if the list could not be read.
 */
export function keptApp(
  facts: AppFacts,
  before: RememberedApp | null,
  now: string,
  isPlain: (text: string) => boolean,
): RememberedApp | null {
  const { key, metadata, icon, artifacts } = facts;
  if (isMissing(metadata.content) || (before !== null && isReused(facts, before))) return null;
  const kept = new Map<string, ArtifactFacts>();
  for (const [index, { url, digest }] of listedIn(metadata.content).entries()) {
    if (url === null || digest === null) continue;
    const id = artifactId(url, digest);
    const observed = artifacts[index];
    const earlier = before?.facts.artifacts[before.ids.indexOf(id)];
    const artifact =
      (observed && verifiedArtifact(observed, digest, now)) ??
      (observed && isRefuted(observed, digest) ? undefined : earlier);
    if (artifact && !kept.has(id)) kept.set(id, artifact);
  }
  return {
    ids: [...kept.keys()],
    facts: {
      key,
      metadata: keptDocument(metadata, now, isPlain) ?? { url: null, file: null, web: NOT_KEPT, content: NOT_KEPT },
      icon: isKeptIcon(icon)
        ? { ...icon, viewsReusedFrom: icon.viewsReusedFrom ?? now }
        : { url: null, file: null, web: NOT_KEPT, content: NOT_KEPT, image: NOT_KEPT },
      artifacts: [...kept.values()],
    },
  };
}

/** True for a resource with a complete 2xx response, and without any error. */
function isComplete({ web }: Resource): boolean {
  return !isMissing(web) && isAnswered(web.server) && hasNoErrors(web.server);
}

/** True if this run observed nothing that is not stored already. */
function isReused({ metadata, icon, artifacts }: AppFacts, before: RememberedApp): boolean {
  return (
    metadata.viewsReusedFrom !== undefined &&
    icon.viewsReusedFrom !== undefined &&
    artifacts.every(({ reusedFrom, web }) => reusedFrom !== undefined || isMissing(web)) &&
    before.ids.length >= artifacts.filter(({ reusedFrom }) => reusedFrom !== undefined).length
  );
}

function listedIn(
  content: Exclude<DocumentFacts['content'], Missing>,
): { url: string | null; digest: string | null }[] {
  return (listedVersionsIn(content) ?? []).map((item) => {
    const { artifactUrl, artifactChecksum } = versionFields(item);
    return { url: artifactUrl, digest: digestOf(artifactChecksum ?? '') };
  });
}

function isKeptIcon(facts: IconFacts): boolean {
  return isUncut(facts.content) && !isMissing(facts.image) && isComplete(facts);
}

function isUncut(content: Content | Missing): content is Content {
  return !isMissing(content) && !content.cut;
}

/** True if an artifact has other bytes now, or does not exist any more: earlier facts about it are wrong. */
function isRefuted({ web, content }: ArtifactFacts, digest: string): boolean {
  if (isMissing(web)) return false;
  if (!isMissing(content)) return content.sha256 !== digest;
  const status = statusOf(web.server);
  return web.server.failure === null && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** An artifact as it is stored, if it has the listed digest, or null. Views with errors are requested again. */
function verifiedArtifact(facts: ArtifactFacts, digest: string, now: string): ArtifactFacts | null {
  const { content, archive, again, web } = facts;
  if (!isUncut(content) || content.sha256 !== digest || isMissing(archive) || again !== undefined) return null;
  if (isMissing(web) || !isComplete(facts)) return null;
  const { server, ...views } = web;
  const kept = probesIn(views).every(hasNoErrors)
    ? web
    : { server, browser: [], preflight: REQUESTED_ONCE, head: REQUESTED_ONCE };
  // An attestation may be removed or added: it is requested in each run.
  const { attestation: _, ...reusable } = facts;
  return { ...reusable, web: kept, reusedFrom: facts.reusedFrom ?? now };
}

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

/**
 * Until when (milliseconds since 1970) a later observation reuses the responses for a document or icon. A resource that
 * cannot be requested is reused indefinitely.
 */
export function viewsUntil({ viewsReusedFrom, web }: Pick<Resource, 'viewsReusedFrom' | 'web'>, now: number): number {
  if (viewsReusedFrom !== undefined) return Date.parse(viewsReusedFrom) + VIEWS_AGE;
  return isMissing(web) ? Infinity : now;
}

/**
 * The facts of an artifact whose bytes were verified against the digest listed now, or null.
 * @param artifact.scanned whether its content must have been scanned
 */
export function verifiedBefore(
  memory: ObservationCache,
  app: RememberedApp | null,
  { url, checksum, scanned }: { url: string; checksum: string; scanned: boolean },
  hosts: { certificateOf(url: string): TlsFacts | undefined },
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
    tls: hosts.certificateOf(hop.url) ?? hop.tls,
  }));
  const soon = Date.parse(memory.now) + RENEWAL;
  for (const hop of hops) {
    if (!hop.tls || hosts.certificateOf(hop.url) || Date.parse(hop.tls.notAfter) >= soon) continue;
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

/** Without paths, dates and lengths. */
function fingerprintOf(views: Partial<HttpViews> | Probe[]): string {
  const relevant =
    /^(?:access-control-|vary$|cross-origin-|allow$|cache-control$|content-type$|x-content-type-|www-authenticate$)/;
  return JSON.stringify(views, (_, value: unknown) => {
    if (!isProbe(value)) return value;
    const { hops, copy } = value;
    return [
      hops.map(({ url, status, headers }) => [
        originOf(url),
        status,
        headers.filter(([name]) => relevant.test(name)).sort(),
      ]),
      copy?.same !== false,
      copy?.fault ?? null,
    ];
  });
}

function isRecent(moment: string | undefined, now: string, limit: number): boolean {
  const age = moment === undefined ? Number.NaN : Date.parse(now) - Date.parse(moment);
  return age >= 0 && age <= limit;
}

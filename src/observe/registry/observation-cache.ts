import { createHash } from 'node:crypto';
import type {
  AppFacts,
  ArtifactFacts,
  Conditional,
  Content,
  DocumentFacts,
  Hop,
  IconFacts,
  Resource,
  TlsFacts,
  Missing,
  Probe,
  HttpViews,
} from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { digestOf } from '../../core/registry/checksum.ts';
import { isUnsteady } from '../../core/facts/repeated-probes.ts';
import { parseUrl } from '../../core/http/url.ts';
import { isUntroubled, isWhole } from './revalidate.ts';
import { listedVersionsIn, versionFields } from '../../core/registry/metadata.ts';

/**
 * Results of earlier runs (`--cache`): facts of observations that were complete, matched and had no error. The caller
 * decides where they are stored.
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
  keepManifest(facts: DocumentFacts): void;
  keepApp(facts: AppFacts): void;
}

/** The facts about one app, with an id for each artifact: its URL may contain a secret, and is not stored as it is. */
export interface RememberedApp {
  ids: readonly string[];
  facts: AppFacts;
}

const HOUR = 3_600_000;
/** How long verified artifacts are reused; a limit is needed since a deleted one would never be noticed. */
const ARTIFACT_AGE = 30 * 24 * HOUR;
/** How a host responds to browsers does not depend on whether a file changed, so it is not reused for longer. */
const VIEWS_AGE = 24 * HOUR;
/** A certificate that expires this soon may be renewed any day. */
const RENEWAL = 30 * 24 * HOUR;

const NOT_KEPT: Missing = { missing: 'not kept' };
export const REQUESTED_ONCE: Missing = {
  missing: 'asked of one artifact per app and host',
  runWide: true,
  intentional: true,
};

function artifactId(url: string, digest: string): string {
  return createHash('sha256').update(`${url} ${digest}`).digest('hex');
}

/** The origin of a hop's URL; empty where it cannot be parsed. */
function originOf(hop: Hop): string {
  return parseUrl(hop.url)?.origin ?? '';
}

/** The facts of an artifact whose bytes were verified against the digest listed now, or null. */
export function verifiedBefore(
  memory: ObservationCache,
  app: RememberedApp | null,
  url: string,
  checksum: string,
  certificates: ReadonlyMap<string, TlsFacts>,
): ArtifactFacts | null {
  const digest = digestOf(checksum);
  const at = digest === null || !app ? -1 : app.ids.indexOf(artifactId(url, digest));
  const known = at === -1 ? undefined : app!.facts.artifacts[at];
  if (!known || isMissing(known.web) || isMissing(known.content) || known.content.sha256 !== digest) return null;
  if (!isRecent(known.reusedFrom, memory.now, ARTIFACT_AGE)) return null;
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

/** The views of a document or an icon if they are recent enough and had no error, or null. */
export function viewsBefore(
  { web, viewsReusedFrom: viewsSince }: Pick<DocumentFacts, 'web' | 'viewsReusedFrom'>,
  now: string,
): Omit<HttpViews, 'server'> | null {
  if (isMissing(web) || !isRecent(viewsSince, now, VIEWS_AGE)) return null;
  // Conditional requests are sent for another document each time.
  const { server: _, conditional: __, ...views } = web;
  // Responses that differed are observed again.
  const isSteady = views.headerProbes === undefined && !(views.repeatedProbes ?? []).some(isUnsteady);
  return isSteady && visitsIn(views).every(isUntroubled) ? views : null;
}

/** The responses of a document to conditional requests, if recent enough, or null. */
export function conditionalBefore(known: DocumentFacts | null, now: string | null): Conditional[] | null {
  if (now === null || !known || isMissing(known.web) || !isRecent(known.viewsReusedFrom, now, VIEWS_AGE)) return null;
  const { conditional = null, repeatedProbes: repeated = [] } = known.web;
  return conditional?.every(({ visit }) => isUntroubled(visit)) && !repeated.some(isUnsteady) ? conditional : null;
}

/** An icon that was observed within a day, as a reused fact; or null. */
export function iconBefore(known: IconFacts | null, url: string, now: string): IconFacts | null {
  if (known?.url !== url || isMissing(known.content) || known.viewsReusedFrom === undefined) return null;
  return viewsBefore(known, now) ? { ...known, reusedFrom: known.viewsReusedFrom } : null;
}

/** Whether two sets of views agree about the host, as far as both were requested. */
export function isAlike(now: Omit<HttpViews, 'server'>, before: Omit<HttpViews, 'server'>): boolean {
  const both = !isMissing(now.head) && !isMissing(before.head);
  return essenceOf(both ? askedOfAll(now) : now.browser) === essenceOf(both ? askedOfAll(before) : before.browser);
}

/** The views without those that only the first resource of each kind and host has. */
function askedOfAll({ browser, head, preflight, preflights }: Omit<HttpViews, 'server'>): Partial<HttpViews> {
  return { browser, head, preflight, ...(preflights ? { preflights } : {}) };
}

/** Without dates and lengths. */
function essenceOf(views: Partial<HttpViews> | Probe[]): string {
  const named = /^(?:access-control-|vary$|cross-origin-|allow$|cache-control$|www-authenticate$)/;
  return JSON.stringify(views, (_, value: unknown) => {
    if (!isVisit(value)) return value;
    return value.hops.map(({ url, status, headers }) => [
      url,
      status,
      headers.filter(([name]) => named.test(name)).sort(),
    ]);
  });
}

/**
 * Until when (milliseconds since 1970) a later observation reuses this one's results; `now` if there are none.
 * @param now the time of the observation
 */
export function reusableUntil({ metadata, icon, artifacts }: Omit<AppFacts, 'key'>, now: number): number {
  const ends = [viewsUntil(metadata, now), viewsUntil(icon, now)];
  for (const { reusedFrom: since, web } of artifacts) {
    if (since !== undefined) ends.push(Date.parse(since) + ARTIFACT_AGE);
    if (isMissing(web)) continue;
    for (const { tls } of web.server.hops) {
      const renewed = tls === null ? Number.NaN : Date.parse(tls.notAfter) - RENEWAL;
      if (renewed >= now) ends.push(renewed);
    }
  }
  return Math.min(...ends);
}

/** The same for one document or icon. A resource that cannot be requested is reused indefinitely. */
export function viewsUntil(
  { viewsReusedFrom: viewsSince, web }: Pick<Resource, 'viewsReusedFrom' | 'web'>,
  now: number,
): number {
  if (viewsSince !== undefined) return Date.parse(viewsSince) + VIEWS_AGE;
  return isMissing(web) ? Infinity : now;
}

function visitsIn(views: Omit<HttpViews, 'server'>): Probe[] {
  const { revalidation, headerProbes: _, repeatedProbes: __, ...others } = views;
  return [...Object.values(others), revalidation?.visit].flat().filter(isVisit);
}

function isVisit(value: unknown): value is Probe {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<Probe>).hops);
}

function isRecent(moment: string | undefined, now: string, limit: number): boolean {
  const age = moment === undefined ? Number.NaN : Date.parse(now) - Date.parse(moment);
  return age >= 0 && age <= limit;
}

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
  if (isMissing(content) || content.cut || !isWhole(facts)) return null;
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
  if (isMissing(metadata.content) || (before !== null && isTakenOver(facts, before))) return null;
  const kept = new Map<string, ArtifactFacts>();
  for (const [i, { url, digest }] of listedIn(metadata.content).entries()) {
    if (url === null || digest === null) continue;
    const id = artifactId(url, digest);
    const seen = artifacts[i];
    const one =
      seen && isVerified(seen, digest) ? keptArtifact(seen, now) : before?.facts.artifacts[before.ids.indexOf(id)];
    if (one && !kept.has(id)) kept.set(id, one);
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

/** True if this run observed nothing that is not stored already. */
function isTakenOver({ metadata, icon, artifacts }: AppFacts, before: RememberedApp): boolean {
  return (
    metadata.viewsReusedFrom !== undefined &&
    icon.viewsReusedFrom !== undefined &&
    artifacts.every(({ reusedFrom: since, web }) => since !== undefined || isMissing(web)) &&
    before.ids.length >= artifacts.filter(({ reusedFrom: since }) => since !== undefined).length
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

function isVerified(facts: ArtifactFacts, digest: string): boolean {
  const { content, archive, again } = facts;
  return isSound(content) && content.sha256 === digest && !isMissing(archive) && again === undefined && isWhole(facts);
}

function isKeptIcon(facts: IconFacts): boolean {
  return isSound(facts.content) && !isMissing(facts.image) && isWhole(facts);
}

function isSound(content: Content | Missing): content is Content {
  return !isMissing(content) && !content.cut;
}

/** Views with errors are left out, so that they are requested again. */
function keptArtifact(facts: ArtifactFacts, now: string): ArtifactFacts {
  const { server: service, ...views } = facts.web as HttpViews;
  const web = visitsIn(views).every(isUntroubled)
    ? facts.web
    : { server: service, browser: [], preflight: REQUESTED_ONCE, head: REQUESTED_ONCE };
  return { ...facts, web, reusedFrom: facts.reusedFrom ?? now };
}

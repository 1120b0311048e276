import {
  type AppFacts,
  type ArtifactFacts,
  type Content,
  type DocumentFacts,
  type IconFacts,
  type Missing,
  isMissing,
  type Resource,
} from '../../../core/facts/facts.ts';
import { hasNoErrors, isAnswered, statusOf } from '../../../core/http/probe.ts';
import { digestOf } from '../../../core/registry/checksum.ts';
import { listedVersionsIn, versionFields } from '../../../core/registry/manifest.ts';
import {
  artifactId,
  probesIn,
  type RememberedApp,
  REQUESTED_ONCE,
  ARTIFACT_AGE,
  RENEWAL,
  VIEWS_AGE,
} from './observation-cache.ts';

/** Which facts of a run are stored for later ones. */

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

/** The same for one document or icon. A resource that cannot be requested is reused indefinitely. */
export function viewsUntil({ viewsReusedFrom, web }: Pick<Resource, 'viewsReusedFrom' | 'web'>, now: number): number {
  if (viewsReusedFrom !== undefined) return Date.parse(viewsReusedFrom) + VIEWS_AGE;
  return isMissing(web) ? Infinity : now;
}

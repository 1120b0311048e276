import { digestOf } from '../../core/registry/checksum.ts';
import type {
  ArchiveFacts,
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
import { codings, header } from '../../core/http/headers.ts';
import { isAnswered, originOf, ruleOfFailure, statusOf } from '../../core/http/probe.ts';
import { probeContents, type ServerAnswer, browserViews, type ViewsContext } from './browser-views.ts';
import { referenceOfDocument, referenceOfIcon } from './copy-reference.ts';
import { createDecodedDigester, createDecoder, DECODED_TOO_LARGE, unknownCodings } from '../digest/decode.ts';
import { createDigester } from '../digest/digest.ts';
import { contentOf } from '../workspace/documents.ts';
import type { ProbeRequest } from '../http/client.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { inspectImage } from '../icon/inspect-image.ts';
import { digestArtifact, type Inspection } from '../digest/digest-artifact.ts';
import type { MissingFiles } from './retry-probes.ts';
import type { DigestWorkerPool } from '../digest/digest-worker-pool.ts';
import { REQUESTED_ONCE, conditionalBefore, iconBefore, isAlike, viewsBefore } from './observation-cache.ts';
import { conditionsFor, confirmed, isOwedToCondition } from './revalidate.ts';
import { probeConditions, repeatCondition, type FirstPerKey } from './conditional.ts';

/** Observes one resource over HTTP (a document, an icon, an artifact), and how it responds to a browser. */

const MIB = 2 ** 20;
/**
 * Maximum numbers of bytes read. A registry of 100,000 apps has a manifest of 43 MB; 100,000 versions of one app are 20
 * MB of metadata. Many metadata files are in memory at once, so that their limit bounds memory.
 */
export const LIMITS = {
  manifest: 64 * MIB,
  metadata: 32 * MIB,
  icon: 5 * MIB,
  artifact: 2048 * MIB,
  decoded: 1024 * MIB,
};
export type Limits = Readonly<typeof LIMITS>;

export interface ObserveContext extends ViewsContext {
  /** Milliseconds in total for a document or an icon, and for an artifact. */
  total: { small: number; artifact: number };
  /** A body starts; its bytes are reported by `onBytes`. */
  onBody(hop: Hop): void;
  onBytes(count: number): void;
  /** Confirms files that a host reports as missing. */
  missing: MissingFiles;
  /** Selects the document that gets conditional requests: one per kind and host. */
  firstPerKey: FirstPerKey;
  /** The certificates that hosts presented in this run, by origin. */
  certificates: Map<string, TlsFacts>;
  /** ISO 8601; the time of a run with a cache of earlier ones, null without a cache. */
  now: string | null;
  /** Whether views are reused for a day without requesting one of each kind and host (ObservationCache.daily). */
  daily: boolean;
  limits: Limits;
  /** Called with the bytes of every icon that was fetched, as a viewer decodes them. */
  onIcon(facts: IconFacts, bytes: Uint8Array): void;
  /** The hosts that answer 304 to every conditional request. */
  always304Origins: Set<string>;
  /** Digests and lists artifacts. */
  inspectors: Pick<DigestWorkerPool, 'open'>;
  /** Whether views of a kind of resource and a host are unchanged, once one was observed. */
  unchangedViews: Map<string, Promise<boolean>>;
}

const JSON_ACCEPT = 'application/json, */*;q=0.8';

// A truncated document is not parsed; its start is kept to detect its format.
const KEPT_OF_CUT = 4096;

/**
 * @param known the result of an earlier run; a conditional request checks whether it is still valid
 * @param early is called with the content as soon as it is final, so that what it lists is fetched during the further
 * requests; not called for known content
 */
export async function observeDocument(
  url: string,
  role: 'manifest' | 'metadata',
  context: ObserveContext,
  known: DocumentFacts | null = null,
  early: (content: DocumentFacts['content']) => void = () => {},
): Promise<DocumentFacts> {
  const { origin } = new URL(url);
  const asked = context.daily ? conditionalBefore(known, context.now) : null;
  if (asked?.some(isUntrue)) context.always304Origins.add(origin);
  const limit = context.limits[role];
  const fetched = obtain(url, limit, context, context.always304Origins.has(origin) ? null : known);
  const turn = context.firstPerKey.mine(
    `${role} ${origin}`,
    fetched.then(({ visit }) => isAnswered(visit)),
  );
  let { visit, content, sha256, before } = await fetched;
  if (before === null) early(content);
  const ask = async (): Promise<Conditional[]> => probeConditions(visit, sha256!, JSON_ACCEPT, limit, context);
  const isNew = before === null && !asked && sha256 !== null && isAnswered(visit);
  // In parallel with the views, to save a round trip, if sending the conditions does not depend on them.
  const beside = isNew ? turn.then((isMine) => (isMine ? ask() : null)) : null;
  let reference = referenceOfDocument(visit, content, sha256);
  const now: ServerAnswer = { role, service: visit, accept: JSON_ACCEPT, reference, limit };
  let [seen, conditional] = await Promise.all([viewed(now, context, before), beside]);
  if (!isMissing(seen.web) && asked && (await turn)) seen = { ...seen, web: { ...seen.web, conditional: asked } };
  if (isMissing(seen.web) || sha256 === null || asked || isTakenOver(seen, context) || !(await turn))
    return { url, file: null, ...seen, content };
  conditional ??= await ask();
  if (before && conditional.some(isUntrue)) {
    // A host that answers 304 to everything has said nothing about this document.
    context.always304Origins.add(origin);
    ({ visit, content } = await obtain(url, limit, context, null));
    reference = referenceOfDocument(visit, content, null);
    seen = await viewed({ role, service: visit, accept: JSON_ACCEPT, reference, limit }, context, null);
  }
  if (isMissing(seen.web)) return { url, file: null, ...seen, content };
  const of = { role, service: visit, accept: JSON_ACCEPT, reference, limit };
  return { url, file: null, ...seen, web: await withConditions(seen.web, conditional, of, context), content };
}

/** Adds the conditional requests, and the requests repeated because of them. */
async function withConditions(
  web: HttpViews,
  conditional: Conditional[],
  seen: ServerAnswer,
  context: ObserveContext,
): Promise<HttpViews> {
  const made = { ...web, conditional };
  const repeated = await repeatCondition(web.server, conditional, seen.role, seen.accept, context);
  if (repeated !== null) made.repeatedProbes = [...(web.repeatedProbes ?? []), repeated];
  const isOtherwise = web.headerProbes === undefined && conditional.some(({ sameBytes }) => sameBytes === false);
  const probes = isOtherwise ? await probeContents(seen, context) : [];
  return probes.length > 0 ? { ...made, headerProbes: probes } : made;
}

/** Whether it is not requested again before tomorrow. */
function isTakenOver(
  { viewsReusedFrom: viewsSince }: Pick<Resource, 'viewsReusedFrom'>,
  { daily }: ObserveContext,
): boolean {
  return daily && viewsSince !== undefined;
}

function isUntrue({ fabricated: madeUp, visit }: Conditional): boolean {
  return madeUp && statusOf(visit) === 304;
}

interface Obtained {
  visit: Probe;
  content: DocumentFacts['content'];
  /** Of the bytes as sent, of a complete document; null if unknown. */
  sha256: string | null;
  /** The earlier facts, if still valid. */
  before: DocumentFacts | null;
}

async function obtain(
  url: string,
  limit: number,
  context: ObserveContext,
  known: DocumentFacts | null,
): Promise<Obtained> {
  const still = await confirm(url, JSON_ACCEPT, limit, context, known);
  if (still.confirmed && known)
    return { visit: still.confirmed, content: known.content, sha256: digestBefore(known), before: known };
  return { ...documentOf(still.got ?? (await collect(url, JSON_ACCEPT, limit, context)), limit), before: null };
}

/** The digest of a known document, if its text is what was sent. */
function digestBefore({ web, content }: DocumentFacts): string | null {
  if (isMissing(web) || isMissing(content) || codings(web.server.hops.at(-1)!.headers).length > 0) return null;
  const digester = createDigester(Infinity);
  digester.write(content.text === null ? Buffer.from(content.base64 ?? '', 'base64') : Buffer.from(content.text));
  return digester.end().sha256;
}

interface Collected {
  visit: Probe;
  content: Content;
  bytes: Buffer;
}

/** Revalidates the earlier facts: returns the confirmed probe, or what was fetched instead, or neither. */
async function confirm(
  url: string,
  accept: string,
  limit: number,
  context: ObserveContext,
  known: Resource | null,
): Promise<{ confirmed?: Probe; got?: Collected }> {
  const conditions = known?.url === url ? conditionsFor(known) : null;
  if (!known || !conditions) return {};
  const got = await collect(url, accept, limit, context, conditions);
  const still = confirmed(known, got.visit);
  if (still) return { confirmed: still };
  return isOwedToCondition(got.visit) ? {} : { got };
}

/** A separate function, so that the bytes are released before further requests. */
function documentOf({ visit, content, bytes }: Collected, limit: number): Omit<Obtained, 'before'> {
  const absent = absence(visit);
  if (absent) return { visit, content: absent, sha256: null };
  const cut = content.cut || bytes.length > limit;
  const found = cut
    ? { ...contentOf(Buffer.from(bytes.subarray(0, KEPT_OF_CUT)), true), bytes: Math.min(bytes.length, limit) }
    : contentOf(bytes);
  return {
    visit,
    content: found,
    sha256: cut ? null : content.sha256,
  };
}

/** @param known as for a document */
export async function observeIcon(
  url: string,
  context: ObserveContext,
  known: IconFacts | null = null,
): Promise<IconFacts> {
  const recent = context.daily && context.now !== null ? iconBefore(known, url, context.now) : null;
  if (recent) return recent;
  const limit = context.limits.icon;
  const still = await confirm(
    url,
    '*/*',
    limit,
    context,
    context.always304Origins.has(new URL(url).origin) ? null : known,
  );
  if (still.confirmed && known) {
    const { content, image } = known;
    const reference = isMissing(content) ? null : referenceOfIcon(still.confirmed, content, null);
    const now: ServerAnswer = { role: 'icon', service: still.confirmed, accept: '*/*', reference, limit };
    return { url, file: null, ...(await viewed(now, context, known)), content, image };
  }
  const { visit, content, bytes } = still.got ?? (await collect(url, '*/*', limit, context));
  const reference = referenceOfIcon(visit, content, bytes);
  const seen = await viewed({ role: 'icon', service: visit, accept: '*/*', reference, limit }, context, null);
  const absent = absence(visit);
  const facts = { url, file: null, ...seen, content: absent ?? content, image: absent ?? inspectImage(bytes) };
  if (!absent) context.onIcon(facts, bytes);
  return facts;
}

/** Fetches a small resource completely, and again if the host reports it missing. */
function collect(
  url: string,
  accept: string,
  limit: number,
  context: ObserveContext,
  conditions: readonly [string, string][] = [],
): Promise<Collected> {
  const ask = (fresh: boolean): Promise<Collected> =>
    collectOnce({ url, accept, headers: conditions, fresh }, limit, context);
  return context.missing.confirm(accept, url, ask, () => glanceAt(url, accept, context));
}

/** Requests only the status, over a new connection. */
function glanceAt(
  url: string,
  accept: string,
  { http, total }: ObserveContext,
  headers: [string, string][] = [],
): Promise<Probe> {
  return http.probe({ method: 'GET', url, origin: null, accept, headers, fresh: true, total: total.small });
}

/** As sent in `content`, with its Content-Encoding undone in `bytes`. */
async function collectOnce(
  ask: Pick<ProbeRequest, 'url' | 'accept' | 'headers' | 'fresh'>,
  limit: number,
  context: ObserveContext,
): Promise<Collected> {
  let digester = createDigester(limit);
  let decoder: ReturnType<typeof createDecoder> | null = null;
  let chunks: Uint8Array[] = [];
  let coding = '';
  const visit = await context.http.probe({
    ...ask,
    method: 'GET',
    origin: null,
    total: context.total.small,
    body(hop: Hop) {
      context.onBody(hop);
      const applied = codings(hop.headers);
      digester = createDigester(limit);
      chunks = [];
      coding = applied.join(', ');
      // A coding that cannot be undone is ignored, as browsers ignore unknown codings.
      const undone = applied.length > 0 && unknownCodings(applied).length === 0;
      decoder = undone ? createDecoder(applied, limit, (chunk) => void chunks.push(Buffer.from(chunk))) : null;
      return {
        limit,
        over: 'cut',
        instant: true,
        write(chunk) {
          context.onBytes(chunk.length);
          digester.write(chunk);
          if (decoder) return decoder.write(chunk);
          chunks.push(Buffer.from(chunk));
        },
      };
    },
  });
  noteCertificates(visit, context);
  const content = digester.end();
  // Assigned in the callback, which the compiler does not track.
  const error = (await (decoder as ReturnType<typeof createDecoder> | null)?.end()) ?? null;
  const bytes = Buffer.concat(chunks);
  if (error === DECODED_TOO_LARGE) return { visit, content: { ...content, cut: true }, bytes };
  if (error !== null && visit.failure === null && isAnswered(visit) && !content.cut) {
    visit.failure = {
      phase: 'decode',
      code: error,
      message: `${coding}: ${error}`,
      url: visit.hops.at(-1)!.url,
      got: content.bytes,
      expected: null,
    };
  }
  return { visit, content, bytes };
}

function noteCertificates({ hops }: Probe, context: ObserveContext): void {
  for (const { url, tls } of hops) if (tls) context.certificates.set(originOf(url), tls);
}

interface ArtifactLook {
  visit: Probe;
  content: Content | Missing;
  archive: ArchiveFacts | Missing;
}

/**
 * @param weak also digest with SHA-1 and MD5
 * @param inner also compute what only explains a mismatch: the digest inside the gzip layer, line ends
 */
export function fetchArtifact(
  url: string,
  context: ObserveContext,
  { weak = false, inner = false } = {},
): Promise<ArtifactLook> {
  const glance = (): Promise<Probe> => glanceAt(url, '*/*', context, [['range', 'bytes=0-0']]);
  return context.missing.confirm('artifact', url, (fresh) => fetchOnce(url, context, { weak, inner, fresh }), glance);
}

async function fetchOnce(
  url: string,
  context: ObserveContext,
  { weak, inner, fresh }: { weak: boolean; inner: boolean; fresh: boolean },
): Promise<ArtifactLook> {
  let taken: Inspection | null = null;
  let decoded: ReturnType<typeof createDecodedDigester> | null = null;
  let unpacked: ReturnType<typeof createDecodedDigester> | null = null;
  const visit = await context.http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: '*/*',
    fresh,
    total: context.total.artifact,
    body(hop) {
      context.onBody(hop);
      taken?.drop();
      const applied = codings(hop.headers);
      const length = header(hop.headers, 'content-length');
      const packedBytes = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
      const task = { limit: context.limits.artifact, weak, lines: inner, packedBytes };
      decoded = applied.length > 0 ? createDecodedDigester(applied, context.limits.decoded) : null;
      unpacked = inner ? createDecodedDigester(['gzip'], context.limits.decoded) : null;
      const others = [decoded, unpacked].filter((one) => one !== null);
      const inspection = others.length > 0 ? digestArtifact(task) : context.inspectors.open(task);
      taken = inspection;
      return {
        limit: context.limits.artifact,
        over: 'fail',
        instant: true,
        write(chunk) {
          context.onBytes(chunk.length);
          const busy = inspection.write(chunk);
          return others.length === 0
            ? busy
            : Promise.all([busy, ...others.map((one) => one.write(chunk))]).then(() => undefined);
        },
      };
    },
  });
  noteCertificates(visit, context);
  const absent = absence(visit);
  // Assigned in the callback, which the compiler does not track.
  const inspection = taken as Inspection | null;
  if (absent) inspection?.drop();
  const seen = absent ? null : await inspection!.end();
  const [undone, inside] = [await end(decoded), await end(unpacked)];
  if (absent) return { visit, content: absent, archive: absent };
  const { content, archive } = seen!;
  return {
    visit,
    content: {
      ...content,
      decoded: undone,
      ...(inner ? { inner: inside?.error === null ? inside.sha256 : null } : {}),
    },
    archive,
  };
}

async function end(digester: ReturnType<typeof createDecodedDigester> | null): Promise<Content['decoded']> {
  return digester ? digester.end() : null;
}

/**
 * The facts of an entry's artifact, from what was fetched from its URL. If the digest is not the listed one, it is
 * fetched a second time, once: a cache may have returned an older copy.
 * @param again the second fetch, which entries with the same URL share
 */
export async function artifactOf(
  url: string,
  checksum: string,
  first: ArtifactLook,
  again: () => Promise<ArtifactLook>,
): Promise<ArtifactFacts> {
  const web = notRequested(first.visit) ?? {
    server: first.visit,
    browser: [],
    preflight: REQUESTED_ONCE,
    head: REQUESTED_ONCE,
  };
  const facts: ArtifactFacts = { url, file: null, web, content: first.content, archive: first.archive };
  const digest = digestOf(checksum);
  if (
    isMissing(first.content) ||
    digest === null ||
    first.content.sha256 === digest ||
    first.content.decoded?.sha256 === digest
  )
    return facts;
  const second = await again();
  facts.again = second.content;
  // The relevant archive is the listed one.
  if (!isMissing(second.content) && second.content.sha256 === digest) facts.archive = second.archive;
  return facts;
}

/**
 * The response of a document or an icon, and its views. Those of an unchanged one are reused if the first of its kind
 * and host, which is observed again, responds as before.
 * @param known the earlier facts, if the probe confirmed them
 */
async function viewed(
  found: ServerAnswer,
  context: ObserveContext,
  known: Resource | null,
): Promise<Pick<Resource, 'web' | 'viewsReusedFrom'>> {
  const { role, service } = found;
  const never = notRequested(service);
  if (never) return { web: never };
  const absent = absence(service);
  if (absent) return { web: { server: service, browser: [], preflight: absent, head: absent } };
  const views = known && context.now !== null ? viewsBefore(known, context.now) : null;
  if (!views) return { web: { server: service, ...(await browserViews(found, context)) } };
  if (context.daily) return { web: { server: service, ...views }, viewsReusedFrom: known!.viewsReusedFrom! };
  const place = `${role} ${new URL(service.hops.at(-1)!.url).origin}`;
  const steady = context.unchangedViews.get(place);
  if (steady && (await steady)) return { web: { server: service, ...views }, viewsReusedFrom: known!.viewsReusedFrom! };
  const fresh = browserViews(found, context);
  if (!steady)
    context.unchangedViews.set(
      place,
      fresh.then((now) => isAlike(now, views)),
    );
  return { web: { server: service, ...(await fresh) } };
}

/** Why there is nothing to observe, or null. */
function absence(visit: Probe): Missing | null {
  const never = notRequested(visit);
  if (never) return never;
  const rule = ruleOfFailure(visit);
  return rule === null ? null : { missing: `because of ${rule}` };
}

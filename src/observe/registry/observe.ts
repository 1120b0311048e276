import type {
  AppFacts,
  ArtifactFacts,
  DocumentFacts,
  HostFacts,
  IconFacts,
  Missing,
  HttpViews,
} from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { listedVersionsIn, versionFields } from '../../core/registry/metadata.ts';
import { iconUrlOf, manifestAppsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { header } from '../../core/http/headers.ts';
import { digestOf } from '../../core/registry/checksum.ts';
import { shardOf } from '../../core/engine/shards.ts';
import { secretsOf } from '../../core/text/text.ts';
import { isCanonicalUrl, parseUrl, sameAddress } from '../../core/http/url.ts';
import { comparePrecedence, isSemver, latestOf } from '../../core/registry/version.ts';
import { isAnswered, originOf } from '../../core/http/probe.ts';
import { type AlternatingOrigins, openMissingFiles } from './retry-probes.ts';
import { type HttpClient, type HttpOptions, openHttpClient } from '../http/client.ts';
import { redactor, redactFacts } from '../http/redact.ts';
import { openDigestWorkerPool } from '../digest/digest-worker-pool.ts';
import { browserViews } from './browser-views.ts';
import { REQUESTED_ONCE, type ObservationCache, type RememberedApp, verifiedBefore } from './observation-cache.ts';
import { openFirstPerKey } from './conditional.ts';
import { mapLimit, mapInOrder, memoizeAsync } from './concurrency.ts';
import { openSample } from './sampling.ts';
import {
  artifactOf,
  fetchArtifact,
  type Limits,
  LIMITS,
  type ObserveContext,
  observeDocument,
  observeIcon,
} from './resources.ts';

/** Observes a live registry app by app, and releases each app once it was handed over. */

export interface WebOptions extends HttpOptions {
  /** The client for all requests, instead of one created from these options. It is closed at the end. */
  http?: HttpClient;
  /** Only these apps; null for all. */
  apps?: readonly string[] | null;
  /** Which artifacts to fetch: those of the latest version, of all, or of those that a predicate accepts. */
  versions?: 'latest' | 'all' | ((version: string) => boolean);
  /** The origins of the service's pages. */
  origins?: readonly string[];
  skipArtifacts?: boolean;
  /** Whether a worker thread may digest and list artifacts, if there are many or large ones. */
  threads?: boolean;
  /** Only the apps of one shard (see core/engine/shards.ts). */
  shard?: { index: number; of: number } | null;
  /** Fetch the artifacts of an app from its highest version downwards, instead of in the order listed. */
  newestFirst?: boolean;
  /** Milliseconds in total for one resource, instead of 60 s (JSON, icons) and 600 s (artifacts). */
  total?: number | { small: number; artifact: number } | null;
  /** The results of earlier runs, to which this run adds its own; null to observe everything again. */
  memory?: ObservationCache | null;
  /** Which of the listed apps to observe in this run, and in which order. */
  choose?: (keys: readonly string[]) => readonly string[];
  /** Called before an artifact is fetched: null, or why it is not fetched. */
  afford?: ((artifact: ListedArtifact) => Missing | null) | null;
  /** Maximum numbers of bytes read, instead of the defaults. */
  limits?: Partial<Limits>;
  /** Called with the bytes of every icon that was fetched. */
  onIcon?: (facts: IconFacts, bytes: Uint8Array) => void;
  onProgress?: (progress: Readonly<Progress>) => void;
}

export interface ListedArtifact {
  app: string;
  version: string | null;
  url: string;
  checksum: string;
}

export interface Progress {
  /** Resources observed, and known so far. */
  done: number;
  known: number;
  /** Bytes received, and announced so far by bodies with a length. */
  bytes: number;
  announced: number;
  /** The host of the last body that started. */
  host: string | null;
  /** The last app that was handed over. */
  app: string | null;
}

/**
 * Receives the facts in the order of the manifest; `Judging` of core is one. A promise applies backpressure; any other
 * result is ignored.
 */
export interface FactsSink {
  manifest(facts: DocumentFacts): unknown;
  app(facts: AppFacts): unknown;
  /** Called at the end if hosts refused requests temporarily. */
  hosts?(facts: HostFacts[]): unknown;
}

export interface ObserveResult {
  /** True if the signal came before everything was observed; what was already handed over remains valid. */
  interrupted: boolean;
  /** Requested apps that are not in the manifest. */
  unknownApps: string[];
  /** The listed keys that are most similar to those, as a sentence; '' if none is. */
  nearApps: string;
  /** How many of the requested apps belong to other shards. */
  elsewhere: number;
}

const MISSHAPEN: Missing = { missing: 'because of schema-violation' };
const MALFORMED: Missing = { missing: 'because of url-malformed' };
const SKIPPED: Missing = { missing: 'artifacts are not downloaded with --skip-artifacts', runWide: true };
const NOT_SELECTED: Missing = { missing: 'its version was not asked for', runWide: true, intentional: true };

/**
 * Observes the registry whose manifest is served at `url` (spec 4.1). A resource that cannot be fetched is a fact, not
 * an error.
 */
export async function observeRegistry(url: string, options: WebOptions, watcher: FactsSink): Promise<ObserveResult> {
  const http = options.http ?? openHttpClient(options);
  const memory = options.memory ?? null;
  const secrets = (options.secrets?.headers ?? []).map(([, value]) => value);
  const conceal = redactor(secrets);
  // A host may echo secrets. The observation itself uses the unredacted text: a URL may need the same secret.
  const safe = <T>(facts: T): T => (secrets.length === 0 ? facts : redactFacts(facts, conceal));
  const safeApp = (facts: AppFacts): AppFacts => safe({ ...facts, metadata: withoutEcho(facts.metadata, 'versions') });
  const progress: Progress = { done: 0, known: 1, bytes: 0, announced: 0, host: null, app: null };
  const inspectors = openDigestWorkerPool(options.threads === true);
  const byTurns: AlternatingOrigins = new Map();
  const context: ObserveContext = {
    http,
    origins: options.origins ?? [],
    secretNames: options.secrets
      ? {
          origin: options.secrets.origin,
          names: [...new Set(options.secrets.headers.map(([name]) => name.toLowerCase()))],
        }
      : null,
    now: memory?.now ?? null,
    daily: memory?.daily ?? false,
    limits: { ...LIMITS, ...options.limits },
    onIcon: options.onIcon ?? (() => {}),
    inspectors,
    unchangedViews: new Map(),
    always304Origins: new Set(),
    certificates: new Map(),
    total:
      typeof options.total === 'object' && options.total !== null
        ? options.total
        : { small: options.total ?? 60_000, artifact: options.total ?? 600_000 },
    onBody({ url: from, headers }) {
      const length = header(headers, 'content-length');
      progress.announced += length !== null && /^\d{1,15}$/.test(length) ? Number(length) : 0;
      progress.host = originOf(from).replace(/^\w+:\/\//, '');
    },
    sample: openSample(),
    firsts: new Set(),
    probed: new Map(),
    repeats: new Map(),
    byTurns,
    missing: openMissingFiles(byTurns),
    firstPerKey: openFirstPerKey(),
    onBytes(count) {
      progress.bytes += count;
      options.onProgress?.(progress);
    },
  };
  try {
    const { content, facts: looking } = openManifest(url, context, memory);
    const told = looking.then(async (manifest) => {
      progress.done += 1;
      const cut = options.signal?.aborted === true;
      if (cut && isMissing(manifest.content)) return false;
      if (!cut) memory?.keepManifest(manifest);
      await watcher.manifest(safe(withoutEcho(manifest, 'apps')));
      return true;
    });
    // Awaited before the first app is handed over; until then a rejection must not count as unhandled.
    told.catch(() => {});
    if (memory) await told;
    const apps = manifestAppsIn(await content);
    if (apps === null) return { interrupted: !(await told), unknownApps: [], nearApps: '', elsewhere: 0 };
    const { shard } = options;
    const listed = Object.keys(apps).filter((key) => !options.apps || options.apps.includes(key));
    const wanted = options.choose?.(listed) ?? listed;
    const keys = shard ? wanted.filter((key) => shardOf(key, shard.of) === shard.index) : wanted;
    const unknownApps = (options.apps ?? []).filter((key) => !Object.hasOwn(apps, key));
    const nearApps = unknownApps.map((key) => didYouMean(key, Object.keys(apps))).join('');
    progress.known += keys.length * 2;
    const shared = sharing(keys.map((key) => apps[key]!));
    const isInterrupted = await mapInOrder(
      keys,
      options.signal,
      (key) => lookAtApp(key, apps[key]!, context, shared, options, progress),
      async (facts) => {
        if (!(await told)) return;
        progress.app = conceal(facts.key);
        options.onProgress?.(progress);
        memory?.keepApp(facts);
        await watcher.app(safeApp(facts));
      },
    );
    const interrupted = !(await told) || isInterrupted;
    const hosts = http.hosts();
    if (!interrupted && hosts.length > 0) await watcher.hosts?.(hosts);
    return { interrupted, unknownApps, nearApps, elsewhere: wanted.length - keys.length };
  } finally {
    inspectors.close();
    await http.close();
  }
}

/** The content comes first, so that apps are observed during the further requests for the manifest. */
function openManifest(
  url: string,
  context: ObserveContext,
  memory: ObservationCache | null,
): { content: Promise<DocumentFacts['content']>; facts: Promise<DocumentFacts> } {
  let early: (content: DocumentFacts['content']) => void;
  const first = new Promise<DocumentFacts['content']>((resolve) => (early = resolve));
  const facts = observeDocument(url, 'manifest', context, memory?.manifest() ?? null, early!);
  return { facts, content: Promise.race([first, facts.then(({ content }) => content)]) };
}

/** The message in place of a document may quote the signature of the requested URL. */
function withoutEcho(facts: DocumentFacts, field: 'apps' | 'versions'): DocumentFacts {
  const { url, content } = facts;
  const secrets = url === null ? [] : secretsOf(url);
  if (secrets.length === 0 || isMissing(content) || member(parseDocument(content).value, field) !== undefined)
    return facts;
  return { ...facts, content: redactFacts(content, redactor(secrets)) };
}

interface Shared {
  document(
    url: string,
    context: ObserveContext,
    known: DocumentFacts | null,
    early: (content: DocumentFacts['content']) => void,
  ): Promise<DocumentFacts>;
  icon(url: string, context: ObserveContext, known: IconFacts | null): Promise<IconFacts>;
}

/** Equal URLs, ignoring fragments, are requested once. Only those listed more than once are remembered. */
function sharing(entries: readonly JsonValue[]): Shared {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const entry of entries) {
    for (const url of [metadataUrlOf(entry), iconUrlOf(entry)]) {
      if (url === null) continue;
      const address = sameAddress(url);
      if (seen.has(address)) repeated.add(address);
      else seen.add(address);
    }
  }
  seen.clear();
  const documents = new Map<string, Promise<DocumentFacts>>();
  const icons = new Map<string, Promise<IconFacts>>();
  return {
    async document(url, context, known, early) {
      const address = sameAddress(url);
      if (!repeated.has(address)) return observeDocument(url, 'metadata', context, known, early);
      return {
        ...(await memoizeAsync(documents, address, () => observeDocument(url, 'metadata', context, known))),
        url,
      };
    },
    async icon(url, context, known) {
      const address = sameAddress(url);
      if (!repeated.has(address)) return observeIcon(url, context, known);
      return { ...(await memoizeAsync(icons, address, () => observeIcon(url, context, known))), url };
    },
  };
}

async function lookAtApp(
  key: string,
  entry: JsonValue,
  context: ObserveContext,
  shared: Shared,
  options: WebOptions,
  progress: Progress,
): Promise<AppFacts> {
  const metadataUrl = metadataUrlOf(entry);
  const iconUrl = iconUrlOf(entry);
  const known = (await options.memory?.app(key)) ?? null;
  let artifacts: Promise<ArtifactFacts[]> | null = null;
  const begin = (content: DocumentFacts['content']): Promise<ArtifactFacts[]> => {
    if (artifacts === null) {
      artifacts = lookAtArtifacts(key, listedVersionsIn(content) ?? [], context, options, progress, known);
      // Awaited with the rest; until then a rejection must not count as unhandled.
      artifacts.catch(() => {});
    }
    return artifacts;
  };
  const [icon, metadata] = await Promise.all([
    lookAt(iconUrl, progress, (url) => shared.icon(url, context, known?.facts.icon ?? null)).then(
      (facts) => facts ?? { ...nothing(iconUrl), image: whyNot(iconUrl) },
    ),
    lookAt(metadataUrl, progress, (url) => shared.document(url, context, known?.facts.metadata ?? null, begin)).then(
      async (found) => {
        const facts: DocumentFacts = found ?? nothing(metadataUrl);
        await begin(facts.content);
        return facts;
      },
    ),
  ]);
  return { key, metadata, icon, artifacts: await begin(metadata.content) };
}

function whyNot(url: string | null): Missing {
  return url === null ? MISSHAPEN : MALFORMED;
}

function nothing(url: string | null): { url: string | null; file: null; web: Missing; content: Missing } {
  return { url, file: null, web: whyNot(url), content: whyNot(url) };
}

async function lookAt<T>(url: string | null, progress: Progress, work: (url: string) => Promise<T>): Promise<T | null> {
  const facts = url === null || !isUsable(url) ? null : await work(url);
  progress.done += 1;
  return facts;
}

/** Whether a request makes sense: the rules about URLs report the rest. */
function isUsable(url: string): boolean {
  if (isCanonicalUrl(url)) return true;
  const parsed = parseUrl(url);
  return (
    parsed !== null &&
    (parsed.protocol === 'https:' || parsed.protocol === 'http:') &&
    parsed.username === '' &&
    parsed.password === ''
  );
}

async function lookAtArtifacts(
  app: string,
  list: readonly JsonValue[],
  context: ObserveContext,
  options: WebOptions,
  progress: Progress,
  known: RememberedApp | null,
): Promise<ArtifactFacts[]> {
  const entries = list.map((item) => {
    const { version, artifactUrl, artifactChecksum } = versionFields(item);
    return { version, url: artifactUrl, checksum: artifactChecksum ?? '' };
  });
  const wanted = selection(
    entries.map((entry) => entry.version),
    options.versions ?? 'all',
  );
  const firsts = new Map<string, ReturnType<typeof fetchArtifact>>();
  const seconds = new Map<string, ReturnType<typeof fetchArtifact>>();
  if (!options.skipArtifacts) progress.known += entries.length;
  const queue = options.newestFirst ? newestFirst(entries) : entries;
  const looked = await mapLimit(
    queue,
    async ({ version, url, checksum }): Promise<ArtifactFacts> => {
      const why = options.skipArtifacts
        ? SKIPPED
        : !wanted(version)
          ? NOT_SELECTED
          : url === null || !isUsable(url)
            ? whyNot(url)
            : null;
      if (why) {
        if (why !== SKIPPED) progress.done += 1;
        return { url, file: null, web: why, content: why, archive: why };
      }
      const before = options.memory
        ? verifiedBefore(options.memory, known, url!, checksum, context.certificates)
        : null;
      if (before) {
        progress.done += 1;
        return before;
      }
      const weak = digestOf(checksum) === null;
      const address = sameAddress(url!);
      const dear = firsts.has(`${weak} ${address}`)
        ? null
        : (options.afford?.({ app, version, url: url!, checksum }) ?? null);
      if (dear) {
        progress.done += 1;
        return { url, file: null, web: dear, content: dear, archive: dear };
      }
      const first = await memoizeAsync(firsts, `${weak} ${address}`, () => fetchArtifact(url!, context, { weak }));
      const made = await artifactOf(url!, checksum, first, () =>
        memoizeAsync(seconds, address, () => fetchArtifact(url!, context, { inner: true })),
      );
      progress.done += 1;
      return made;
    },
    Math.max(1, options.concurrency ?? 32),
  );
  const found = new Map(queue.map((entry, index) => [entry, looked[index]!]));
  const facts = entries.map((entry) => found.get(entry)!);
  await addSideViews(facts, context);
  return facts;
}

/** From the highest valid version downwards; invalid versions come last. */
function newestFirst<T extends { version: string | null }>(entries: readonly T[]): T[] {
  const rank = ({ version }: T): string => (version !== null && isSemver(version) ? version : '0.0.0-0');
  return entries.toSorted((a, b) => comparePrecedence(rank(b), rank(a)));
}

/**
 * How the artifacts' hosts respond to browsers is requested once per app and host: for the first artifact that was
 * fetched. If all were verified before, the earlier result is reused.
 */
async function addSideViews(facts: readonly ArtifactFacts[], context: ObserveContext): Promise<void> {
  const chosen = new Map<string, { web: HttpViews; since: string | undefined }>();
  for (const { url, web, reusedFrom: since } of facts) {
    if (url === null || isMissing(web) || !isAnswered(web.server)) continue;
    const { origin } = new URL(url);
    const other = chosen.get(origin);
    const better =
      !other || (other.since !== undefined && (since === undefined || (!isAsked(other.web) && isAsked(web))));
    if (better) chosen.set(origin, { web, since });
    const loser = better ? other?.web : web;
    if (!loser || !isAsked(loser)) continue;
    for (const name of ['preflights', 'headPreflight', 'revalidation', 'headerProbes', 'repeatedProbes'] as const)
      delete loser[name];
    Object.assign(loser, { browser: [], preflight: REQUESTED_ONCE, head: REQUESTED_ONCE });
  }
  for (const { web } of chosen.values())
    if (!isAsked(web)) Object.assign(web, await browserViews(asArtifact(web), context));
}

function asArtifact({ server: service }: HttpViews): Parameters<typeof browserViews>[0] {
  return { role: 'artifact', service, accept: '*/*', reference: null, limit: 0 };
}

function isAsked(web: HttpViews): boolean {
  return !isMissing(web.preflight) || web.browser.length > 0;
}

function selection(
  versions: readonly (string | null)[],
  which: NonNullable<WebOptions['versions']>,
): (version: string | null) => boolean {
  if (which === 'all') return () => true;
  const valid = versions.filter((version) => version !== null && isSemver(version)) as string[];
  if (typeof which === 'function') return (version) => version !== null && which(version);
  const latest = latestOf(valid);
  return (version) => version === latest && latest !== null;
}

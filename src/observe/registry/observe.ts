import { shardOf } from '../../core/engine/shards.ts';
import { type DocumentFacts, isMissing, type AppFacts } from '../../core/facts/facts.ts';
import { header } from '../../core/http/headers.ts';
import { originOf } from '../../core/http/probe.ts';
import { type JsonObject, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { secretsOf } from '../../core/url/secrets.ts';
import type { ScanOptions } from '../archive/read-archive.ts';
import { type DigestWorkerPool, openDigestWorkerPool } from '../archive/digest-worker-pool.ts';
import { type HttpClient, openHttpClient } from '../http/client.ts';
import { DEFAULT_TIMEOUTS } from '../http/limits.ts';
import { redactFacts, redactor } from '../content/redact.ts';
import { observeApp } from './app.ts';
import type { ObservationCache } from './cache/observation-cache.ts';
import { mapInOrder } from './concurrency.ts';
import { BYTE_LIMITS, type ObserveContext, openState } from './context.ts';
import { observeDocument } from './document.ts';
import { AddressObserver } from './each-address.ts';
import type { FactsSink, ObserveResult, ObserveProgress, WebOptions } from './options.ts';
import { shareResources } from './run.ts';

/** Observes a live registry app by app, and releases each app once it was handed over. */

/** A served artifact cannot be corrected, so that a few of its secrets suffice; the facts stay small. */
const SCAN_SERVED: ScanOptions = { folders: [], maxListed: 20 };

/** The clients of a run, which are closed at its end. */
interface Clients {
  http: HttpClient;
  digestWorkers: Pick<DigestWorkerPool, 'open'>;
  /** Null if the addresses of hosts are not compared. */
  addresses: AddressObserver | null;
}

/**
 * Observes the registry whose manifest is served at `url` (spec 4.1). A resource that cannot be fetched is a fact, not
 * an error.
 */
export async function observeRegistry(url: string, options: WebOptions, sink: FactsSink): Promise<ObserveResult> {
  const http = options.http ?? openHttpClient(options);
  const ownWorkers = openDigestWorkerPool(options.threads === true);
  const digestWorkers = options.digestWorkers ?? ownWorkers;
  const addresses = options.eachAddress === true ? new AddressObserver(options) : null;
  try {
    return await observeAll(url, options, sink, { http, digestWorkers, addresses });
  } finally {
    ownWorkers.close();
    await Promise.all([http.close(), addresses?.close()]);
  }
}

async function observeAll(url: string, options: WebOptions, sink: FactsSink, clients: Clients): Promise<ObserveResult> {
  const { memory = null, signal } = options;
  const { addresses } = clients;
  const redaction = openRedaction((options.secrets?.headers ?? []).map(([, value]) => value));
  const progress: ObserveProgress = {
    done: 0,
    known: 1,
    bytes: 0,
    announced: 0,
    host: null,
    app: null,
    apps: 0,
    artifacts: { listed: 0, verified: 0 },
  };
  const context = openContext(options, clients, progress);
  const { content, facts } = observeManifest(url, context, memory);
  const isManifestSent = facts.then(async (manifest) => {
    progress.done += 1;
    const isInterrupted = signal?.aborted === true;
    if (isInterrupted && isMissing(manifest.content)) return false;
    if (!isInterrupted) memory?.keepManifest(manifest);
    await sink.manifest(redaction.manifest((await addresses?.manifest(manifest)) ?? manifest));
    return true;
  });
  // Awaited before the first app is handed over; until then a rejection must not count as unhandled.
  isManifestSent.catch(() => {});
  if (memory) await isManifestSent;
  const listed = manifestAppsIn(await content);
  if (listed === null)
    return {
      interrupted: !(await isManifestSent),
      ...machineLimitIn(clients),
      unknownApps: [],
      nearApps: '',
      elsewhere: 0,
    };
  const { apps, ...selection } = selectApps(listed, options);
  progress.known += apps.length * 2;
  const run = { context, options, progress, shared: shareResources(apps.map(([, entry]) => entry)) };
  const isInterrupted = await mapInOrder(
    apps,
    signal,
    ([key, entry]) => observeApp(key, entry, run),
    async (app) => {
      if (!(await isManifestSent)) return;
      progress.app = redaction.text(app.key);
      options.onProgress?.(progress);
      memory?.keepApp(app);
      const compared = (await addresses?.app(app)) ?? app;
      await sink.app(redaction.app(compared));
    },
  );
  const interrupted = !(await isManifestSent) || isInterrupted;
  const hosts = clients.http.hosts();
  if (!interrupted && hosts.length > 0) await sink.hosts?.(hosts);
  return { interrupted, ...machineLimitIn(clients), ...selection };
}

function machineLimitIn({ http }: Clients): Pick<ObserveResult, 'machineLimit'> {
  return { machineLimit: http.machineLimit() };
}

function openContext(options: WebOptions, { http, digestWorkers }: Clients, progress: ObserveProgress): ObserveContext {
  const { memory, secrets, total } = options;
  const isTotalPerKind = typeof total === 'object' && total !== null;
  return {
    http,
    origins: options.origins ?? [],
    secretNames: secrets
      ? { origin: secrets.origin, names: [...new Set(secrets.headers.map(([name]) => name.toLowerCase()))] }
      : null,
    timeouts: isTotalPerKind
      ? total
      : { small: total ?? DEFAULT_TIMEOUTS.small, artifact: total ?? DEFAULT_TIMEOUTS.artifact },
    limits: { ...BYTE_LIMITS, ...options.limits },
    now: memory?.now ?? null,
    daily: memory?.daily ?? false,
    digestWorkers,
    scan:
      options.scanContent === true
        ? { ...SCAN_SERVED, ...(options.scanLimits && { limits: options.scanLimits }) }
        : null,
    owner: options.owner ?? '',
    onBody({ url, headers }) {
      const length = header(headers, 'content-length');
      progress.announced += length !== null && /^\d{1,15}$/.test(length) ? Number(length) : 0;
      progress.host = originOf(url).replace(/^\w+:\/\//, '');
    },
    onBytes(count) {
      progress.bytes += count;
      options.onProgress?.(progress);
    },
    onIcon: options.onIcon ?? (() => {}),
    copyArtifact: options.copyArtifact ?? (() => null),
    state: openState(),
  };
}

/** The content comes first, so that apps are observed during the further requests for the manifest. */
function observeManifest(
  url: string,
  context: ObserveContext,
  memory: ObservationCache | null,
): { content: Promise<DocumentFacts['content']>; facts: Promise<DocumentFacts> } {
  let resolveContent: ((content: DocumentFacts['content']) => void) | undefined;
  const early = new Promise<DocumentFacts['content']>((resolve) => {
    resolveContent = resolve;
  });
  const facts = observeDocument(url, 'manifest', context, memory?.manifest() ?? null, (content) =>
    resolveContent?.(content),
  );
  return { facts, content: Promise.race([early, facts.then(({ content }) => content)]) };
}

/** The listed apps that the options select, and those that they name but the manifest does not list. */
function selectApps(
  listed: JsonObject,
  { apps: names, choose, shard }: WebOptions,
): { apps: [key: string, entry: JsonValue][] } & Pick<ObserveResult, 'unknownApps' | 'nearApps' | 'elsewhere'> {
  const keys = Object.keys(listed).filter((key) => !names || names.includes(key));
  const chosen = choose?.(keys) ?? keys;
  const own = shard ? chosen.filter((key) => shardOf(key, shard.of) === shard.index) : chosen;
  const unknownApps = (names ?? []).filter((key) => !Object.hasOwn(listed, key));
  return {
    apps: own.flatMap((key): [string, JsonValue][] => {
      const entry = listed[key];
      return entry === undefined ? [] : [[key, entry]];
    }),
    unknownApps,
    nearApps: unknownApps.map((key) => didYouMean(key, Object.keys(listed))).join(''),
    elsewhere: chosen.length - own.length,
  };
}

/** Removes secrets from what is handed over: a host may echo them. */
interface Redaction {
  text(text: string): string;
  manifest(facts: DocumentFacts): DocumentFacts;
  app(facts: AppFacts): AppFacts;
}

/** @param secrets header values */
function openRedaction(secrets: readonly string[]): Redaction {
  const text = redactor(secrets);
  const redact = <T>(facts: T): T => (secrets.length === 0 ? facts : redactFacts(facts, text));
  return {
    text,
    manifest: (facts) => redact(withoutEchoedSignature(facts, 'apps')),
    app: (facts) => redact({ ...facts, metadata: withoutEchoedSignature(facts.metadata, 'versions') }),
  };
}

/** The message in place of a document may quote the signature of the requested URL. */
function withoutEchoedSignature(facts: DocumentFacts, field: 'apps' | 'versions'): DocumentFacts {
  const { url, content } = facts;
  const secrets = url === null ? [] : secretsOf(url);
  if (secrets.length === 0 || isMissing(content) || member(parseDocument(content).value, field) !== undefined)
    return facts;
  return { ...facts, content: redactFacts(content, redactor(secrets)) };
}

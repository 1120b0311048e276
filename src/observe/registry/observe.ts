import { shardOf } from '../../core/engine/shards.ts';
import { type DocumentFacts, isMissing, type AppFacts } from '../../core/facts/facts.ts';
import { header } from '../../core/http/headers.ts';
import { originOf } from '../../core/http/probe.ts';
import { type JsonObject, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { secretsOf } from '../../core/url/secrets.ts';
import type { ScanOptions } from '../archive/read-archive.ts';
import { openDigestWorkerPool } from '../archive/digest-worker-pool.ts';
import { openHttpClient } from '../http/client.ts';
import { DEFAULT_TIMEOUTS } from '../http/limits.ts';
import { redactFacts, redactor } from '../content/redact.ts';
import { Announcements } from './announcements.ts';
import { observeApp, type ObservedApp } from './app.ts';
import type { ObservationCache } from './cache/observation-cache.ts';
import { InFlight } from './concurrency.ts';
import { BYTE_LIMITS, type ObserveContext, openState } from './context.ts';
import { observeDocument } from './document.ts';
import { AddressObserver } from './each-address.ts';
import { FetchedIcons } from './fetched-icons.ts';
import type { WebOptions } from './options.ts';
import type { Figures, ManifestPart, Observing, Part } from './part.ts';
import { shareResources } from './run.ts';
import { openRunClient, type RunClient } from './run-client.ts';

/** Observes a live registry app by app, and releases each app once it was handed over. */

/** A served artifact cannot be corrected, so that a few of its secrets suffice; the facts stay small. */
const SCAN_SERVED: ScanOptions = { folders: [], maxListed: 20 };

/**
 * Observes the registry whose manifest is served at `url` (spec 4.1). A resource that cannot be fetched is a fact, not
 * an error. The first request is sent when the first part is asked for.
 */
export function observe(url: string, options: WebOptions = {}): Observing {
  const figures: Figures = {
    done: 0,
    known: 1,
    bytes: 0,
    announced: 0,
    host: null,
    app: null,
    apps: 0,
    artifacts: { listed: 0, verified: 0, fetched: 0, deferred: 0 },
    machineLimit: null,
  };
  const parts = observeParts(url, options, figures);
  return { figures, [Symbol.asyncIterator]: () => parts };
}

type AppInManifest = [key: string, entry: JsonValue];

/** What a run has opened, and closes when its last part was taken or the loop was left. */
interface Resources {
  readonly http: RunClient;
  /** Null if the addresses of hosts are not compared. */
  readonly addresses: AddressObserver | null;
  readonly announcements: Announcements;
  readonly digestWorkers: ObserveContext['digestWorkers'];
  /** What is in flight. */
  readonly pending: { manifest: Promise<unknown> | null; apps: InFlight<AppInManifest, ObservedApp> | null };
}

async function* observeParts(url: string, options: WebOptions, figures: Figures): AsyncGenerator<Part, void> {
  const client = options.http ?? openHttpClient(options);
  const ownWorkers = openDigestWorkerPool(options.threads === true);
  const resources: Resources = {
    http: openRunClient(client, () => void (figures.machineLimit = client.machineLimit())),
    addresses: options.eachAddress === true ? new AddressObserver(options) : null,
    announcements: new Announcements(options.announce === true),
    digestWorkers: options.digestWorkers ?? ownWorkers,
    pending: { manifest: null, apps: null },
  };
  try {
    yield* observeAll(url, options, figures, resources);
  } finally {
    // A consumer that left the loop holds a part for which an app may wait.
    const { http, addresses, announcements, pending } = resources;
    http.end();
    announcements.close();
    await Promise.allSettled([pending.manifest, pending.apps?.settled()]);
    ownWorkers.close();
    await Promise.all([client.close(), addresses?.close()]);
  }
}

async function* observeAll(
  url: string,
  options: WebOptions,
  figures: Figures,
  resources: Resources,
): AsyncGenerator<Part, void> {
  const { memory = null, signal } = options;
  const { http, addresses, announcements, pending } = resources;
  const isInterrupted = (): boolean => signal?.aborted === true || http.isEnded;
  const redaction = openRedaction((options.secrets?.headers ?? []).map(([, value]) => value));
  const context = openContext(options, figures, resources);

  const { content, facts } = observeManifest(url, context, memory);
  pending.manifest = facts;
  // Awaited later; until then a rejection must not count as unhandled.
  facts.catch(() => {});
  const listed = manifestAppsIn(await content);
  const { apps, ...selection } = listed === null ? NO_APPS : selectApps(listed, options);
  const shared = shareResources(apps.map(([, entry]) => entry));
  const announce = announcements.announce.bind(announcements);
  const run = { context, options, figures, shared, announce };
  const inFlight = (pending.apps = new InFlight(apps, ([key, entry]) => observeApp(key, entry, run)));
  figures.known += apps.length * 2;
  // The apps are observed during the further requests for the manifest, if nothing is known about them.
  if (memory === null) inFlight.startMore();

  const manifest = await facts;
  figures.done += 1;
  const isCutOff = isInterrupted();
  if (isCutOff && isMissing(manifest.content)) return yield { kind: 'end', interrupted: true };
  const compared = (await addresses?.manifest(manifest)) ?? manifest;
  const asObserved = isCutOff ? null : manifest;
  yield { kind: 'manifest', facts: redaction.manifest(compared), asObserved, ...selection };

  inFlight.startMore();
  let interrupted = false;
  for (let first = inFlight.first(); first !== null; first = inFlight.first()) {
    const app = await Promise.race([first, announcements.arrival()]);
    interrupted = isInterrupted();
    if (interrupted) break;
    const announced = announcements.first();
    if (announced !== null) {
      yield announced;
      announcements.release();
    } else if (app !== null) {
      inFlight.remove();
      const { facts: asObserved, about } = app;
      figures.app = redaction.text(asObserved.key);
      const facts = redaction.app((await addresses?.app(asObserved)) ?? asObserved);
      yield { kind: 'app', facts, asObserved, about, icon: context.icons?.take(asObserved.icon.url) ?? null };
      inFlight.startMore();
    }
  }
  announcements.close();
  await inFlight.settled();
  const hosts = http.hosts();
  if (!interrupted && hosts.length > 0) yield { kind: 'hosts', facts: hosts };
  yield { kind: 'end', interrupted };
}

function openContext(
  options: WebOptions,
  figures: Figures,
  { http, digestWorkers }: Pick<Resources, 'http' | 'digestWorkers'>,
): ObserveContext {
  const { memory, secrets, total, budget = null, iconBytes } = options;
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
      figures.announced += length !== null && /^\d{1,15}$/.test(length) ? Number(length) : 0;
      figures.host = originOf(url).replace(/^\w+:\/\//, '');
    },
    onBytes(count) {
      figures.bytes += count;
      // Requests in progress are limited as well.
      if (budget !== null && figures.bytes > budget.bytes) http.end();
    },
    icons: iconBytes === undefined ? null : new FetchedIcons(iconBytes),
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

type Selection = Pick<ManifestPart, 'order' | 'unknownApps' | 'nearApps' | 'elsewhere'> & { apps: AppInManifest[] };

/** Of a manifest that lists no apps. */
const NO_APPS: Selection = { apps: [], order: [], unknownApps: [], nearApps: '', elsewhere: 0 };

/** The listed apps that the options select, and those that they name but the manifest does not list. */
function selectApps(listed: JsonObject, { apps: names, atMost, startAfter = null, shard }: WebOptions): Selection {
  const selected = Object.keys(listed)
    .filter((key) => !names || names.includes(key))
    .slice(0, atMost);
  const start = startAfter === null ? 0 : selected.indexOf(startAfter) + 1;
  const ordered = [...selected.slice(start), ...selected.slice(0, start)];
  const order = shard ? ordered.filter((key) => shardOf(key, shard.of) === shard.index) : ordered;
  const unknownApps = (names ?? []).filter((key) => !Object.hasOwn(listed, key));
  return {
    apps: order.flatMap((key): AppInManifest[] => {
      const entry = listed[key];
      return entry === undefined ? [] : [[key, entry]];
    }),
    order,
    unknownApps,
    nearApps: unknownApps.map((key) => didYouMean(key, Object.keys(listed))).join(''),
    elsewhere: ordered.length - order.length,
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

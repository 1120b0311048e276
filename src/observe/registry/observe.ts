import { shardOf } from '../../core/engine/shards.ts';
import {
  type AppFacts,
  type ArtifactFacts,
  type DocumentFacts,
  type IconFacts,
  isMissing,
  type Missing,
} from '../../core/facts/facts.ts';
import { headerValue } from '../../core/http/headers.ts';
import { isAnswered, originOf } from '../../core/http/probe.ts';
import { type JsonObject, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { iconUrlOf, listedVersionsIn, manifestAppsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { secretsOf } from '../../core/url/secrets.ts';
import { comparableUrl } from '../../core/url/url.ts';
import { memoizeAsync } from '../../core/values/promises.ts';
import { openDigestWorkerPool } from '../archive/digest-worker-pool.ts';
import type { ScanOptions } from '../archive/read-archive.ts';
import { redactFacts } from '../content/redact.ts';
import { redactor } from '../../core/text/redactor.ts';
import { openHttpClient } from '../http/client.ts';
import { DEFAULT_TIMEOUTS } from '../http/limits.ts';
import { isRequestable } from '../http/request.ts';
import { SecureContexts } from '../http/tls.ts';
import { openRunClient, type RunClient } from '../http/run-client.ts';
import { AddressObserver } from './addresses.ts';
import { observeArtifacts } from './artifact.ts';
import type { ObservationCache } from './cache.ts';
import type { ObserveContext, RegistryRun } from './context.ts';
import { type AboutRequest, observeAbout, observeDocument } from './document.ts';
import { reasonNotRequestable } from './fetch.ts';
import { HostsSeen } from './hosts-seen.ts';
import { FetchedIcons, observeIcon } from './icon.ts';
import { BYTE_LIMITS, type ListedArtifact, type WebOptions } from './options.ts';
import type { Figures, ListedPart, ManifestPart, ObservedAbout, Observing, Part } from './part.ts';

/** Observes a live registry app by app, and releases each app once it was handed over. */

/** A served artifact cannot be corrected, so that a few of its secrets suffice; the facts stay small. */
const SCAN_SERVED: ScanOptions = { folders: [], maxListed: 20 };

/**
 * Observes the registry whose manifest is served at `url` (spec 4.1). A resource that cannot be fetched is a fact, not
 * an error. The first request is sent when the first part is asked for.
 */
export function observe(url: string, options: WebOptions = {}): Observing {
  const figures = noFigures();
  const parts = observeParts(url, options, figures);
  return { figures, [Symbol.asyncIterator]: () => parts };
}

function noFigures(): Figures {
  return {
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
}

type AppInManifest = [key: string, entry: JsonValue];

/** Opened by a run, and closed when its last part was taken or the loop was left. */
interface Resources {
  readonly http: RunClient;
  /** Null if the addresses of hosts are not compared. */
  readonly addresses: AddressObserver | null;
  /** Null if no part hands over the icons. */
  readonly icons: FetchedIcons | null;
  readonly digestWorkers: ObserveContext['digestWorkers'];
  /** In flight. */
  readonly pending: { manifest: Promise<unknown> | null; apps: SelectedApps | null };
}

async function* observeParts(url: string, options: WebOptions, figures: Figures): AsyncGenerator<Part, void> {
  const contexts = options.contexts ?? new SecureContexts();
  const client = options.http ?? openHttpClient({ ...options, contexts });
  const ownWorkers = openDigestWorkerPool(options.threads === true);
  const resources: Resources = {
    http: openRunClient(client, () => void (figures.machineLimit = client.machineLimit())),
    addresses: options.eachAddress === true ? new AddressObserver({ ...options, contexts }) : null,
    icons: options.iconBytes === undefined ? null : new FetchedIcons(options.iconBytes),
    digestWorkers: options.digestWorkers ?? ownWorkers,
    pending: { manifest: null, apps: null },
  };
  try {
    yield* observeAll(url, options, figures, resources);
  } finally {
    // A consumer that left the loop holds a part for which an app may wait.
    const { http, addresses, pending } = resources;
    http.end();
    pending.apps?.announcements.close();
    await Promise.allSettled([pending.manifest, pending.apps?.inFlight.settled()]);
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
  const { http, addresses, icons, pending } = resources;
  const isInterrupted = (): boolean => signal?.aborted === true || http.isEnded;
  const redaction = openRedaction((options.secrets?.headers ?? []).map(([, value]) => value));
  const context = openContext(options, figures, resources);

  const { content, facts } = observeManifest(url, context, memory);
  pending.manifest = facts;
  // Awaited later; until then a rejection must not count as unhandled.
  facts.catch(() => {});
  const early = await content;
  const open = { context, options, figures };
  let selected = (pending.apps = openApps(early, open));
  // The apps are observed during the further requests for the manifest, if nothing is known about them.
  if (memory === null) selected.inFlight.startMore();

  const manifest = await facts;
  if (manifest.content !== early) {
    // The host sent another manifest at the end of the requests for it.
    await selected.abandon();
    Object.assign(figures, noFigures(), { bytes: figures.bytes, announced: figures.announced });
    selected = pending.apps = openApps(manifest.content, open);
  }
  const { inFlight, announcements, selection } = selected;
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
      yield { ...announced, versions: redaction.versions(announced.versions) };
      announcements.release();
    } else if (app !== null) {
      inFlight.remove();
      const { facts: asObserved, about } = app;
      figures.app = redaction.text(asObserved.key);
      const facts = redaction.app((await addresses?.app(asObserved)) ?? asObserved);
      yield { kind: 'app', facts, asObserved, about, icon: icons?.take(asObserved.icon.url) ?? null };
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
  { http, icons, digestWorkers }: Pick<Resources, 'http' | 'icons' | 'digestWorkers'>,
): ObserveContext {
  const { memory, secrets, total, budget = null } = options;
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
      const length = headerValue(headers, 'content-length');
      figures.announced += length !== null && /^\d{1,15}$/.test(length) ? Number(length) : 0;
      figures.host = originOf(url).replace(/^\w+:\/\//, '');
    },
    onBytes(count) {
      figures.bytes += count;
      // Requests in progress are limited as well.
      if (budget !== null && figures.bytes > budget.bytes) http.end();
    },
    onIcon: (url, bytes) => icons?.add(url, bytes),
    copyArtifact: options.copyArtifact ?? (() => null),
    hosts: new HostsSeen(),
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

/** The apps of a manifest that are observed. */
interface SelectedApps {
  readonly selection: Omit<Selection, 'apps'>;
  readonly announcements: Announcements;
  readonly inFlight: InFlight<AppInManifest, ObservedApp>;
  /** Ends their observation, whose results are not needed. */
  abandon(): Promise<void>;
}

/** Selects the apps that a manifest lists, and starts nothing. */
function openApps(
  content: DocumentFacts['content'],
  open: Pick<AppRun, 'context' | 'options' | 'figures'>,
): SelectedApps {
  const { options, figures } = open;
  const listed = manifestAppsIn(content);
  const { apps, ...selection } = listed === null ? NO_APPS : selectApps(listed, options);
  const shared = shareResources(apps.map(([, entry]) => entry));
  const announcements = new Announcements(options.announce === true);
  const run: AppRun = { ...open, shared, announce: announcements.announce.bind(announcements) };
  const inFlight = new InFlight(apps, ([key, entry]: AppInManifest) => observeApp(key, entry, run));
  figures.known += apps.length * 2;
  return {
    selection,
    announcements,
    inFlight,
    abandon() {
      announcements.abandon();
      return inFlight.settled();
    },
  };
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
  versions(listed: readonly JsonValue[]): readonly JsonValue[];
  app(facts: AppFacts): AppFacts;
}

/** @param secrets header values */
function openRedaction(secrets: readonly string[]): Redaction {
  const text = redactor(secrets);
  const redact = <T>(facts: T): T => (secrets.length === 0 ? facts : redactFacts(facts, text));
  return {
    text,
    manifest: (facts) => redact(withoutEchoedSignature(facts, 'apps')),
    versions: redact,
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

/** The artifacts that are not fetched, and the reasons. */
type LeftOut = ReadonlyMap<ListedArtifact, Missing>;

interface Announcement {
  part: ListedPart;
  /** The app goes on with its artifacts. */
  release(): void;
}

/** The artifacts of apps that are not observed any more. */
const ABANDONED: Missing = { missing: { code: 'interrupted' } };

/** The `listed` parts of the apps in flight. Each app waits until its part was dealt with. */
class Announcements {
  readonly #waiting: Announcement[] = [];
  #onArrival: (() => void) | null = null;
  #isOpen: boolean;
  #isAbandoned = false;

  /** @param isOpen false if no parts are announced */
  constructor(isOpen: boolean) {
    this.#isOpen = isOpen;
  }

  /** Resolves once the part was dealt with: to what it leaves out. */
  announce(key: string, versions: readonly JsonValue[], artifacts: readonly ListedArtifact[]): Promise<LeftOut> {
    const leftOut = new Map<ListedArtifact, Missing>();
    if (this.#isAbandoned) for (const artifact of artifacts) leftOut.set(artifact, ABANDONED);
    if (!this.#isOpen) return Promise.resolve(leftOut);
    const part: ListedPart = {
      kind: 'listed',
      key,
      versions,
      artifacts,
      leaveOut(some, reason) {
        for (const artifact of some) leftOut.set(artifact, reason);
      },
    };
    return new Promise((resolve) => {
      this.#waiting.push({ part, release: () => resolve(leftOut) });
      this.#onArrival?.();
    });
  }

  /** Resolves once a part waits. Only the last promise resolves. */
  arrival(): Promise<null> {
    return new Promise((resolve) => {
      this.#onArrival = () => resolve(null);
      if (this.#waiting.length > 0) resolve(null);
    });
  }

  /** The first part that waits; null if none does. */
  first(): ListedPart | null {
    return this.#waiting[0]?.part ?? null;
  }

  /** The first part was dealt with. */
  release(): void {
    this.#waiting.shift()?.release();
  }

  /** Releases all apps that wait, without their artifacts; so does each later one. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const { part } of this.#waiting) part.leaveOut(part.artifacts, ABANDONED);
    this.close();
  }

  /** Releases all apps that wait, also the one whose part was handed over; no later one waits. */
  close(): void {
    this.#isOpen = false;
    for (const { release } of this.#waiting.splice(0)) release();
  }
}

/** Items in flight at once; those after a slow one wait, so that memory does not grow with the registry. */
const WINDOW = 24;

/** Items of a list that are processed at once, and whose results are taken in order. */
class InFlight<T, R> {
  readonly #items: readonly T[];
  readonly #work: (item: T) => Promise<R>;
  readonly #results: Promise<R>[] = [];
  #started = 0;

  /** Starts nothing. */
  constructor(items: readonly T[], work: (item: T) => Promise<R>) {
    this.#items = items;
    this.#work = work;
  }

  /** Starts items, as long as few enough are in flight. */
  startMore(): void {
    const end = this.#started + WINDOW - this.#results.length;
    for (const item of this.#items.slice(this.#started, end)) {
      const result = this.#work(item);
      // Awaited later in order; until then a rejection must not count as unhandled.
      result.catch(() => {});
      this.#results.push(result);
      this.#started += 1;
    }
  }

  /** The result of the first item in flight; null if none is. */
  first(): Promise<R> | null {
    return this.#results[0] ?? null;
  }

  /** Takes the first item, so that another one can be started. */
  remove(): void {
    void this.#results.shift();
  }

  /** Resolves once no item is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#results);
  }
}

/** An app, with what a later run needs of its about file: null if it was not requested. */
interface ObservedApp {
  facts: AppFacts;
  about: ObservedAbout | null;
}

/** Observes one app: its metadata and icon at once, and its artifacts as soon as the metadata lists them. */
async function observeApp(key: string, entry: JsonValue, run: AppRun): Promise<ObservedApp> {
  const { context, options, shared } = run;
  const known = (await options.memory?.app(key)) ?? null;
  let started: { content: DocumentFacts['content']; artifacts: Promise<ArtifactFacts[]> } | null = null;
  const startArtifacts = async (content: DocumentFacts['content']): Promise<ArtifactFacts[]> => {
    if (started?.content !== content) {
      // The host sent another metadata file at the end of the requests for it.
      if (started !== null) await started.artifacts;
      started = { content, artifacts: observeArtifacts(key, listedVersionsIn(content) ?? [], run, known) };
      // Awaited with the rest; until then a rejection must not count as unhandled.
      started.artifacts.catch(() => {});
    }
    return started.artifacts;
  };
  const url = metadataUrlOf(entry);
  const fetchingMetadata = isRequestable(url)
    ? shared.metadata(url, context, known?.facts.metadata ?? null, startArtifacts)
    : Promise.resolve(notRequestable(url));
  const observeMetadata = async (): Promise<DocumentFacts> => {
    const facts = await fetchingMetadata;
    run.figures.done += 1;
    run.figures.apps += 1;
    await startArtifacts(facts.content);
    return facts;
  };
  const observeAppIcon = async (): Promise<IconFacts> => {
    const url = iconUrlOf(entry);
    const facts = isRequestable(url)
      ? await shared.icon(url, context, known?.facts.icon ?? null)
      : { ...notRequestable(url), image: reasonNotRequestable(url) };
    run.figures.done += 1;
    return facts;
  };
  const observeAppAbout = async (): Promise<ObservedAbout | null> => {
    if (options.about !== true || !isRequestable(url)) return null;
    const { memory } = options;
    if (memory?.about === undefined) return shared.about({ metadataUrl: url, known: null, confirms: true }, context);
    // A host that fails is not asked for it as well, and whether it answers 304 to everything is known then.
    const { web } = await fetchingMetadata;
    if (isMissing(web) || !isAnswered(web.server)) return null;
    return shared.about({ metadataUrl: url, known: await memory.about(key), confirms: false }, context);
  };
  const [icon, metadata, about] = await Promise.all([observeAppIcon(), observeMetadata(), observeAppAbout()]);
  const facts: AppFacts = { key, metadata, icon, artifacts: await startArtifacts(metadata.content) };
  const file = about?.facts ?? null;
  return { facts: file === null ? facts : { ...facts, about: file }, about };
}

function notRequestable(url: string | null): { url: string | null; file: null; web: Missing; content: Missing } {
  const reason = reasonNotRequestable(url);
  return { url, file: null, web: reason, content: reason };
}

/** A run, with what its apps share. */
interface AppRun extends RegistryRun {
  readonly shared: SharedResources;
}

/** Metadata, about files and icons by URL: equal URLs, ignoring fragments, are requested once. */
interface SharedResources {
  metadata(
    url: string,
    context: ObserveContext,
    known: DocumentFacts | null,
    onContent: (content: DocumentFacts['content']) => void,
  ): Promise<DocumentFacts>;
  about(request: AboutRequest, context: ObserveContext): Promise<ObservedAbout>;
  icon(url: string, context: ObserveContext, known: IconFacts | null): Promise<IconFacts>;
}

/** Only those listed more than once are remembered. */
function shareResources(entries: readonly JsonValue[]): SharedResources {
  const repeated = repeatedAddresses(entries);
  const documents = new Map<string, Promise<DocumentFacts>>();
  const abouts = new Map<string, Promise<ObservedAbout>>();
  const icons = new Map<string, Promise<IconFacts>>();
  return {
    async metadata(url, context, known, onContent) {
      const address = comparableUrl(url);
      if (!repeated.has(address)) return observeDocument(url, 'metadata', context, known, onContent);
      const facts = await memoizeAsync(documents, address, () => observeDocument(url, 'metadata', context, known));
      return { ...facts, url };
    },
    about(request, context) {
      const address = comparableUrl(request.metadataUrl);
      if (!repeated.has(address)) return observeAbout(request, context);
      return memoizeAsync(abouts, address, () => observeAbout(request, context));
    },
    async icon(url, context, known) {
      const address = comparableUrl(url);
      if (!repeated.has(address)) return observeIcon(url, context, known);
      // The result of an earlier run is without the bytes, which apps need that have no such result.
      const key = known?.url === url ? address : `new ${address}`;
      return { ...(await memoizeAsync(icons, key, () => observeIcon(url, context, known))), url };
    },
  };
}

function repeatedAddresses(entries: readonly JsonValue[]): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const entry of entries) {
    for (const url of [metadataUrlOf(entry), iconUrlOf(entry)]) {
      if (url === null) continue;
      const address = comparableUrl(url);
      if (seen.has(address)) repeated.add(address);
      else seen.add(address);
    }
  }
  return repeated;
}

import { type DocumentFacts, isMissing } from '../../core/facts/facts.ts';
import { type JsonObject, member } from '../../core/json/json.ts';
import { type HttpClient } from '../../observe/http/client.ts';
import { type Budget } from './budget.ts';
import { type RequestCredentials, unlessSecret, containsSecret } from './credentials.ts';
import { type Judge } from './judge.ts';
import {
  type RefreshContext,
  type RefreshState,
  withoutFetched,
  appOrder,
  verifiedUntil,
  FINDINGS_LIMIT,
} from './plan.ts';
import { openAppRecords } from '../db/app-records.ts';
import { openReceivedArtifacts } from './received.ts';
import { openIconCollector, withoutUnstoredIcon } from './icons.ts';
import { openProgressWriter } from './progress.ts';
import { openAboutFiles } from './about-files.ts';
import { type NewEvent, type EventType, type EventCertificate, registryEvent } from '../domain/events.ts';
import { type WebOptions, type FactsSink } from '../../observe/registry/options.ts';
import { pendingVersions, appChange } from './app-change.ts';
import { addPendingVersions, writeListing, writeApp } from '../db/refreshed-apps.ts';
import { applyChanges } from '../domain/version.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { areCredentialsRefused, statusOf } from '../../core/http/probe.ts';
import { confirmSubscriptions } from '../db/confirmations.ts';
import { listedAppsIn } from '../domain/listing.ts';
import { observeRegistry } from '../../observe/registry/observe.ts';
import { parseUrl } from '../../core/url/url.ts';

/** What a refresh observed, once its apps are written. */
export interface Observation {
  /** Whether it ended before everything was observed. */
  readonly interrupted: boolean;
  /** Null if it could not be read, or contains the credentials. */
  readonly manifest: DocumentFacts | null;
  /** The apps of a usable manifest, by key. */
  readonly apps: JsonObject | null;
  /** The apps in order of observation, and the number that was reached. */
  readonly order: readonly string[];
  readonly done: number;
  /** Listed versions beyond the limit per app. */
  readonly versionsBeyond: number;
  /** The events that were recorded with the apps. */
  readonly changes: EventCounts;
  readonly certificates: CertificateChange | null;
  /** Whether the host refused the credentials. */
  readonly unauthorized: boolean;
}

const NOTHING: Observation = {
  interrupted: false,
  manifest: null,
  apps: null,
  order: [],
  done: 0,
  versionsBeyond: 0,
  changes: {},
  certificates: null,
  unauthorized: false,
};

interface Observers {
  http: HttpClient;
  budget: Budget;
  credentials: RequestCredentials;
  judge: Judge;
}

/**
 * Observes a registry with the cache of previous refreshes. Each app is judged and written when it is done, so that
 * memory does not grow with the registry.
 * @throws Superseded if another refresh has taken over the registry
 */
export async function observe(
  context: RefreshContext,
  state: RefreshState,
  { http, budget, credentials, judge }: Observers,
): Promise<Observation> {
  const { db, settings } = context;
  const { registry, storedManifest, artifacts, web, now } = state;
  const { limits } = settings;
  const versionOptions = { now, limit: limits.versionsPerApp, answers: artifacts.answers };
  const records = openAppRecords(db, registry.id);
  const received = openReceivedArtifacts(context.artifacts, registry.id);
  const icons = openIconCollector();
  const progress = openProgressWriter(context, registry);
  const abouts = openAboutFiles(records, credentials, judge.logUnreached);
  let observation = NOTHING;

  function add(part: Partial<Observation>, events: readonly NewEvent[] = []): void {
    observation = { ...observation, ...part, changes: countEvents(observation.changes, events) };
  }

  /** True if this node could not send a request: facts without it say nothing about the registry, and are not written. */
  function isLimitedHere(): boolean {
    if (http.machineLimit() === null) return false;
    budget.stop();
    return true;
  }

  const options: WebOptions = {
    ...web,
    http,
    about: true,
    memory: {
      now: now.toISOString(),
      daily: true,
      manifest: () => storedManifest,
      app: async (key) => withoutFetched(state, withoutUnstoredIcon(await records.read(key))),
      about: abouts.memory,
      keepManifest: (manifest) => add({ manifest: unlessSecret(credentials, manifest) }),
      keepApp: () => {},
    },
    choose(keys) {
      const order = appOrder(state, keys, limits);
      records.order(order);
      add({ order });
      return order;
    },
    // Subscribers see new versions as pending while their artifacts are fetched.
    async onListed(key, listed) {
      const record = records.loaded(key);
      const pending = record && pendingVersions(record, listed, versionOptions);
      if (record === null || pending === null) return;
      const { changes, events } = pending;
      await addPendingVersions(db, registry, key, { versions: changes.changed, events, at: context.now() });
      record.versions = [...applyChanges(record.versions, changes)];
      add({}, events);
      judge.invalidate();
    },
    afford(artifact) {
      const until = verifiedUntil(state, records.loaded(artifact.app), artifact);
      if (until === null) return budget.afford();
      judge.notAfter(until);
      // Without the date: it may be from before a subscription that sees the report.
      return { missing: { code: 'verified-before' }, intentional: true };
    },
    onIcon(facts, bytes) {
      if (!containsSecret(credentials, bytes)) icons.add(facts, bytes);
    },
    copyArtifact: received.copy,
    onProgress(observed) {
      progress.show(() => ({ total: observation.order.length, observed }));
      budget.onProgress(observed);
    },
  };

  const sink: FactsSink = {
    async manifest(facts) {
      if (isLimitedHere()) return;
      const apps = manifestAppsIn(facts.content);
      judge.manifest(facts);
      add({
        apps,
        certificates: certificateChange(registry.certificates, facts),
        unauthorized: !isMissing(facts.web) && areCredentialsRefused(facts.web.server),
      });
      if (apps === null) return;
      // Before what it changes is recorded, so that these subscriptions see it.
      await confirmSubscriptions(db, registry);
      // The rows were written from this manifest.
      if (storedManifest !== null && facts.viewsReusedFrom !== undefined) return;
      judge.invalidate();
      add({}, await writeListing(db, registry, listedAppsIn(apps, limits.apps), limits.apps, context.now()));
    },
    async app(observed) {
      if (isLimitedHere()) return;
      const { key } = observed;
      const { learned: about, facts } = abouts.take(observed);
      const record = await records.read(key);
      const kept = await received.keptChecksums(facts, record);
      const judged = judge.app(facts, record, kept);
      const isRefused = [facts.metadata, ...facts.artifacts].some(isUnauthorized);
      add({ done: observation.done + 1, unauthorized: observation.unauthorized || isRefused });
      records.release(key);
      // The database cannot store the key: there is only the finding.
      if (record === null) return;
      const entry = member(observation.apps ?? undefined, key) ?? null;
      const icon = icons.iconOf(facts.icon);
      const update = { ...versionOptions, record, facts, judged, about, kept, entry, icon, at: context.now() };
      const { change, beyond } = appChange(update);
      if (await writeApp(db, registry, record, change)) judge.invalidate();
      await received.keepVerified(facts, applyChanges(record.versions, change.versions));
      add({ versionsBeyond: observation.versionsBeyond + beyond }, change.events);
      if (judge.findings() > FINDINGS_LIMIT) budget.stop();
    },
    hosts: (facts) => judge.hosts(facts),
  };

  const { interrupted } = await observeRegistry(registry.url, options, sink)
    .finally(received.discard)
    .finally(progress.close);
  return { ...observation, interrupted };
}

/** Some hosts respond with 403 for a single missing file; 401 is about the credentials. */
function isUnauthorized({ web }: Pick<DocumentFacts, 'web'>): boolean {
  return !isMissing(web) && areCredentialsRefused(web.server) && statusOf(web.server) === 401;
}

/** The number of events that a check records, by type. */
export type EventCounts = Readonly<Partial<Record<EventType, number>>>;

export function countEvents(counts: EventCounts, events: readonly NewEvent[]): EventCounts {
  if (events.length === 0) return counts;
  const sum = { ...counts };
  for (const { type } of events) sum[type] = (sum[type] ?? 0) + 1;
  return sum;
}

/** A host may have several at a time, one per address or key type, which are no news each time. */
const CERTIFICATES_KEPT = 8;

interface CertificateChange {
  /** The certificates to store, the last one first. */
  certificates: EventCertificate[];
  /** Null for the first certificate of a registry. */
  event: NewEvent | null;
}

/** @returns null unless the host has a certificate that it did not have before */
function certificateChange(
  known: readonly EventCertificate[] | null,
  { web }: DocumentFacts,
): CertificateChange | null {
  const hop = isMissing(web) ? undefined : web.server.hops[0];
  if (!hop?.tls) return null;
  const { fingerprint256, subject, issuer, notAfter } = hop.tls;
  if (known?.some((one) => one.fingerprint256 === fingerprint256)) return null;
  const after = { fingerprint256, subject, issuer, notAfter };
  const [before] = known ?? [];
  const host = parseUrl(hop.url)?.host ?? '';
  return {
    certificates: [after, ...(known ?? [])].slice(0, CERTIFICATES_KEPT),
    event: before === undefined ? null : registryEvent('certificate-changed', { host, before, after }),
  };
}

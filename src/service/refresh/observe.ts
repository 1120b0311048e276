import { type DocumentFacts, isMissing } from '../../core/facts/facts.ts';
import { type JsonObject, member } from '../../core/json/json.ts';
import { type HttpClient } from '../../observe/http/client.ts';
import { type Budget } from './budget.ts';
import { type RequestCredentials, unlessSecret } from './credentials.ts';
import { type Judge } from './judge.ts';
import { type RefreshContext, type RefreshState, withoutFetched, verifiedUntil, FINDINGS_LIMIT } from './plan.ts';
import { openAppRecords } from '../db/app-records.ts';
import { openReceivedArtifacts } from './received.ts';
import { ICON_BYTES, openIconCollector, withoutUnstoredIcon } from './icons.ts';
import { openProgressWriter } from './progress.ts';
import { learnedAbout } from './about-files.ts';
import { type NewEvent, type EventType, type EventCertificate, registryEvent } from '../domain/events.ts';
import { type AppPart, type ListedPart, type ManifestPart } from '../../observe/registry/part.ts';
import { pendingVersions, appChange } from './app-change.ts';
import { addPendingVersions, writeListing, writeApp } from '../db/refreshed-apps.ts';
import { applyChanges } from '../domain/version.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { areCredentialsRefused, statusOf } from '../../core/http/probe.ts';
import { confirmSubscriptions } from '../db/confirmations.ts';
import { listedAppsIn } from '../domain/listing.ts';
import { observe } from '../../observe/registry/observe.ts';
import { parseUrl } from '../../core/url/url.ts';

/** What a refresh observed, once its apps are written. */
export interface Observation {
  /** Whether it ended, or was left, before everything was observed. */
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
  /** The artifacts and bytes that were fetched, and whether some artifacts are left to the next refresh. */
  readonly artifacts: number;
  readonly bytes: number;
  readonly hasDeferred: boolean;
}

const NOTHING: Observation = {
  interrupted: true,
  manifest: null,
  apps: null,
  order: [],
  done: 0,
  versionsBeyond: 0,
  changes: {},
  certificates: null,
  unauthorized: false,
  artifacts: 0,
  bytes: 0,
  hasDeferred: false,
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
 * @returns null if this node could not send a request: facts without it say nothing about the registry, and are not
 * written
 * @throws Superseded if another refresh has taken over the registry
 */
export async function observeAndWrite(
  context: RefreshContext,
  state: RefreshState,
  { http, budget, credentials, judge }: Observers,
): Promise<Observation | null> {
  const { db, settings } = context;
  const { registry, storedManifest, artifacts, web, now } = state;
  const { limits } = settings;
  const versionOptions = { now, limit: limits.versionsPerApp, answers: artifacts.answers };
  const records = openAppRecords(db, registry.id);
  const received = openReceivedArtifacts(context.artifacts, registry.id);
  const icons = openIconCollector(credentials);
  let observation = NOTHING;

  function add(part: Partial<Observation>, events: readonly NewEvent[] = []): void {
    observation = { ...observation, ...part, changes: countEvents(observation.changes, events) };
  }

  async function writeManifest({ facts, asObserved, order }: ManifestPart): Promise<void> {
    records.order(order);
    const apps = manifestAppsIn(facts.content);
    judge.manifest(facts);
    add({
      order,
      apps,
      manifest: unlessSecret(credentials, asObserved),
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
  }

  /** Subscribers see new versions as pending while their artifacts are fetched. */
  async function writeListed({ key, versions, leaveOut }: ListedPart): Promise<void> {
    const record = records.loaded(key);
    leaveOut((artifact) => {
      const until = verifiedUntil(state, records.loaded(key), artifact);
      if (until === null) return null;
      judge.notAfter(until);
      // Without the date: it may be from before a subscription that sees the report.
      return { missing: { code: 'verified-before' }, intentional: true };
    });
    const pending = record && pendingVersions(record, versions, versionOptions);
    if (record === null || pending === null) return;
    const { changes, events } = pending;
    await addPendingVersions(db, registry, key, { versions: changes.changed, events, at: context.now() });
    record.versions = [...applyChanges(record.versions, changes)];
    add({}, events);
    judge.invalidate();
  }

  async function writeObserved(part: AppPart): Promise<void> {
    const { key } = part.facts;
    const { learned: about, facts } = learnedAbout(part, credentials, judge.logUnreached);
    const record = await records.read(key);
    const kept = await received.keptChecksums(facts, record);
    const judged = judge.app(facts, record, kept);
    const isRefused = [facts.metadata, ...facts.artifacts].some(isUnauthorized);
    add({ done: observation.done + 1, unauthorized: observation.unauthorized || isRefused });
    records.release(key);
    icons.add(facts.icon, part.icon);
    // The database cannot store the key: there is only the finding.
    if (record === null) return;
    const entry = member(observation.apps ?? undefined, key) ?? null;
    const icon = icons.iconOf(facts.icon);
    const update = { ...versionOptions, record, facts, judged, about, kept, entry, icon, at: context.now() };
    const { change, beyond } = appChange(update);
    if (await writeApp(db, registry, record, change)) judge.invalidate();
    await received.keepVerified(facts, applyChanges(record.versions, change.versions));
    add({ versionsBeyond: observation.versionsBeyond + beyond }, change.events);
  }

  const parts = observe(registry.url, {
    ...web,
    http,
    about: true,
    announce: true,
    memory: {
      now: now.toISOString(),
      daily: true,
      manifest: () => storedManifest,
      app: async (key) => withoutFetched(state, withoutUnstoredIcon(await records.read(key))),
      about: async (key) => (await records.read(key))?.about.file ?? null,
    },
    atMost: limits.apps,
    startAfter: registry.resumeAfter,
    budget: budget.observation,
    iconBytes: ICON_BYTES,
    copyArtifact: received.copy,
  });
  const { figures } = parts;
  const progress = openProgressWriter(context, registry, figures, () => observation.order.length);
  try {
    for await (const part of parts) {
      if (figures.machineLimit !== null) return null;
      if (part.kind === 'manifest') await writeManifest(part);
      else if (part.kind === 'listed') await writeListed(part);
      else if (part.kind === 'hosts') judge.hosts(part.facts);
      else if (part.kind === 'end') add({ interrupted: part.interrupted });
      else {
        await writeObserved(part);
        if (judge.findings() > FINDINGS_LIMIT) break;
      }
    }
  } finally {
    await progress.close();
    await received.discard();
  }
  const { bytes } = figures;
  return { ...observation, bytes, artifacts: figures.artifacts.fetched, hasDeferred: figures.artifacts.deferred > 0 };
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

import { isMissing } from '../../core/facts/facts.ts';
import { areCredentialsRefused } from '../../core/http/probe.ts';
import { member } from '../../core/json/json.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { type WebOptions } from '../../observe/registry/options.ts';
import { type AppPart, type Figures, type ListedPart, type ManifestPart } from '../../observe/registry/part.ts';
import { openAppRecords } from '../db/app-records.ts';
import { confirmSubscriptions } from '../db/confirmations.ts';
import { addPendingVersions, writeApp, writeListing } from '../db/refreshed-apps.ts';
import { type NewEvent } from '../domain/events.ts';
import { listedAppsIn } from '../domain/listing.ts';
import { applyChanges } from '../domain/version.ts';
import { learnedAbout } from './about-files.ts';
import { appChange, pendingVersions } from './app-change.ts';
import { type RequestCredentials, unlessSecret } from './credentials.ts';
import { ICON_BYTES, openIconCollector, withoutUnstoredIcon } from './icons.ts';
import { type Judge } from './judge.ts';
import { certificateChange, countEvents, isUnauthorized, NOTHING_OBSERVED, type Observation } from './observation.ts';
import { type RefreshContext, type RefreshState, verifiedUntil, withoutArtifactsToFetch } from './plan.ts';
import { openReceivedArtifacts } from './received.ts';

/**
 * Judges the parts of a registry, and writes what they change: one at a time, in transactions that name the claim of
 * the refresh. Nothing else writes while a registry is observed.
 */
export interface PartWriter {
  /** Known state of the registry, and the targets of bytes: for the observation. */
  readonly known: Pick<WebOptions, 'memory' | 'iconBytes' | 'copyArtifact'>;
  /** Lists its apps. @throws Superseded if another refresh has taken over the registry, as the others do */
  manifest(part: ManifestPart): Promise<void>;
  /** Lists new versions of an app as pending, while their artifacts are fetched. */
  listed(part: ListedPart): Promise<void>;
  /** Writes an app and its versions, and keeps verified artifacts. */
  app(part: AppPart): Promise<void>;
  /** The observation so far. @param interrupted whether something was not */
  observation(figures: Readonly<Figures>, interrupted: boolean): Observation;
  /** Discards the bytes that were not needed. */
  close(): Promise<void>;
}

export function openPartWriter(
  context: RefreshContext,
  state: RefreshState,
  { credentials, judge }: { credentials: RequestCredentials; judge: Judge },
): PartWriter {
  const { db, settings } = context;
  const { registry, storedManifest, asked, now } = state;
  const { limits } = settings;
  const versionOptions = { now, limit: limits.versionsPerApp, answers: asked.answers };
  const records = openAppRecords(db, registry.id);
  const received = openReceivedArtifacts(context.artifacts, registry.id);
  const icons = openIconCollector(credentials);
  let observation = NOTHING_OBSERVED;

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
    // Of the same manifest too: an earlier version may have stored less of it.
    const listed = listedAppsIn(apps, limits.apps);
    const events = await writeListing(db, registry, listed, limits.apps, context.now());
    if (events === null) return;
    judge.invalidate();
    add({}, events);
  }

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
    const { learned: about, facts, unreached } = learnedAbout(part, credentials);
    if (unreached !== null) judge.logUnreached(unreached);
    const record = await records.read(key);
    const kept = await received.keptChecksums(facts, record);
    const judged = judge.app(facts, record, kept);
    const isRefused = [facts.metadata, ...facts.artifacts].some(isUnauthorized);
    add({ done: observation.done + 1, unauthorized: observation.unauthorized || isRefused });
    records.release(key);
    const icon = icons.iconOf(facts.icon, part.icon);
    // The database cannot store the key: there is only the finding.
    if (record === null) return;
    const entry = member(observation.apps ?? undefined, key) ?? null;
    const update = { ...versionOptions, record, facts, judged, about, kept, entry, icon, at: context.now() };
    const { change, beyond } = appChange(update);
    if (await writeApp(db, registry, record, change)) judge.invalidate();
    await received.keepVerified(facts, applyChanges(record.versions, change.versions));
    add({ versionsBeyond: observation.versionsBeyond + beyond }, change.events);
  }

  return {
    known: {
      memory: {
        now: now.toISOString(),
        daily: true,
        manifest: () => storedManifest,
        app: async (key) => withoutArtifactsToFetch(state, withoutUnstoredIcon(await records.read(key))),
        about: async (key) => (await records.read(key))?.about.file ?? null,
      },
      iconBytes: ICON_BYTES,
      copyArtifact: received.copy,
    },
    manifest: writeManifest,
    listed: writeListed,
    app: writeObserved,
    observation: ({ bytes, artifacts: { fetched, deferred } }, interrupted) => ({
      ...observation,
      interrupted,
      bytes,
      artifacts: fetched,
      hasDeferred: deferred > 0,
    }),
    close: received.discard,
  };
}

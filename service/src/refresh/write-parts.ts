import { areCredentialsRefused, isMissing, type JsonObject, manifestAppsIn, member, type Missing } from 'appreg';
import type { AppPart, ListedPart, ManifestPart, Observing } from 'appreg/node';
import { type AppRecords } from '../db/app-records.ts';
import { confirmSubscriptions } from '../db/confirmations.ts';
import { addPendingVersions, writeApp, writeListing } from '../db/refreshed-apps.ts';
import { type NewEvent } from '../domain/events.ts';
import { listedAppsIn } from '../domain/listing.ts';
import { applyChanges } from '../domain/version.ts';
import { learnedAbout } from './about-files.ts';
import { appChange, pendingVersions } from './app-change.ts';
import { type RequestCredentials, unlessSecret } from './credentials.ts';
import { type IconCollector, openIconCollector } from './icons.ts';
import { type Judge } from './judge.ts';
import { verifiedWithoutFacts } from './known.ts';
import { certificateChange, countEvents, isUnauthorized, NOTHING_OBSERVED, type Observation } from './observation.ts';
import { FINDINGS_LIMIT, type RefreshContext, type RefreshState } from './plan.ts';
import { openProgressWriter } from './progress.ts';
import { type ReceivedArtifacts } from './received.ts';

/**
 * Judges the parts of a registry, and writes what they change, one at a time. The transactions that write apps and
 * versions name the claim of the refresh. Beside it, its progress, confirmed subscriptions and the bytes of artifacts are
 * written.
 */

/** Shared by the parts of one refresh. */
interface Writing {
  readonly context: RefreshContext;
  readonly state: RefreshState;
  readonly credentials: RequestCredentials;
  readonly judge: Judge;
  /** The apps, of which the observation reads what is known. */
  readonly records: AppRecords;
  /** The bytes that the observation receives. */
  readonly received: ReceivedArtifacts;
}

/** The change of an observation by one part, and the events that were recorded with it. */
type Written = Partial<Omit<Observation, 'changes'>> & { readonly events?: readonly NewEvent[] };

/** A part without an effect. */
const NOTHING_WRITTEN: Written = {};

/** The fact about an artifact that is not fetched. Without the date: it may be from before a subscription. */
const VERIFIED_BEFORE: Missing = { missing: { code: 'verified-before' }, intentional: true };

/**
 * Takes the parts until the end, or until there are too many findings about apps.
 * @returns null if this node could not send a request, which says nothing about the registry
 * @throws Superseded if another refresh has taken over the registry
 */
export async function writeParts(parts: Observing, writing: Writing): Promise<Observation | null> {
  const { context, state, credentials, judge, records } = writing;
  const { figures } = parts;
  const icons = openIconCollector(credentials);
  const progress = openProgressWriter(context, state.registry, figures);
  let observation = NOTHING_OBSERVED;
  try {
    for await (const part of parts) {
      if (figures.machineLimit !== null) return null;
      let written = NOTHING_WRITTEN;
      if (part.kind === 'manifest') {
        progress.start(part.order.length);
        records.order(part.order);
        const { apps, ...observed } = observedManifest(part, writing);
        // Before what it changes is recorded, so that these subscriptions see it.
        if (apps !== null) await confirmSubscriptions(context.db, state.registry);
        const listed = apps === null ? NOTHING_WRITTEN : await writeListedApps(apps, writing);
        written = { apps, ...observed, ...listed };
      } else if (part.kind === 'listed') {
        written = await writePendingVersions(part, writing);
        const verified = verifiedWithoutFacts(state, records.loaded(part.key), part.artifacts);
        part.leaveOut(verified.keys(), VERIFIED_BEFORE);
        for (const until of verified.values()) judge.notAfter(until);
      } else if (part.kind === 'app') written = await writeObserved(part, writing, icons, observation);
      else if (part.kind === 'hosts') judge.hosts(part.facts);
      else written = { interrupted: part.interrupted };
      observation = added(observation, written);
      if (part.kind === 'app' && judge.findings() > FINDINGS_LIMIT) break;
    }
  } finally {
    await progress.close();
  }
  const { bytes, artifacts } = figures;
  return { ...observation, bytes, artifacts: artifacts.fetched, hasDeferred: artifacts.deferred > 0 };
}

function added(observation: Observation, { events = [], isChanged = false, ...rest }: Written): Observation {
  return {
    ...observation,
    ...rest,
    isChanged: observation.isChanged || isChanged,
    changes: countEvents(observation.changes, events),
  };
}

/** Judges the manifest, and writes nothing. */
function observedManifest({ facts, asObserved, order }: ManifestPart, { state, credentials, judge }: Writing) {
  judge.manifest(facts);
  return {
    order,
    apps: manifestAppsIn(facts.content),
    manifest: unlessSecret(credentials, asObserved),
    certificates: certificateChange(state.registry.certificates, facts),
    unauthorized: !isMissing(facts.web) && areCredentialsRefused(facts.web.server),
  };
}

/** Lists the apps of a usable manifest. */
async function writeListedApps(apps: JsonObject, { context, state }: Writing): Promise<Written> {
  const { db, settings } = context;
  // Of the same manifest too: an earlier version may have stored less of it.
  const listed = listedAppsIn(apps, settings.limits.apps);
  const events = await writeListing(db, state.registry, listed, settings.limits.apps, context.now());
  return events === null ? NOTHING_WRITTEN : { events, isChanged: true };
}

/** Lists new versions of an app as pending, while their artifacts are fetched. */
async function writePendingVersions({ key, versions }: ListedPart, writing: Writing): Promise<Written> {
  const { context, state, records } = writing;
  const record = records.loaded(key);
  const pending = record && pendingVersions(record, versions, versionOptions(writing));
  if (record === null || pending === null) return NOTHING_WRITTEN;
  const { changes, events } = pending;
  await addPendingVersions(context.db, state.registry, key, { versions: changes.changed, events, at: context.now() });
  record.versions = [...applyChanges(record.versions, changes)];
  return { events, isChanged: true };
}

/** Writes an app and its versions, and keeps verified artifacts. @param observation of the parts before it */
async function writeObserved(
  part: AppPart,
  writing: Writing,
  icons: IconCollector,
  observation: Observation,
): Promise<Written> {
  const { context, state, credentials, judge, records, received } = writing;
  const { key } = part.facts;
  const { learned: about, facts, unreached } = learnedAbout(part, credentials);
  if (unreached !== null) judge.logUnreached(unreached);
  const record = await records.read(key);
  const kept = await received.keptChecksums(facts, record);
  const judged = judge.app(facts, record, kept);
  const isRefused = [facts.metadata, ...facts.artifacts].some(isUnauthorized);
  const observed = { done: observation.done + 1, unauthorized: observation.unauthorized || isRefused };
  records.release(key);
  const icon = icons.iconOf(facts.icon, part.icon);
  // The database cannot store the key: there is only the finding.
  if (record === null) return observed;
  const entry = member(observation.apps ?? undefined, key) ?? null;
  const update = { ...versionOptions(writing), record, facts, judged, about, kept, entry, icon, at: context.now() };
  const { change, beyond } = appChange(update);
  const isChanged = await writeApp(context.db, state.registry, record, change);
  await received.keepVerified(facts, applyChanges(record.versions, change.versions));
  const versionsBeyond = observation.versionsBeyond + beyond;
  return { ...observed, versionsBeyond, events: change.events, isChanged };
}

function versionOptions({ context, state }: Writing) {
  return { now: state.now, limit: context.settings.limits.versionsPerApp, answers: state.artifactCheck.answers };
}

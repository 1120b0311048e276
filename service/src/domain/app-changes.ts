import { highestFirst, redact } from 'appreg';
import type { RememberedApp } from 'appreg/node';
import { type VersionChanges, applyChanges, type StoredVersion } from './version.ts';
import { type NewEvent } from './events.ts';
import { installabilityOf, type StoredApp } from './apps.ts';
import { type StoredAbout, type AboutChange } from './about.ts';
import { type IconRow } from './icons.ts';

/** Stored app, as far as changes need it. */
type RecordedApp = Pick<AppRecord, 'key' | 'versions' | 'latest' | 'hidden'>;

/** Observation of an app by a refresh. */
export interface ObservedApp {
  visible: boolean | null;
  because: readonly string[];
  failingSince: Date | null;
  /** The new state of its versions; null if the list of versions could not be read. */
  versions: VersionChanges | null;
}

/** @returns the events, and whether the last one of the app says that it is hidden */
export function appEvents(record: RecordedApp, observed: ObservedApp): { events: NewEvent[]; hidden: boolean } {
  const { versions } = observed;
  const events = versions === null ? [] : versionEvents(record.key, record.versions, versions);
  const latest = versions === null ? record.latest : versions.latest;
  const about = { app: record.key, version: null };
  const { visible, reasons } = installabilityOf({ ...observed, listed: true, latest, ...statesOf(record, versions) });
  if (visible === false && !record.hidden) {
    events.push({ type: 'app-hidden', ...about, data: { reasons: reasons.map(({ code }) => code) } });
    return { events, hidden: true };
  }
  if (visible === true && latest !== null && record.hidden) {
    events.push({ type: 'app-shown', ...about, data: { latest } });
    return { events, hidden: false };
  }
  return { events, hidden: record.hidden };
}

/** The states of the versions that are not withdrawn, and why one of them is refused. */
function statesOf(record: RecordedApp, changes: VersionChanges | null) {
  const rows = applyChanges(record.versions, changes).filter(({ withdrawnAt }) => withdrawnAt === null);
  const refusals = rows.filter(({ state }) => state === 'refused');
  const refused = refusals.toSorted((a, b) => highestFirst(a.version, b.version))[0];
  return {
    states: [...new Set(rows.map(({ state }) => state))],
    refusal: refused === undefined ? null : { code: refused.rule, message: refused.reason, version: refused.version },
  };
}

/** The events of an app's versions: what differs between their stored and their new rows. Pure. */

/**
 * @param known the stored rows
 * @param changes what is written
 */
export function versionEvents(
  app: string,
  known: readonly StoredVersion[],
  { changed, removed }: Pick<VersionChanges, 'changed' | 'removed'>,
): NewEvent[] {
  const before = new Map(known.map((row) => [row.version, row]));
  const dropped = removed.flatMap((version) => before.get(version) ?? []);
  return [
    ...changed.flatMap((row) => changesOf(app, before.get(row.version) ?? null, row)),
    ...dropped.map((row) => withdrawn(app, row)),
  ];
}

function changesOf(app: string, before: StoredVersion | null, after: StoredVersion): NewEvent[] {
  if (after.withdrawnAt !== null) return before?.withdrawnAt === null ? [withdrawn(app, after)] : [];
  const { version, artifactChecksum: checksum, artifactUrl, bytes } = after;
  const about = { app, version };
  const events: NewEvent[] = [];
  // Before a digest is pinned, a fixed listing replaces the version.
  if (before === null || before.artifactChecksum !== checksum)
    events.push({ type: 'version-listed', ...about, data: { checksum, artifactUrl: redact(artifactUrl) } });
  if (isRefused(after) && !(before !== null && isSameRefusal(before, after))) events.push(refused(app, after));
  if (!isOffered(after)) return events;
  const wasVerified = before !== null && before.verifiedAt !== null;
  if (!wasVerified) events.push({ type: 'version-verified', ...about, data: { checksum, bytes } });
  else if (!isOffered(before)) events.push({ type: 'version-restored', ...about, data: { checksum } });
  return events;
}

/** The version, or the artifact that is listed or served in its place, is not offered. */
function isRefused({ state, swappedChecksum }: StoredVersion): boolean {
  return state === 'refused' || swappedChecksum !== null;
}

/** Offered as it is listed. */
function isOffered(row: StoredVersion): boolean {
  return row.state === 'verified' && row.withdrawnAt === null && row.swappedChecksum === null;
}

function isSameRefusal(before: StoredVersion, after: StoredVersion): boolean {
  return (
    isRefused(before) &&
    before.withdrawnAt === null &&
    before.state === after.state &&
    before.rule === after.rule &&
    before.artifactChecksum === after.artifactChecksum &&
    before.swappedChecksum === after.swappedChecksum &&
    before.servedChecksum === after.servedChecksum
  );
}

function refused(app: string, row: StoredVersion): NewEvent {
  const { version, rule, artifactChecksum: checksum, swappedChecksum: listed, servedChecksum: served, state } = row;
  const offered = state === 'verified';
  const data = { rule: rule ?? 'artifact-changed', checksum, listed, served, offered };
  return { type: 'version-refused', app, version, data };
}

function withdrawn(app: string, { version, artifactChecksum: checksum, verifiedAt }: StoredVersion): NewEvent {
  return { type: 'version-withdrawn', app, version, data: { checksum, wasVerified: verifiedAt !== null } };
}

/** The rows of a registry's apps and of their versions, as a refresh reads and writes them. */

export interface AppRecord extends Pick<
  StoredApp,
  'key' | 'icon' | 'visible' | 'because' | 'latest' | 'failingSince' | 'hidden'
> {
  remembered: RememberedApp | null;
  versions: StoredVersion[];
  about: StoredAbout;
}

/** Writes the refreshed state of one app: only changed rows, in one transaction. */

export interface AppChange extends ObservedApp {
  /** A new icon; null if it was removed; undefined if unchanged. */
  icon: IconRow | null | undefined;
  remembered: RememberedApp | null;
  /** The statements of its author; null if unchanged. */
  about: AboutChange | null;
  /** True if its last event says that it is hidden. */
  hidden: boolean;
  /** The changes, with their time. */
  events: readonly NewEvent[];
  at: Date;
}

import { redact } from '../../core/text/text.ts';
import type { NewEvent } from '../history/events.ts';
import type { StoredVersion } from '../database/tables.ts';
import type { VersionChanges } from './versions-store.ts';

/** The events of an app's versions: what differs between their stored and their new rows. Pure. */

/** @param known the stored rows @param changes what is written */
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

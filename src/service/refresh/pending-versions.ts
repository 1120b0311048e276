import type { JsonValue } from '../../core/json/json.ts';
import { addPendingVersions } from './app-changes-store.ts';
import { applyChanges } from '../apps/versions-store.ts';
import type { Run } from './run.ts';
import { versionEvents } from '../apps/app-events.ts';
import { updateVersions } from './version-lifecycle.ts';

const NO_ERRORS = new Map();

/**
 * Writes the versions that an app lists for the first time, or with a corrected checksum, before their artifacts are
 * fetched: subscribers see them as pending in the meantime.
 * @throws Superseded if another refresh has taken over the registry
 */
export async function writePendingVersions(run: Run, key: string, listed: readonly JsonValue[]): Promise<void> {
  const { context, registry, records, now, expiry, progress, artifacts } = run;
  const record = records.loaded(key);
  if (record === null) return;
  const { changed } = updateVersions({
    known: record.versions,
    listed,
    artifacts: [],
    errors: NO_ERRORS,
    now,
    limit: context.settings.limits.versionsPerApp,
    answers: artifacts.answers,
  });
  const pending = changed.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return;
  const changes = { changed: pending, removed: [], latest: record.latest };
  const events = versionEvents(key, record.versions, changes);
  await addPendingVersions(context.db, registry, key, { versions: pending, events, at: context.now() });
  record.versions = [...applyChanges(record.versions, changes)];
  progress.recorded.add(events);
  expiry.invalidate();
}

import { latestOf } from '../../core/registry/version.ts';
import { appEvents } from '../apps/app-events.ts';
import type { Db } from '../database/database.ts';
import { lockLostVersions, readLosingApp, type VersionPlace, writeLosingApp } from './lost-copies-store.ts';
import { applyChanges } from '../apps/versions-store.ts';

/** The rule of a version whose host has lost the artifact: without a copy, it is refused as any such version. */
const RULE = 'unreachable';
const REASON = 'Its host no longer has the artifact, and this service has no copy of it any more.';

/**
 * Refuses all offered versions whose host has lost the artifact, and whose copy is not in the store, with their events:
 * what is offered can be installed.
 * @param tx a transaction @returns the versions that were refused
 */
export async function refuseLostVersions(tx: Db, store: string): Promise<VersionPlace[]> {
  const lost = await lockLostVersions(tx, store);
  const apps = new Map(lost.map((place) => [JSON.stringify([place.registryId, place.appKey]), place]));
  for (const app of apps.values()) {
    const versions = lost.filter(({ registryId, appKey }) => registryId === app.registryId && appKey === app.appKey);
    await refuse(tx, app, new Set(versions.map(({ version }) => version)));
  }
  return lost;
}

async function refuse(tx: Db, place: VersionPlace, versions: ReadonlySet<string>): Promise<void> {
  const app = await readLosingApp(tx, place);
  const at = new Date();
  const changed = app.versions
    .filter(({ version }) => versions.has(version))
    .map((row) => ({ ...row, state: 'refused' as const, rule: RULE, reason: REASON, triedAt: at }));
  const after = applyChanges(app.versions, { changed, removed: [], latest: null });
  const offered = after.filter(({ state, withdrawnAt }) => state === 'verified' && withdrawnAt === null);
  const changes = { changed, removed: [], latest: latestOf(offered.map(({ version }) => version)) };
  const { visible, because, failingSince } = app;
  const { events, hidden } = appEvents(app, { visible, because, failingSince, versions: changes });
  await writeLosingApp(tx, place, { ...changes, events, hidden, at });
}

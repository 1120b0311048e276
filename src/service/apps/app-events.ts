import { compareText } from '../../core/engine/order.ts';
import type { NewEvent } from '../history/events.ts';
import type { AppRecord } from './records-store.ts';
import { installabilityOf } from './view.ts';
import { applyChanges, type VersionChanges } from './versions-store.ts';
import { versionEvents } from './version-events.ts';

/** The events of one app, from its stored and its new state. Pure. */

/** What is stored about an app. */
type RecordedApp = Pick<AppRecord, 'key' | 'versions' | 'latest' | 'hidden'>;

/** What a refresh found about an app. */
export interface ObservedApp {
  visible: boolean | null;
  because: readonly string[];
  failingSince: Date | null;
  /** Null if its list of versions could not be read. */
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
  const refused = refusals.toSorted((a, b) => compareText(b.version, a.version))[0];
  return {
    states: [...new Set(rows.map(({ state }) => state))],
    refusal: refused === undefined ? null : { code: refused.rule, message: refused.reason, version: refused.version },
  };
}

import {
  type AppFacts,
  hasAllFields,
  isMissing,
  type JsonValue,
  type JudgedApp,
  keepsLastState,
  latestOffered,
  listedVersionsIn,
} from 'appreg';
import { keptApp, type RememberedApp } from 'appreg/node';
import { type VersionObservation, updateVersions } from '../domain/version-lifecycle.ts';
import { type AppRecord, type AppChange, appEvents, versionEvents } from '../domain/app-changes.ts';
import { type LearnedAbout, aboutChange, aboutEvents } from '../domain/about.ts';
import { type IconRow } from '../domain/icons.ts';
import { applyChanges, offeredVersions, type VersionChanges } from '../domain/version.ts';
import { type NewEvent } from '../domain/events.ts';
import { type ServiceReason } from '../domain/apps.ts';

/** Change of an app by a refresh. Pure: the stored rows and what was observed in, the change out. */

type VersionOptions = Pick<VersionObservation, 'now' | 'limit' | 'answers'>;

interface AppUpdate extends VersionOptions {
  record: AppRecord;
  facts: AppFacts;
  judged: JudgedApp;
  about: LearnedAbout;
  /** The checksums of the versions whose bytes the service keeps. */
  kept: ReadonlySet<string>;
  /** The app in the manifest. */
  entry: JsonValue;
  /** A new icon; null if it was removed; undefined if unchanged. */
  icon: IconRow | null | undefined;
  at: Date;
}

/** @returns the change, and the number of its listed versions beyond the limit */
export function appChange({ record, facts, judged, about: learned, kept, entry, icon, at, ...options }: AppUpdate): {
  change: AppChange;
  beyond: number;
} {
  const { key, artifacts } = facts;
  const { documents, errors } = judged;
  const { now } = options;
  const listed = listedVersionsIn(facts.metadata.content);
  const updated = listed && updateVersions({ known: record.versions, listed, artifacts, errors, kept, ...options });
  const rows = applyChanges(record.versions, updated);
  const claims = aboutChange(
    record.about,
    learned,
    rows.map(({ version }) => version),
  );
  const versions =
    updated === null && claims.change === null
      ? null
      : { ...NO_CHANGES, ...updated, latest: latestOffered(offeredVersions(rows), claims.about) };
  const missing = listed?.length === 0 ? missingVersions(record) : null;
  const remembered = keptApp(facts, record.remembered, now.toISOString(), () => true);
  const observed = {
    visible: documents.visible,
    because: documents.because.map((rule) => reasonCode(rule, { missing, isWhole: hasAllFields(entry) })),
    failingSince: keepsLastState(key, entry, listed) ? (record.failingSince ?? now) : null,
    versions,
  };
  const { events, hidden } = appEvents(record, observed);
  const change = {
    ...observed,
    about: claims.change,
    events: [...events, ...aboutEvents(key, record.about, claims.change)],
    hidden,
    at,
    icon,
    remembered: remembered && truncateFacts(remembered),
  };
  return { change, beyond: updated?.beyond ?? 0 };
}

const NO_CHANGES = { changed: [], removed: [] };

const NO_ERRORS = new Map();

/**
 * The versions that an app lists for the first time, or with a corrected checksum, before their artifacts are fetched.
 * @returns null for none
 */
export function pendingVersions(
  { key, versions: known, latest }: AppRecord,
  listed: readonly JsonValue[],
  options: VersionOptions,
): { changes: VersionChanges; events: NewEvent[] } | null {
  const { changed } = updateVersions({ known, listed, artifacts: [], errors: NO_ERRORS, ...options });
  const pending = changed.filter(({ state }) => state === 'pending');
  const changes = { changed: pending, removed: [], latest };
  return pending.length === 0 ? null : { changes, events: versionEvents(key, known, changes) };
}

/** A more exact reason than the rule, where the service knows one. */
function reasonCode(rule: string, app: { missing: ServiceReason | null; isWhole: boolean }): string {
  if (rule === 'no-valid-versions' && app.missing !== null) return app.missing;
  if (rule !== 'schema-violation') return rule;
  return (app.isWhole ? 'metadata-invalid' : 'entry-invalid') satisfies ServiceReason;
}

/** The reason why an empty list of versions hides the app. */
function missingVersions({ versions }: AppRecord): ServiceReason {
  return versions.length === 0 ? 'version-unpublished' : 'version-withdrawn';
}

/** The cached facts of two dozen apps must fit into memory at once, for any archive content. */
const BYTES_LIMIT = 4_000_000;
const BYTES_PER_ARTIFACT = 1500;
const BYTES_PER_ENTRY = 130;

/** Omits the artifacts whose facts are too large; their rows still record them as verified. */
export function truncateFacts({ ids, facts }: RememberedApp): RememberedApp {
  let bytes = 0;
  const isKept = facts.artifacts.map(({ archive }) => {
    const size = BYTES_PER_ARTIFACT + (isMissing(archive) ? 0 : archive.entries.length * BYTES_PER_ENTRY);
    if (bytes + size > BYTES_LIMIT) return false;
    bytes += size;
    return true;
  });
  return isKept.every(Boolean)
    ? { ids, facts }
    : {
        ids: ids.filter((_, i) => isKept[i]),
        facts: { ...facts, artifacts: facts.artifacts.filter((_, i) => isKept[i]) },
      };
}

import { isSafeKey } from '../registry/app-key.ts';
import { type DocumentFacts, isMissing } from '../facts/facts.ts';
import { type JsonValue } from '../json/json.ts';
import { listedVersions } from '../registry/metadata.ts';
import { appFields } from '../registry/manifest.ts';
import type { FindingCollector, SubjectLocation } from './findings.ts';
import type { AppVerdict } from './report.ts';
import type { VersionEntry } from '../rules/rule.ts';
import { isSemver, latestOf } from '../registry/version.ts';

/**
 * Whether subscribers see an app: its key and entry are usable, its metadata is available, and a version is valid.
 * @param usual the latest version, if key, entry and versions are known to be usable
 */
export function verdictOf(
  key: string,
  entry: JsonValue,
  metadata: SubjectLocation,
  value: JsonValue | undefined,
  entries: readonly VersionEntry[],
  facts: DocumentFacts,
  collector: FindingCollector,
  usual: string | null,
): AppVerdict {
  const hiding = collector.hiding(key);
  if (usual !== null && hiding.size === 0) return { key, visible: true, because: NO_REASON, latest: usual };
  const valid = entries.filter(
    (e) => e.version !== null && isSemver(e.version) && e.artifactUrl !== null && e.artifactChecksum !== null,
  );
  const latest = latestOf(valid.map((e) => e.version!));
  if (!isSafeKey(key)) hiding.add('app-key-unsafe');
  if (!isWholeEntry(entry)) hiding.add('schema-violation');
  // Turning off a rule does not make the app visible.
  if (hiding.size === 0 && !isMissing(facts.content) && valid.length === 0) hiding.add(unusable(value, entries));
  if (hiding.size > 0) return { key, visible: false, because: [...hiding].sort(), latest };
  if (isMissing(facts.content)) return { key, visible: null, because: collector.blockers(metadata), latest };
  return { key, visible: true, because: [], latest };
}

/** Shared, since most of a hundred thousand apps have no reason. */
export const NO_REASON: readonly string[] = [];

/** The rule responsible for a metadata file without a usable version. */
function unusable(value: JsonValue | undefined, entries: readonly VersionEntry[]): string {
  if (value === undefined) return 'document-unreadable';
  const list = listedVersions(value);
  const misshapen =
    list === null || list.length > entries.length || entries.some((e) => e.version === null || isSemver(e.version));
  return misshapen ? 'schema-violation' : 'no-valid-versions';
}

/** True if each required text of an app entry is a string (spec 2.1). */
export function isWholeEntry(entry: JsonValue): boolean {
  return Object.values(appFields(entry)).every((field) => field !== null);
}

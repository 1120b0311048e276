import { isSafeKey } from '../registry/app-key.ts';
import { appFields } from '../registry/manifest.ts';
import { listedVersions } from '../registry/metadata.ts';
import { isSemver, latestOf } from '../registry/version.ts';
import type { JsonValue } from '../json/json.ts';
import type { VersionEntry } from '../rules/subjects.ts';
import type { AppVerdict } from './report.ts';
import type { Found } from './supersede.ts';

/** Whether subscribers see an app, and the findings that keep them from it. */

/** The findings of one run that hide apps, or that block the facts about a resource. */
export class HidingFindings {
  readonly #byApp = new Map<string, Set<string>>();
  readonly #byResource = new WeakMap<Found, Set<string>>();

  /** Records that a rule hides an app. */
  hide(app: string, rule: string): void {
    const rules = this.#byApp.get(app) ?? new Set();
    this.#byApp.set(app, rules.add(rule));
  }

  /** Records that a finding of a rule blocks the facts about a resource: a malformed URL, an unreachable host. */
  block(found: Found, rule: string): void {
    const rules = this.#byResource.get(found) ?? new Set();
    this.#byResource.set(found, rules.add(rule));
  }

  isHidden(app: string): boolean {
    return this.#byApp.has(app);
  }

  /** Ids of the rules that hide an app. */
  rulesHiding(app: string): Set<string> {
    return new Set(this.#byApp.get(app));
  }

  /** Ids of the rules that block the facts about a resource, except that rule. */
  rulesBlocking(found: Found, except = ''): string[] {
    return [...(this.#byResource.get(found) ?? [])].filter((id) => id !== except).sort();
  }
}

/** What the visibility of an app depends on. */
export interface AppState {
  key: string;
  entry: JsonValue;
  /** The value of its metadata file; undefined if it cannot be read. */
  metadata: JsonValue | undefined;
  /** Its versions that are objects. */
  versions: readonly VersionEntry[];
  /** Ids of the rules whose findings hide it. */
  hiding: ReadonlySet<string>;
  /** Ids of the rules whose findings block its metadata file; null if the file was read. */
  blocking: readonly string[] | null;
}

/** Whether subscribers see an app: its key and entry are usable, its metadata is available, and a version is valid. */
export function verdictOf({ key, entry, metadata, versions, hiding, blocking }: AppState): AppVerdict {
  const valid = versions.flatMap(({ version, artifactUrl, artifactChecksum }) =>
    version !== null && isSemver(version) && artifactUrl !== null && artifactChecksum !== null ? [version] : [],
  );
  const latest = latestOf(valid);
  const because = new Set(hiding);
  if (!isSafeKey(key)) because.add('app-key-unsafe');
  if (!hasAllFields(entry)) because.add('schema-violation');
  // Turning off a rule does not make the app visible.
  if (because.size === 0 && blocking === null && valid.length === 0)
    because.add(ruleWithoutVersions(metadata, versions));
  if (because.size > 0) return { key, visible: false, because: [...because].sort(), latest };
  if (blocking !== null) return { key, visible: null, because: blocking, latest };
  return { key, visible: true, because: [], latest };
}

/** The rule responsible for a metadata file without a usable version. */
function ruleWithoutVersions(value: JsonValue | undefined, entries: readonly VersionEntry[]): string {
  if (value === undefined) return 'document-unreadable';
  const list = listedVersions(value);
  const isInvalid =
    list === null || list.length > entries.length || entries.some((e) => e.version === null || isSemver(e.version));
  return isInvalid ? 'schema-violation' : 'no-valid-versions';
}

/** True if each required text of an app entry is a string (spec 2.1). */
export function hasAllFields(entry: JsonValue): boolean {
  return Object.values(appFields(entry)).every((field) => field !== null);
}

import { judge } from '../engine/judge.ts';
import type { AppFacts, Snapshot } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { reasonText } from '../rules/lookup.ts';
import { appFields, manifestAppsIn } from './manifest.ts';
import { listedVersionsIn, versionFields } from './metadata.ts';

/** A state of a registry that is compared with another one. */

export interface AppState {
  fields: ReadonlyMap<string, string | null>;
  versions: ReadonlyMap<string, VersionState>;
  latest: string | null;
  visible: boolean | null;
  because: readonly string[];
  /** Why its versions were not observed, if that is not caused by an error of the app; null if they were. */
  unobserved: string | null;
}

export interface VersionState {
  url: string | null;
  checksum: string | null;
  bytes: number | null;
}

/** The apps of a registry as subscribers would see them, by key. */
export function stateOf(snapshot: Snapshot): Map<string, AppState> {
  const verdicts = new Map(judge(snapshot, { command: 'lint' }).apps.map((app) => [app.key, app]));
  const facts = new Map(snapshot.apps.map((app) => [app.key, app]));
  const state = new Map<string, AppState>();
  for (const [key, entry] of Object.entries(manifestAppsIn(snapshot.manifest.content) ?? {})) {
    const { visible = null, because = [], latest = null } = verdicts.get(key) ?? {};
    const app = facts.get(key);
    const unobserved = visible === null ? reasonOf(app) : null;
    state.set(key, {
      fields: new Map(Object.entries(appFields(entry))),
      versions: versionsOf(app),
      latest,
      visible,
      because,
      unobserved,
    });
  }
  return state;
}

function reasonOf(app: AppFacts | undefined): string | null {
  if (!app) return 'it was not checked';
  const { content } = app.metadata;
  return isMissing(content) ? reasonText(content.missing) : null;
}

function versionsOf(app: AppFacts | undefined): Map<string, VersionState> {
  const versions = new Map<string, VersionState>();
  if (!app) return versions;
  for (const [index, item] of (listedVersionsIn(app.metadata.content) ?? []).entries()) {
    const { version, artifactUrl, artifactChecksum } = versionFields(item);
    const artifact = app.artifacts[index];
    if (version === null || versions.has(version)) continue;
    versions.set(version, {
      url: artifactUrl,
      checksum: artifactChecksum,
      bytes: artifact && !isMissing(artifact.content) ? artifact.content.bytes : null,
    });
  }
  return versions;
}

/** An app that is not listed. */
export const ABSENT: AppState = {
  fields: new Map(),
  versions: new Map(),
  latest: null,
  visible: null,
  because: [],
  unobserved: null,
};

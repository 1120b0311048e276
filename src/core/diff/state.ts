import type { RetirementReason } from '../about/about-document.ts';
import { type About, type AboutVersion, NOTHING_SAID, readAboutFile } from '../about/about-file.ts';
import { COMPANION_KINDS, type CompanionKind } from '../registry/companion.ts';
import { judge } from '../engine/judge.ts';
import { compareText } from '../text/order.ts';
import { type AppFacts, isMissing, type Snapshot } from '../facts/facts.ts';
import { reasonText } from '../rules/lookup.ts';
import { appFields, listedVersionsIn, manifestAppsIn, versionFields } from '../registry/manifest.ts';

/** A state of a registry that is compared with another one. */

export interface AppState {
  fields: ReadonlyMap<string, string | null>;
  /** The checksum of its icon; null if that is not known. */
  icon: string | null;
  /** The entries of each version; more than one is an error of the registry. */
  versions: ReadonlyMap<string, readonly VersionState[]>;
  latest: string | null;
  visible: boolean | null;
  because: readonly string[];
  /**
   * The reason why its versions were not observed, if that is not caused by an error of the app; null if they
   * were.
   */
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
      icon: iconOf(app),
      versions: versionsOf(app),
      latest,
      visible,
      because,
      unobserved,
    });
  }
  return state;
}

function iconOf(app: AppFacts | undefined): string | null {
  if (app === undefined || isMissing(app.icon.content)) return null;
  const { content, image } = app.icon;
  // A page in place of the icon may differ in each response.
  if (!isMissing(image) && image.kind === 'html') return null;
  const { sha256, error } = content.decoded ?? { sha256: content.sha256, error: null };
  return content.cut || error !== null ? null : `sha256:${sha256}`;
}

function reasonOf(app: AppFacts | undefined): string | null {
  if (!app) return 'it was not checked';
  const { content } = app.metadata;
  return isMissing(content) ? reasonText(content.missing) : null;
}

function versionsOf(app: AppFacts | undefined): Map<string, VersionState[]> {
  const versions = new Map<string, VersionState[]>();
  if (!app) return versions;
  for (const [index, item] of (listedVersionsIn(app.metadata.content) ?? []).entries()) {
    const { version, artifactUrl, artifactChecksum } = versionFields(item);
    const artifact = app.artifacts[index];
    if (version === null) continue;
    const entry = {
      url: artifactUrl,
      checksum: artifactChecksum,
      bytes: artifact && !isMissing(artifact.content) ? artifact.content.bytes : null,
    };
    versions.set(version, [...(versions.get(version) ?? []), entry]);
  }
  return versions;
}

export const ABSENT: AppState = {
  fields: new Map(),
  icon: null,
  versions: new Map(),
  latest: null,
  visible: null,
  because: [],
  unobserved: null,
};

/** Differences between the about files of two states. */

/** A difference about an app (`version` null), or about one of its versions. */
export interface AboutDiff {
  app: string;
  version: string | null;
  change: 'retired' | 'restored' | 'retirement-changed' | 'notes-changed' | 'published-changed' | 'links-changed';
  /** Reason of the retirement; null if it is not retired afterwards, and for any other change. */
  reason: RetirementReason | null;
}

/**
 * Compares the about files of the apps that both states have. A file that is broken or was not read is not compared; an
 * app without one is compared as one of which nothing is said.
 */
export function diffAbout(before: Snapshot, after: Snapshot): AboutDiff[] {
  if (!knowsAbout(before) || !knowsAbout(after)) return [];
  const old = new Map(before.apps.map((app) => [app.key, app]));
  return after.apps
    .toSorted((a, b) => compareText(a.key, b.key))
    .flatMap((app) => {
      const earlier = old.get(app.key);
      const [was, is] = [earlier && aboutOf(earlier), aboutOf(app)];
      return was && is ? appDiff(app.key, was, is) : [];
    });
}

/** False for saved facts for which no about file was requested: only these say whether they are complete. */
function knowsAbout({ apps, incomplete }: Snapshot): boolean {
  return incomplete === undefined || apps.some(({ about }) => about !== undefined);
}

const NOTHING: About = {
  app: NOTHING_SAID,
  versions: new Map(),
};

/** Null if the file cannot be used. */
function aboutOf({ about }: Snapshot['apps'][number]): About | null {
  if (about === undefined) return NOTHING;
  return isMissing(about.content) ? null : readAboutFile(about.content).about;
}

function appDiff(app: string, before: About, after: About): AboutDiff[] {
  const found: AboutDiff[] = [];
  if (JSON.stringify(before.app) !== JSON.stringify(after.app))
    found.push({ app, version: null, change: 'links-changed', reason: null });
  for (const version of new Set([...after.versions.keys(), ...before.versions.keys()]))
    for (const change of versionChanges(before.versions.get(version), after.versions.get(version))) {
      const reason = after.versions.get(version)?.deprecated?.reason ?? null;
      found.push({ app, version, change, reason: change.startsWith('ret') ? reason : null });
    }
  return found;
}

function versionChanges(before: AboutVersion | undefined, after: AboutVersion | undefined): AboutDiff['change'][] {
  const [was, is] = [before?.deprecated ?? null, after?.deprecated ?? null];
  return [
    ...(JSON.stringify(was) === JSON.stringify(is) ? [] : [retirementChange(was !== null, is !== null)]),
    ...((before?.notes ?? null) === (after?.notes ?? null) ? [] : (['notes-changed'] as const)),
    ...((before?.published ?? null) === (after?.published ?? null) ? [] : (['published-changed'] as const)),
  ];
}

function retirementChange(was: boolean, is: boolean): AboutDiff['change'] {
  if (!was) return 'retired';
  return is ? 'retirement-changed' : 'restored';
}

/** The digests of the companion files of a version; null for one that does not exist, and absent if that is not known. */
export type CompanionDigests = Readonly<Partial<Record<CompanionKind, string | null>>>;

/** By app key, then by version. */
export type RegistryCompanions = ReadonlyMap<string, ReadonlyMap<string, CompanionDigests>>;

/** A companion file that only one of two states has, or that differs; one that exists must never change. */
export interface CompanionDiff {
  app: string;
  version: string;
  kind: CompanionKind;
  change: 'added' | 'removed' | 'changed';
}

/** Compares the companion files of the versions that both states have, in the order of apps, versions and kinds. */
export function diffCompanions(before: RegistryCompanions, after: RegistryCompanions): CompanionDiff[] {
  const found: CompanionDiff[] = [];
  for (const [app, versions] of [...after].sort(([a], [b]) => compareText(a, b)))
    for (const [version, now] of versions) {
      const old = before.get(app)?.get(version);
      if (old === undefined) continue;
      for (const kind of COMPANION_KINDS) {
        const change = changeOf(old[kind], now[kind]);
        if (change !== null) found.push({ app, version, kind, change });
      }
    }
  return found;
}

function changeOf(old: string | null | undefined, now: string | null | undefined): CompanionDiff['change'] | null {
  if (old === now || old === undefined || now === undefined) return null;
  if (old === null) return 'added';
  return now === null ? 'removed' : 'changed';
}

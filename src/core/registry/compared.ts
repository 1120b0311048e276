import {
  type Baseline,
  type ComparedApp,
  type ComparedState,
  type ComparedVersion,
  isMissing,
  type Missing,
  type PublishedVersion,
  type StoredSince,
} from '../facts/facts.ts';
import { respellingIn } from './respelled.ts';

/** The state that a live registry is compared with, as facts: a baseline is made of it, now and when it is judged again. */

const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: '--app' } };

/** The way in which a baseline is compared with a live registry. */
export interface Comparing extends Pick<ComparedState, 'isStored' | 'isRequested'> {
  /** The versions that are known to have been served: those of the lock file; null without one. */
  served: Baseline | null;
  /** The apps that are observed; null for all. */
  apps: readonly string[] | null;
}

/** The facts of a baseline. */
export function comparedState(baseline: Baseline, { isStored, isRequested, served, apps }: Comparing): ComparedState {
  const isLocked = new Set(served?.keys);
  const facts = baseline.keys.map((key): ComparedApp => {
    const before = isLocked.has(key) ? (served?.app(key) ?? []) : [];
    const recorded = isMissing(before) ? [] : before;
    const known = new Set(recorded.flatMap(({ version, isUnserved }) => (isUnserved === true ? [] : version)));
    const wasServed = isLocked.has(key) && (known.size > 0 || recorded.length === 0);
    const versions = apps !== null && !apps.includes(key) ? NOT_REQUESTED : (baseline.app(key) ?? []);
    return {
      key,
      ...(baseline.metadataUrl && { metadataUrl: baseline.metadataUrl(key) }),
      versions: isMissing(versions)
        ? versions
        : versions.map((one) => (known.has(one.version) ? { ...one, wasServed: true } : one)),
      ...(wasServed && { wasServed }),
    };
  });
  const absent = baseline.absent && { absent: baseline.absent };
  return { source: baseline.source, isStored, isRequested, apps: facts, ...absent };
}

/** The state as a baseline. */
export function comparedBaseline({ source, isStored, isRequested, apps, absent }: ComparedState): Baseline {
  const known = new Map(apps.map((app) => [app.key, app]));
  return {
    source,
    keys: apps.map(({ key }) => key),
    app(key) {
      if (absent !== undefined) return absent;
      const versions = known.get(key)?.versions ?? null;
      if (versions === null || isMissing(versions)) return versions;
      return versions.map((version) => publishedVersion(version, isStored));
    },
    metadataUrl: (key) => known.get(key)?.metadataUrl ?? null,
    isUnserved: (key) => isStored && known.get(key)?.wasServed !== true,
    ...(absent && { absent }),
    ...(isRequested && { isRequired: true }),
  };
}

function publishedVersion(version: ComparedVersion, isStored: boolean): PublishedVersion {
  return isStored && version.wasServed !== true ? { ...version, isUnserved: true } : version;
}

/** The apps and versions that are served now, as far as they are known. */
export interface ServedListing {
  /** The keys of the manifest; null if it cannot be used. */
  keys: ReadonlySet<string> | null;
  /** By app, if its metadata file was observed and can be used. */
  versions: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A stored app that is not served, or stored versions of it that are not. */
export interface Unserved {
  app: ComparedApp;
  /** Null if the app itself is not served. */
  versions: readonly ComparedVersion[] | null;
}

/** The apps and versions that are stored and not served, nor served in another spelling, which another finding names. */
export function unservedIn({ isStored, apps }: ComparedState, { keys, versions }: ServedListing): Unserved[] {
  if (!isStored || keys === null) return [];
  return apps.flatMap((app): Unserved[] => {
    if (!keys.has(app.key)) return [{ app, versions: null }];
    const served = versions.get(app.key);
    if (served === undefined || isMissing(app.versions)) return [];
    const unserved = app.versions.filter(
      ({ version }) => !served.has(version) && respellingIn(served, version) === null,
    );
    return unserved.length === 0 ? [] : [{ app, versions: unserved }];
  });
}

/** The state, with the times since which what is not served is stored. @param sinceOf null if that is not known */
export function withTimes(
  state: ComparedState,
  unserved: readonly Unserved[],
  sinceOf: (key: string, version: string | null) => StoredSince | null,
): ComparedState {
  const found = new Map(unserved.map((one) => [one.app.key, one]));
  const apps = state.apps.map((app): ComparedApp => {
    const { versions = [] } = found.get(app.key) ?? {};
    if (versions === null) return { ...app, ...timeOf(sinceOf(app.key, null)) };
    if (versions.length === 0 || isMissing(app.versions)) return app;
    const names = new Set(versions);
    return {
      ...app,
      versions: app.versions.map((one) =>
        names.has(one) ? { ...one, ...timeOf(sinceOf(app.key, one.version)) } : one,
      ),
    };
  });
  return { ...state, apps };
}

function timeOf(since: StoredSince | null): { since?: StoredSince } {
  return since === null ? {} : { since };
}

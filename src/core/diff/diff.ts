import { type DocumentFacts, isMissing, type Missing, type Snapshot } from '../facts/facts.ts';
import { compareText } from '../text/order.ts';
import { addressOf, withoutSignature } from '../url/signed-url.ts';
import { parseUrl } from '../url/url.ts';
import { type AboutDiff, ABSENT, type AppState, type CompanionDiff, stateOf, type VersionState } from './state.ts';
import { isCorrectedIn, respellingIn } from '../registry/respelled.ts';
import { MANIFEST_FIELDS, manifestAppsIn, metadataUrlOf } from '../registry/manifest.ts';
import type { FieldKind } from '../registry/app-fields.ts';
import { highestFirst } from '../registry/version-order.ts';

/** The differences between two states of a registry, as subscribers would see them. Absent values are null. */
export interface RegistryDiff {
  /** The names of the two states. */
  before: string;
  after: string;
  summary: Record<
    | 'appsAdded'
    | 'appsRemoved'
    | 'appsChanged'
    | 'versionsAdded'
    | 'versionsRemoved'
    | 'versionsChanged'
    | 'bytesAdded',
    number
  >;
  /** Keys of the apps that subscribers saw before and would no longer see. */
  vanishing: string[];
  /** Hosts that files are fetched from, compared with those of before. */
  hosts: { added: string[]; removed: string[] };
  apps: AppDiff[];
  /** Apps whose versions were not observed on one side, so that they are not compared. */
  notCompared: { key: string; reason: string }[];
  /** Companion files that differ, of versions that both states have; absent if none does. */
  companions?: readonly CompanionDiff[];
  /** Differences between the about files of apps that both states have; absent if nothing does. */
  about?: readonly AboutDiff[];
}

export interface AppDiff {
  key: string;
  change: 'added' | 'removed' | 'changed';
  /** The fields of its entry in the manifest that differ, and `icon`, the checksum of its icon. */
  fields: { name: string; before: string | null; after: string | null }[];
  versions: VersionDiff[];
  /** The highest version that subscribers are offered, as far as is known; null for a hidden app. */
  latest: { before: string | null; after: string | null };
  /** True if subscribers see it; null if that is not known. */
  visible: { before: boolean | null; after: boolean | null };
  /** Ids of the rules that hide it afterwards. */
  because: readonly string[];
  /** True if no version of it is listed, and none was before: it is hidden until the first one is published. */
  unpublished: boolean;
}

export interface VersionDiff {
  version: string;
  /**
   * `changed`: it has another checksum. For a published version, only another form of the same digest is allowed, or a
   * digest in place of none. `moved`: it has only another URL.
   */
  change: 'added' | 'removed' | 'changed' | 'moved';
  url: { before: string | null; after: string | null };
  checksum: { before: string | null; after: string | null };
  /** Size of the artifact in bytes, if it was observed. */
  bytes: number | null;
  /** For a removed version: the invalid text under which it is listed now, such as `v1.0.0`; absent if there is none. */
  listedAs?: string;
}

/**
 * Compares two states, app by app and version by version; the order in which they are listed has no meaning (spec 9).
 */
export function diffRegistries(before: Snapshot, after: Snapshot): RegistryDiff {
  const [old, now] = [stateOf(before), stateOf(after)];
  const apps: AppDiff[] = [];
  for (const key of [...new Set([...old.keys(), ...now.keys()])].sort(compareText)) {
    const found = appDifference(key, old.get(key), now.get(key));
    if (found) apps.push(found);
  }
  const [oldHosts, newHosts] = [hostsOf(old), hostsOf(now)];
  const hidden = ({ key, change, visible }: AppDiff): boolean =>
    change !== 'added' &&
    visible.before !== false &&
    (old.get(key)?.unobserved ?? null) === null &&
    (change === 'removed' || visible.after === false);
  const notCompared = [...now].flatMap(([key, app]) => {
    const reason = app.unobserved ?? old.get(key)?.unobserved ?? null;
    return reason === null ? [] : [{ key, reason }];
  });
  return {
    before: before.target,
    after: after.target,
    summary: summaryOf(apps),
    vanishing: apps.filter(hidden).map(({ key }) => key),
    hosts: {
      added: [...newHosts].filter((host) => !oldHosts.has(host)).sort(),
      removed: [...oldHosts].filter((host) => !newHosts.has(host)).sort(),
    },
    apps,
    notCompared: notCompared.sort((a, b) => compareText(a.key, b.key)),
  };
}

/**
 * The apps of a comparison that both states list and that could not be compared, except for those whose metadata file is
 * in neither state, at one URL: nothing of them can have changed here.
 */
export function leftOutOf(
  { notCompared }: Pick<RegistryDiff, 'notCompared'>,
  before: Snapshot,
  after: Snapshot,
): RegistryDiff['notCompared'] {
  const [old, now] = [before, after].map((state) => metadataIn(state));
  return notCompared.filter(({ key }) => {
    const [earlier, later] = [old?.get(key), now?.get(key)];
    if (earlier === undefined || later === undefined) return false;
    return earlier.url !== later.url || !isMissing(earlier.content) || !isMissing(later.content);
  });
}

/** The metadata files of the apps that a state lists, by key. */
function metadataIn({ manifest, apps }: Snapshot): Map<string, Pick<DocumentFacts, 'url' | 'content'>> {
  const observed = new Map(apps.map(({ key, metadata }) => [key, metadata]));
  const unobserved: Missing = { missing: { code: 'not-requested', flag: null } };
  return new Map(
    Object.entries(manifestAppsIn(manifest.content) ?? {}).map(([key, entry]) => [
      key,
      { url: metadataUrlOf(entry), content: observed.get(key)?.content ?? unobserved },
    ]),
  );
}

function appDifference(key: string, old: AppState | undefined, now: AppState | undefined): AppDiff | null {
  const [before, after] = [old ?? ABSENT, now ?? ABSENT];
  const fields: AppDiff['fields'] = [];
  for (const name of new Set([...before.fields.keys(), ...after.fields.keys()])) {
    const field = { name, before: before.fields.get(name) ?? null, after: after.fields.get(name) ?? null };
    if (field.before !== field.after && unsigned(field.before) !== unsigned(field.after)) fields.push(field);
  }
  if (before.icon !== null && after.icon !== null && before.icon !== after.icon)
    fields.push({ name: 'icon', before: before.icon, after: after.icon });
  const isUnobserved = before.unobserved !== null || after.unobserved !== null;
  const versions = isUnobserved ? [] : versionDifferences(before.versions, after.versions);
  const same = versions.length === 0 && (isUnobserved || isHidden(before) === isHidden(after));
  if (old && now && fields.length === 0 && same) return null;
  return {
    key,
    change: presenceChange(old, now) ?? 'changed',
    fields: old && now ? fields : [],
    versions,
    latest: isUnobserved ? { before: null, after: null } : { before: before.latest, after: after.latest },
    visible: { before: before.visible, after: after.visible },
    because: after.because,
    unpublished: before.versions.size + after.versions.size === 0 && after.because.includes('no-valid-versions'),
  };
}

function versionDifferences(before: AppState['versions'], after: AppState['versions']): VersionDiff[] {
  const found: VersionDiff[] = [];
  const listed = new Set(after.keys());
  const respelled = new Map(
    [...before.keys()].flatMap((version) => {
      const text = respellingIn(listed, version);
      return text === null ? [] : [[version, text] as const];
    }),
  );
  const respellings = new Set(respelled.values());
  for (const version of new Set([...before.keys(), ...after.keys()])) {
    const [oldEntries, newEntries] = [before.get(version) ?? [], after.get(version) ?? []];
    // Of several entries, one that was not listed before: their order has no meaning.
    const now = newEntries.find((entry) => oldEntries.every((other) => versionChange(other, entry) !== null));
    const old = oldEntries.find(({ checksum }) => checksum === now?.checksum) ?? oldEntries[0];
    const change = newEntries.length > 0 && now === undefined ? null : versionChange(old, now);
    if (change === null || (change === 'removed' && isCorrectedIn(listed, version))) continue;
    if (change === 'added' && respellings.has(version)) continue;
    const listedAs = respelled.get(version);
    found.push({
      version,
      change,
      url: { before: old?.url ?? null, after: now?.url ?? null },
      checksum: { before: old?.checksum ?? null, after: now?.checksum ?? null },
      bytes: now?.bytes ?? old?.bytes ?? null,
      ...(listedAs !== undefined && { listedAs }),
    });
  }
  return found.sort((a, b) => highestFirst(a.version, b.version));
}

function presenceChange(old: object | undefined, now: object | undefined): 'added' | 'removed' | null {
  if (!old) return 'added';
  return now ? null : 'removed';
}

function versionChange(old: VersionState | undefined, now: VersionState | undefined): VersionDiff['change'] | null {
  if (!old || !now) return presenceChange(old, now);
  if (old.checksum !== now.checksum) return 'changed';
  return isSameAddress(old.url, now.url) ? null : 'moved';
}

function isSameAddress(a: string | null, b: string | null): boolean {
  return a === b || (a !== null && b !== null && addressOf(a) === addressOf(b));
}

/** A field of an app, without the signature if it is a signed URL. */
function unsigned(text: string | null): string | null {
  return text === null ? null : withoutSignature(text);
}

function isHidden({ visible }: AppState): boolean {
  return visible === false;
}

/** True if the value of a field is the URL of a file that is fetched. */
const IS_FETCHED: Record<FieldKind, boolean> = {
  text: false,
  color: false,
  icon: true,
  'metadata-url': true,
  'page-url': false,
  'support-url': false,
  license: false,
};
const FETCHED = MANIFEST_FIELDS.filter(({ kind }) => IS_FETCHED[kind]);

function hostsOf(state: ReadonlyMap<string, AppState>): Set<string> {
  const hosts = new Set<string>();
  for (const { fields, versions } of state.values()) {
    const urls = [
      ...FETCHED.map(({ name }) => fields.get(name)),
      ...[...versions.values()].flat().map(({ url }) => url),
    ];
    for (const url of urls) hosts.add(parseUrl(url ?? '')?.host ?? '');
  }
  hosts.delete('');
  return hosts;
}

function summaryOf(apps: readonly AppDiff[]): RegistryDiff['summary'] {
  const versions = apps.flatMap((app) => app.versions);
  return {
    appsAdded: countOf(apps, 'added'),
    appsRemoved: countOf(apps, 'removed'),
    appsChanged: countOf(apps, 'changed'),
    versionsAdded: countOf(versions, 'added'),
    versionsRemoved: countOf(versions, 'removed'),
    versionsChanged: countOf(versions, 'changed', 'moved'),
    bytesAdded: versions.reduce((sum, { change, bytes }) => sum + (change === 'added' ? (bytes ?? 0) : 0), 0),
  };
}

function countOf(list: readonly { change: string }[], ...changes: string[]): number {
  return list.filter(({ change }) => changes.includes(change)).length;
}

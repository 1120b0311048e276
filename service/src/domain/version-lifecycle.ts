import {
  type ArtifactFacts,
  byPrecedence,
  digestOf,
  isMissing,
  isObject,
  isSemver,
  type JsonValue,
  latestOf,
  type OfferBefore,
  offerOf,
  shorten,
  type VersionErrors,
  versionFields,
  type VersionOffer,
} from 'appreg';
import { type VersionChanges, type StoredVersion, type Validators } from './version.ts';
import { storable } from './storable.ts';
import { validatorsIn, mergeValidators } from './validators.ts';

/**
 * Updates the state of an app's versions from an observation. Pure: rows in, rows out. What is offered is decided in
 * core (offers/version-offer.ts), as for reports.
 */

export interface VersionUpdate extends VersionChanges {
  /** The number of listed versions beyond the limit. */
  beyond: number;
}

export interface VersionObservation {
  known: readonly StoredVersion[];
  /** The versions in the metadata file, and their artifacts. */
  listed: readonly JsonValue[];
  artifacts: readonly ArtifactFacts[];
  /** The errors of the app's versions, by version. */
  errors: VersionErrors;
  now: Date;
  /** Maximum versions to keep, the highest first. */
  limit: number;
  /** By artifact URL: the response to a request that made this refresh fetch the artifact again. */
  answers: ReadonlyMap<string, Validators>;
  /** The checksums of the versions whose bytes the service keeps. */
  kept?: ReadonlySet<string>;
}

export function updateVersions(observation: VersionObservation): VersionUpdate {
  const { known, listed, artifacts, limit, now } = observation;
  const before = new Map(known.map((row) => [row.version, row]));
  const entries = listedEntries(listed, artifacts);
  const unknown = [...entries].filter(([version]) => !before.has(version));
  const added = byPrecedence(unknown.toReversed(), ([version]) => version).toReversed();
  const room = Math.max(0, limit - before.size);
  const after: StoredVersion[] = [];
  const removed: string[] = [];
  for (const row of known) {
    const own = entries.get(row.version);
    if (own) after.push(nextState(row, own, observation));
    else if (row.verifiedAt === null) removed.push(row.version);
    else after.push({ ...row, swappedChecksum: null, servedChecksum: null, withdrawnAt: row.withdrawnAt ?? now });
  }
  for (const [, own] of added.slice(0, room)) after.push(nextState(null, own, observation));
  const offered = after.filter(({ state, withdrawnAt }) => state === 'verified' && withdrawnAt === null);
  return {
    changed: after.filter((row) => !isSameVersion(row, before.get(row.version))),
    removed,
    latest: latestOf(offered.map(({ version }) => version)),
    beyond: Math.max(0, added.length - room),
  };
}

/** The next state of one listed version. */
function nextState(row: StoredVersion | null, entries: SameVersion, observation: VersionObservation): StoredVersion {
  const { errors, now, kept = new Set() } = observation;
  const pinned = row?.verifiedAt ? { ...offerBefore(row, kept), checksum: row.artifactChecksum } : null;
  const offer = offerOf({ entries, errors: errors.get(entries[0].version) ?? [], pinned });
  const { entry } = offer;
  if (row !== null && pinned !== null && entry.checksum !== pinned.checksum)
    return stateOf({ ...row, swappedChecksum: storableChecksum(entry.listed), withdrawnAt: null }, offer, observation);
  const listed = entry.checksum ?? storableChecksum(entry.listed);
  const isNew = row === null || row.artifactChecksum !== listed;
  const base: StoredVersion = {
    ...(isNew ? { ...NOT_FETCHED, firstSeenAt: now } : row),
    version: entry.version,
    artifactUrl: isNew || pinned === null ? entry.url : row.artifactUrl,
    artifactChecksum: listed,
    swappedChecksum: null,
    servedChecksum: isNew ? null : row.servedChecksum,
    withdrawnAt: null,
  };
  return stateOf(base, offer, observation);
}

const NOT_FETCHED = {
  lostAt: null,
  state: 'pending',
  rule: null,
  reason: null,
  verifiedAt: null,
  triedAt: null,
  bytes: null,
  validators: null,
  askedAt: null,
} as const;

/** The row of a version by the decision about it. */
function stateOf(
  base: StoredVersion,
  offer: VersionOffer<ListedEntry>,
  { now, answers }: Pick<VersionObservation, 'now' | 'answers'>,
): StoredVersion {
  switch (offer.state) {
    case 'unexamined':
      return base;
    case 'original':
      return { ...base, servedChecksum: null };
    case 'kept':
      return { ...base, state: 'verified', rule: null, reason: null, lostAt: base.lostAt ?? now };
    case 'refused': {
      const { rule, message, served = base.servedChecksum } = offer;
      const reason = shorten(storable(message), 500);
      return { ...base, servedChecksum: served, state: 'refused', rule, reason, triedAt: now };
    }
    case 'verified':
      return verifiedVersion(base, offer, { now, answers });
  }
}

/** A version whose artifact has the listed digest: it is pinned. */
function verifiedVersion(
  base: StoredVersion,
  { entry: { facts, url }, content }: VersionOffer<ListedEntry> & { state: 'verified' },
  { now, answers }: Pick<VersionObservation, 'now' | 'answers'>,
): StoredVersion {
  const seenAt = facts?.reusedFrom === undefined ? now : new Date(facts.reusedFrom);
  const isConfirmed = base.state === 'verified' && base.verifiedAt !== null && facts?.reusedFrom !== undefined;
  const served = facts === undefined || isMissing(facts.web) ? null : validatorsIn(facts.web.server);
  return {
    ...base,
    state: 'verified',
    artifactUrl: url,
    rule: null,
    reason: null,
    verifiedAt: isConfirmed ? base.verifiedAt : seenAt,
    triedAt: isConfirmed ? base.triedAt : seenAt,
    bytes: content.bytes,
    servedChecksum: null,
    lostAt: null,
    ...(isConfirmed
      ? {}
      : { askedAt: seenAt, validators: mergeValidators(base.validators, [served, answers.get(url) ?? null]) }),
  };
}

/** The previous decision about a version of which a digest is pinned. @param kept the checksums whose bytes are kept */
export function offerBefore({ state, rule, artifactChecksum }: StoredVersion, kept: ReadonlySet<string>): OfferBefore {
  return { isOffered: state === 'verified', rule, isKept: kept.has(artifactChecksum) };
}

/** A listed text as it can be stored. */
function storableChecksum(listed: string): string {
  return shorten(storable(listed), 200);
}

/** The entries of a metadata file that can be stored, with the facts about their artifacts. */

/** The entry of a version in a metadata file. */
interface ListedEntry {
  version: string;
  url: string;
  /** `sha256:` and the digest, or null if invalid. */
  checksum: string | null;
  listed: string;
  facts: ArtifactFacts | undefined;
}

/** Column values are untrusted: longer ones are not realistic versions or URLs. */
const LONGEST = { version: 200, url: 4096 };

/** The entries of one version. More than one is an error of the registry. */
type SameVersion = readonly [ListedEntry, ...ListedEntry[]];

/** The valid entries of each version. */
function listedEntries(listed: readonly JsonValue[], artifacts: readonly ArtifactFacts[]): Map<string, SameVersion> {
  const entries = new Map<string, SameVersion>();
  for (const [index, item] of listed.entries()) {
    const { version } = versionFields(item);
    if (version === null) continue;
    const entry = isObject(item) && isSemver(version) ? entryOf(item, version, artifacts[index]) : null;
    if (entry === null) continue;
    const others = entries.get(version);
    entries.set(version, others === undefined ? [entry] : [...others, entry]);
  }
  return entries;
}

function entryOf(item: JsonValue, version: string, facts: ArtifactFacts | undefined): ListedEntry | null {
  const { artifactUrl: url, artifactChecksum: listed } = versionFields(item);
  if (
    url === null ||
    listed === null ||
    url.length > LONGEST.url ||
    version.length > LONGEST.version ||
    storable(url) !== url
  )
    return null;
  const digest = digestOf(listed);
  return { version, url, checksum: digest === null ? null : `sha256:${digest}`, listed, facts };
}

/** True if the row of a version needs no write. */
function isSameVersion(a: StoredVersion, b: StoredVersion | undefined): boolean {
  return b !== undefined && COLUMNS.every((name) => isEqual(a[name], b[name]));
}

// The time of the last attempt on a refused version does not justify a write each hour.
const COLUMNS = [
  'artifactUrl',
  'artifactChecksum',
  'state',
  'rule',
  'reason',
  'verifiedAt',
  'bytes',
  'swappedChecksum',
  'servedChecksum',
  'withdrawnAt',
  'lostAt',
] as const;

function isEqual(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}

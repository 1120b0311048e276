import { digestOf } from '../../core/registry/checksum.ts';
import type { AppFacts, ArtifactFacts } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { isObject, type JsonValue } from '../../core/json/json.ts';
import { listedVersionsIn, versionFields } from '../../core/registry/metadata.ts';
import type { Finding } from '../../core/engine/report.ts';
import { shorten } from '../../core/text/text.ts';
import { comparePrecedence, isSemver, latestOf } from '../../core/registry/version.ts';
import { isAnswered, ruleOfFailure, statusOf } from '../../core/http/probe.ts';
import { storable } from '../storage/packed.ts';
import type { VersionRow } from '../storage/tables.ts';

/**
 * Updates the state of an app's versions from an observation. Pure: rows in, rows out.
 *
 * The digest that the bytes had when they were first verified is in force forever: different bytes or a different
 * listing can only stop the version from being offered. Before that, nothing could be installed, so a digest that never
 * matched any bytes was never in force, and a fixed listing replaces it.
 */

/** A version as stored in the database. */
export type StoredVersion = Omit<VersionRow, 'registryId' | 'appKey' | 'firstSeenAt' | 'bytes'> & {
  firstSeenAt: Date;
  bytes: number | null;
};

export interface Kept {
  /** Rows that are new or changed. */
  put: StoredVersion[];
  /** Versions that were never in force and are not listed any more. */
  drop: string[];
  /** The highest offered version, or null. */
  latest: string | null;
  /** Listed versions beyond the limit. */
  beyond: number;
}

interface Entry {
  version: string;
  url: string;
  /** `sha256:` and the digest, or null if invalid. */
  checksum: string | null;
  listed: string;
  facts: ArtifactFacts | undefined;
}

/** The versions that a metadata file lists, or null if it is not usable. */
export function listIn({ metadata }: AppFacts): readonly JsonValue[] | null {
  return listedVersionsIn(metadata.content);
}

/** Column values are untrusted: longer ones are not realistic versions or URLs. */
const LONGEST = { version: 200, url: 4096 };

/**
 * @param list the versions in the metadata file @param findings the errors of this run about the app
 * @param limit maximum versions to keep, the highest first
 */
export function updateVersions(
  known: readonly StoredVersion[],
  list: readonly JsonValue[],
  artifacts: readonly ArtifactFacts[],
  findings: readonly Finding[],
  now: Date,
  limit: number,
): Kept {
  const before = new Map(known.map((row) => [row.version, row]));
  const listed = new Set<string>();
  const entries = new Map<string, Entry[]>();
  for (const [index, item] of list.entries()) {
    const { version } = versionFields(item);
    if (version === null) continue;
    listed.add(version);
    const entry = isObject(item) && isSemver(version) ? entryOf(item, version, artifacts[index]) : null;
    if (entry) entries.set(version, [...(entries.get(version) ?? []), entry]);
  }
  const fresh = [...entries.keys()].filter((version) => !before.has(version)).sort((a, b) => comparePrecedence(b, a));
  const room = Math.max(0, limit - before.size);
  const after: StoredVersion[] = [];
  const drop: string[] = [];
  for (const row of known) {
    const same = entries.get(row.version);
    if (same) after.push(next(row, same, findings, now));
    else if (row.verifiedAt === null) drop.push(row.version);
    // Listed with an invalid entry: what is in force is kept.
    else if (listed.has(row.version)) after.push({ ...row, withdrawnAt: null });
    else after.push({ ...row, swappedChecksum: null, withdrawnAt: row.withdrawnAt ?? now });
  }
  for (const version of fresh.slice(0, room)) {
    const same = entries.get(version)!;
    if (same.every(({ checksum }) => checksum === null)) continue;
    after.push(next(null, same, findings, now));
  }
  const offered = after.filter(({ state, withdrawnAt }) => state === 'verified' && withdrawnAt === null);
  return {
    put: after.filter((row) => !isSame(row, before.get(row.version))),
    drop,
    latest: latestOf(offered.map(({ version }) => version)),
    beyond: Math.max(0, fresh.length - room),
  };
}

function entryOf(item: JsonValue, version: string, facts: ArtifactFacts | undefined): Entry | null {
  const { artifactUrl: url, artifactChecksum } = versionFields(item);
  const listed = artifactChecksum ?? '';
  if (url === null || url.length > LONGEST.url || version.length > LONGEST.version || storable(url) !== url)
    return null;
  const digest = digestOf(listed);
  return { version, url, checksum: digest === null ? null : `sha256:${digest}`, listed, facts };
}

/** The next state of one listed version. */
function next(
  row: StoredVersion | null,
  entries: readonly Entry[],
  findings: readonly Finding[],
  now: Date,
): StoredVersion {
  const inForce = row?.verifiedAt ? row.artifactChecksum : null;
  const entry = entries.find(({ checksum }) => inForce !== null && checksum === inForce) ?? entries[0]!;
  const errors = findings.filter(({ version, severity }) => version === entry.version && severity === 'error');
  if (row && inForce !== null && entry.checksum !== inForce) return swapped(row, entry, errors, now);
  const isNew = row === null || row.artifactChecksum !== entry.checksum;
  const base: StoredVersion = {
    ...(isNew
      ? { state: 'pending', rule: null, reason: null, verifiedAt: null, triedAt: null, bytes: null, firstSeenAt: now }
      : row),
    version: entry.version,
    artifactUrl: isNew || inForce === null ? entry.url : row.artifactUrl,
    artifactChecksum: entry.checksum ?? row?.artifactChecksum ?? '',
    swappedChecksum: null,
    withdrawnAt: null,
  };
  if (entry.checksum === null) return row ? { ...row, withdrawnAt: null } : base;
  // Contradictory entries: the intended one is unknown.
  if (inForce === null && new Set(entries.map(({ checksum }) => checksum)).size > 1)
    return refused(base, now, 'version-duplicate', 'It is listed more than once, with different checksums.');
  return byBytes(base, entry, errors, now);
}

/** The state by the artifact: its listed digest is in force, or is about to be. */
function byBytes(
  base: StoredVersion,
  { facts, checksum, url }: Entry,
  errors: readonly Finding[],
  now: Date,
): StoredVersion {
  if (!facts || isMissing(facts.web)) return base;
  const error = errors.find(({ resource }) => resource === 'artifact');
  const { content } = facts;
  if (isMissing(content)) {
    // A verified version stays offered while its host is merely down, but not if the host reports that the artifact is
    // missing.
    const { server: service } = facts.web;
    const gone = service.failure === null && [401, 403, 404, 410].includes(statusOf(service));
    if (base.verifiedAt !== null && base.state === 'verified' && !gone) return base;
    const rule = error?.rule ?? ruleOfFailure(service) ?? 'unreachable';
    return refused(base, now, rule, error?.message ?? 'Its artifact cannot be fetched.');
  }
  const digests = [content, ...(facts.again && !isMissing(facts.again) ? [facts.again] : [])];
  const right = digests.find(({ sha256, cut }) => !cut && `sha256:${sha256}` === checksum);
  if (!right || error) {
    const rule = error?.rule ?? 'artifact-checksum-mismatch';
    return refused(base, now, rule, error?.message ?? 'The artifact’s bytes have another checksum.');
  }
  const seen = facts.reusedFrom === undefined ? now : new Date(facts.reusedFrom);
  const stands = base.state === 'verified' && base.verifiedAt !== null && facts.reusedFrom !== undefined;
  return {
    ...base,
    state: 'verified',
    artifactUrl: url,
    rule: null,
    reason: null,
    verifiedAt: stands ? base.verifiedAt : seen,
    triedAt: stands ? base.triedAt : seen,
    bytes: right.bytes,
  };
}

/** Listed with a digest other than the one in force. It stays offered only if its bytes are still the original ones. */
function swapped(row: StoredVersion, { facts, listed }: Entry, errors: readonly Finding[], now: Date): StoredVersion {
  const base = { ...row, swappedChecksum: shorten(storable(listed), 200), withdrawnAt: null };
  if (!facts || isMissing(facts.web) || isMissing(facts.content)) return base;
  if (isAnswered(facts.web.server) && `sha256:${facts.content.sha256}` === row.artifactChecksum) return base;
  const error = errors.find(({ rule }) => rule === 'artifact-changed');
  return refused(base, now, 'artifact-changed', error?.message ?? 'It was published with another checksum.');
}

function refused(row: StoredVersion, now: Date, rule: string, reason: string): StoredVersion {
  return { ...row, state: 'refused', rule, reason: shorten(storable(reason), 500), triedAt: now };
}

function isSame(a: StoredVersion, b: StoredVersion | undefined): boolean {
  return b !== undefined && COLUMNS.every((name) => same(a[name], b[name]));
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
  'withdrawnAt',
] as const;

function same(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}

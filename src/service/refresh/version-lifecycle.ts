import type { ArtifactFacts, Content, Probe } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { Finding } from '../../core/engine/report.ts';
import { shorten } from '../../core/text/text.ts';
import { comparePrecedence, latestOf } from '../../core/registry/version.ts';
import { areCredentialsRefused, isAnswered, statusOf } from '../../core/http/probe.ts';
import { ruleOfFailure } from '../../core/http/failure-rule.ts';
import { mergeValidators, validatorsIn } from './artifact-checks/validators.ts';
import { storable } from '../storage/packed.ts';
import type { StoredVersion, Validators } from '../storage/tables.ts';
import type { VersionChanges } from '../storage/versions.ts';
import { type ListedEntry, listedEntries, type SameVersion } from './listed-entries.ts';
import { isSameVersion } from './same-version.ts';

/**
 * Updates the state of an app's versions from an observation. Pure: rows in, rows out.
 *
 * The digest that the bytes had when they were first verified is pinned forever: different bytes or a different
 * listing can only stop the version from being offered. Before that, nothing could be installed, so a digest that never
 * matched any bytes was never pinned, and a fixed listing replaces it.
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
  /** The errors of this run about the app. */
  errors: readonly Finding[];
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
  const { names, entries } = listedEntries(listed, artifacts);
  const added = [...entries].filter(([version]) => !before.has(version)).sort(([a], [b]) => comparePrecedence(b, a));
  const room = Math.max(0, limit - before.size);
  const after: StoredVersion[] = [];
  const removed: string[] = [];
  for (const row of known) {
    const own = entries.get(row.version);
    if (own) after.push(nextState(row, own, observation));
    else if (row.verifiedAt === null) removed.push(row.version);
    // Listed with an invalid entry: the pinned digest is kept.
    else if (names.has(row.version)) after.push({ ...row, withdrawnAt: null });
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
  const { errors: findings, now, answers, kept = new Set() } = observation;
  const pinned = row?.verifiedAt ? row.artifactChecksum : null;
  const entry = entries.find(({ checksum }) => pinned !== null && checksum === pinned) ?? entries[0];
  const errors = findings.filter(({ version, severity }) => version === entry.version && severity === 'error');
  if (row && pinned !== null && entry.checksum !== pinned) return swappedVersion(row, entry, errors, now);
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
  if (entry.checksum === null) {
    const error = errors.find(({ rule }) => rule === 'checksum-malformed');
    return refusedVersion(base, now, 'checksum-malformed', error?.message ?? 'The checksum is malformed.');
  }
  // Contradictory entries: the intended one is unknown.
  if (pinned === null && new Set(entries.map(({ checksum }) => checksum)).size > 1)
    return refusedVersion(
      base,
      now,
      'version-duplicate',
      'The version is listed more than once, with different checksums.',
    );
  return stateByArtifact(base, entry, errors, { now, answers, kept });
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

/** The state by the artifact: its listed digest is pinned, or is about to be. */
function stateByArtifact(
  base: StoredVersion,
  { facts, checksum, url }: ListedEntry,
  errors: readonly Finding[],
  { now, answers, kept }: Required<Pick<VersionObservation, 'now' | 'answers' | 'kept'>>,
): StoredVersion {
  const error = errors.find(({ resource }) => resource === 'artifact');
  if (!facts || isMissing(facts.web)) {
    // Its URL cannot be requested at all: it is not waiting for a request.
    const isBlocked = facts !== undefined && isMissing(facts.web) && facts.web.missing.code === 'blocked-by';
    return isBlocked && error && base.verifiedAt === null ? refusedVersion(base, now, error.rule, error.message) : base;
  }
  const { content } = facts;
  if (isMissing(content)) return stateWithoutBytes(base, facts.web.server, error, { now, kept });
  const digests = [content, ...(facts.again && !isMissing(facts.again) ? [facts.again] : [])];
  const matching = digests.find(({ sha256, cut }) => !cut && `sha256:${sha256}` === checksum);
  if (!matching || error) {
    const rule = error?.rule ?? 'artifact-checksum-mismatch';
    const servedChecksum = matching ? null : servedDigest(digests);
    return refusedVersion(
      { ...base, servedChecksum },
      now,
      rule,
      error?.message ?? 'The artifact has a different checksum.',
    );
  }
  const seenAt = facts.reusedFrom === undefined ? now : new Date(facts.reusedFrom);
  const isConfirmed = base.state === 'verified' && base.verifiedAt !== null && facts.reusedFrom !== undefined;
  return {
    ...base,
    state: 'verified',
    artifactUrl: url,
    rule: null,
    reason: null,
    verifiedAt: isConfirmed ? base.verifiedAt : seenAt,
    triedAt: isConfirmed ? base.triedAt : seenAt,
    bytes: matching.bytes,
    servedChecksum: null,
    lostAt: null,
    ...(isConfirmed
      ? {}
      : {
          askedAt: seenAt,
          validators: mergeValidators(base.validators, [validatorsIn(facts.web.server), answers.get(url) ?? null]),
        }),
  };
}

/** The artifact was requested, but its host did not send it. */
function stateWithoutBytes(
  base: StoredVersion,
  server: Probe,
  error: Finding | undefined,
  { now, kept }: Required<Pick<VersionObservation, 'now' | 'kept'>>,
): StoredVersion {
  // A verified version stays offered while its host is merely down or refuses the credentials, but not if the host
  // reports that the artifact is missing.
  const isGone =
    server.failure === null && [401, 403, 404, 410].includes(statusOf(server)) && !areCredentialsRefused(server);
  if (base.verifiedAt !== null && base.state === 'verified' && !isGone) return base;
  // The service still has the bytes.
  if (base.verifiedAt !== null && kept.has(base.artifactChecksum))
    return { ...base, state: 'verified', rule: null, reason: null, lostAt: base.lostAt ?? now };
  const rule = error?.rule ?? ruleOfFailure(server) ?? 'unreachable';
  return refusedVersion(
    { ...base, servedChecksum: null },
    now,
    rule,
    error?.message ?? 'The artifact cannot be fetched.',
  );
}

/** Listed with a digest other than the pinned one. It stays offered only if its bytes are still the original ones. */
function swappedVersion(
  row: StoredVersion,
  { facts, listed }: ListedEntry,
  errors: readonly Finding[],
  now: Date,
): StoredVersion {
  const base = { ...row, swappedChecksum: storableChecksum(listed), withdrawnAt: null };
  if (!facts || isMissing(facts.web) || isMissing(facts.content)) return base;
  const isUnchanged = isAnswered(facts.web.server) && `sha256:${facts.content.sha256}` === row.artifactChecksum;
  if (isUnchanged) return { ...base, servedChecksum: null };
  const error = errors.find(({ rule }) => rule === 'artifact-changed');
  return refusedVersion(
    { ...base, servedChecksum: servedDigest([facts.content]) },
    now,
    'artifact-changed',
    error?.message ?? 'The version was published with a different checksum.',
  );
}

/** The digest of the first complete download; null if there is none. */
function servedDigest(downloads: readonly Pick<Content, 'sha256' | 'cut'>[]): string | null {
  const whole = downloads.find(({ cut }) => !cut);
  return whole === undefined ? null : `sha256:${whole.sha256}`;
}

/** A listed text as it can be stored. */
function storableChecksum(listed: string): string {
  return shorten(storable(listed), 200);
}

function refusedVersion(row: StoredVersion, now: Date, rule: string, reason: string): StoredVersion {
  return { ...row, state: 'refused', rule, reason: shorten(storable(reason), 500), triedAt: now };
}

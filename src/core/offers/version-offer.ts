import {
  type ArtifactFacts,
  type Content,
  isMissing,
  type OfferBefore,
  type Probe,
  type ResourceKind,
} from '../facts/facts.ts';
import { ruleOfFailure } from '../http/failed-request.ts';
import { areCredentialsRefused, isAnswered, statusOf } from '../http/probe.ts';
import { impossibleDigest } from '../registry/checksum.ts';
import { compareText } from '../text/order.ts';

/**
 * True if the service offers a version: the one decision from which the service derives the state of a version, and
 * reports the visibility and the latest version of an app.
 */

/** A problem of a version whose own severity is error: settings and exceptions do not change what is offered. */
export interface VersionError {
  rule: string;
  message: string;
  resource: ResourceKind;
}

/** One entry of a version in a metadata file. */
export interface OfferEntry {
  /** `sha256:` and the digest, or null if malformed. */
  checksum: string | null;
  /** Undefined if nothing is known about its artifact. */
  facts: ArtifactFacts | undefined;
  /** True if an attestation is required, and it is not known whether there is one. */
  isUnproved?: boolean;
}

/** The digest that was verified or published before. */
interface PinnedDigest extends OfferBefore {
  checksum: string;
}

/** Input of the decision. */
export interface VersionCase<E extends OfferEntry> {
  /** More than one is an error of the registry. */
  entries: readonly [E, ...E[]];
  errors: readonly VersionError[];
  /** Null for a version that was never verified before. */
  pinned: PinnedDigest | null;
}

type Decision =
  /** Its artifact has the listed digest, and no error. */
  | { state: 'verified'; content: Content }
  /** Another digest is listed than the pinned one, but the artifact is still the original one. */
  | { state: 'original' }
  /** Its host no longer has the artifact, but the service has. */
  | { state: 'kept' }
  /** `served`: the checksum of the bytes that were served instead; undefined if none were examined. */
  | { state: 'refused'; rule: string; message: string; served?: string | null }
  /** Its artifact was not examined, so that the last decision remains; `rule`: the reason, if it is a finding. */
  | { state: 'unexamined'; rule: string | null };

/** The decision about a version, and the entry that it is about. */
export type VersionOffer<E extends OfferEntry = OfferEntry> = Decision & { entry: E };

/**
 * Decides whether a version is offered. The digest of a version that was verified once is pinned: other bytes, or
 * another listing, can only stop it from being offered. Before that, it could not be installed, and a corrected listing
 * replaces it.
 */
export function offerOf<E extends OfferEntry>({ entries, errors, pinned }: VersionCase<E>): VersionOffer<E> {
  const entry = intendedEntry(entries, pinned);
  return { entry, ...decide(entry, { entries, errors, pinned }) };
}

/** The entry with the pinned digest, if there is one; of several, one whose artifact was examined. */
function intendedEntry<E extends OfferEntry>(entries: readonly [E, ...E[]], pinned: PinnedDigest | null): E {
  if (entries.length === 1) return entries[0];
  const same = entries.filter(({ checksum }) => pinned !== null && checksum === pinned.checksum);
  const candidates = same.length > 0 ? same : entries;
  const examined = candidates.find(({ facts }) => facts !== undefined && !isMissing(facts.content));
  return examined ?? candidates[0] ?? entries[0];
}

function decide(entry: OfferEntry, { entries, errors, pinned }: VersionCase<OfferEntry>): Decision {
  if (pinned !== null && entry.checksum !== pinned.checksum) return replacedDigest(entry, errors, pinned);
  // Contradictory entries: the intended one is unknown. A malformed checksum may be the same one in another form.
  if (pinned === null && entries.length > 1 && areContradictory(entries))
    return {
      state: 'refused',
      rule: 'version-duplicate',
      message: 'The version is listed more than once, with different checksums.',
    };
  if (entry.checksum === null || (pinned === null && entries.some(({ checksum }) => checksum === null)))
    return refused('checksum-malformed', errors, 'The checksum is malformed.');
  const error = artifactError(entries, errors);
  const { facts } = entry;
  // A mismatch follows from it.
  if (
    (error?.rule ?? 'artifact-checksum-mismatch') === 'artifact-checksum-mismatch' &&
    isImpossible(entry.checksum, facts)
  )
    return refused('checksum-placeholder', errors, 'No artifact has the listed checksum.');
  if (facts !== undefined && !isMissing(facts.content))
    return provedByDigest(entry, byDigest(entry.checksum, facts.content, facts.again, error));
  if (facts !== undefined && !isMissing(facts.web) && !isAnswered(facts.web.server))
    return withoutBytes(facts.web.server, error, pinned);
  // Without its bytes, an error is about its URL.
  return error && pinned === null ? { state: 'refused', ...error } : { state: 'unexamined', rule: error?.rule ?? null };
}

function areContradictory(entries: readonly OfferEntry[]): boolean {
  return new Set(entries.flatMap(({ checksum }) => checksum ?? [])).size > 1;
}

/** The first error about its artifact; of several entries, by rule, since their order has no meaning. */
function artifactError(entries: readonly OfferEntry[], errors: readonly VersionError[]): VersionError | undefined {
  if (errors.length === 0) return undefined;
  const own = errors.filter(({ resource }) => resource === 'artifact');
  return entries.length === 1 ? own[0] : own.toSorted((a, b) => compareText(a.rule, b.rule))[0];
}

/** A version whose required attestation is not known stays as it was. */
function provedByDigest({ isUnproved = false }: OfferEntry, decision: Decision): Decision {
  return isUnproved && decision.state === 'verified' ? { state: 'unexamined', rule: null } : decision;
}

function byDigest(
  checksum: string,
  content: Content,
  again: ArtifactFacts['again'],
  error: VersionError | undefined,
): Decision {
  const downloads = [content, ...(again !== undefined && !isMissing(again) ? [again] : [])];
  const matching = downloads.find(({ sha256, cut }) => !cut && `sha256:${sha256}` === checksum);
  if (matching && !error) return { state: 'verified', content: matching };
  return {
    state: 'refused',
    rule: error?.rule ?? 'artifact-checksum-mismatch',
    message: error?.message ?? 'The artifact has a different checksum.',
    served: matching ? null : servedChecksum(downloads),
  };
}

/** True for a checksum that no artifact has, and that the served file does not have either. */
function isImpossible(checksum: string, facts: ArtifactFacts | undefined): boolean {
  const digest = checksum.slice('sha256:'.length);
  const isServed = facts !== undefined && !isMissing(facts.content) && facts.content.sha256 === digest;
  return !isServed && impossibleDigest(digest) !== null;
}

/** The artifact was requested, but its host did not send it. */
function withoutBytes(server: Probe, error: VersionError | undefined, pinned: PinnedDigest | null): Decision {
  const rule = error?.rule ?? ruleOfFailure(server) ?? 'unreachable';
  // A verified version stays offered while its host is merely down or refuses the credentials, but not if the host
  // reports that the artifact is missing.
  const isGone =
    server.failure === null && [401, 403, 404, 410].includes(statusOf(server)) && !areCredentialsRefused(server);
  if (pinned !== null && pinned.isOffered !== false && !isGone) return { state: 'unexamined', rule };
  if (isGone && pinned?.isKept) return { state: 'kept' };
  return { state: 'refused', rule, message: error?.message ?? 'The artifact cannot be fetched.', served: null };
}

/** Listed with a digest other than the pinned one. It stays offered only if its bytes are still the original ones. */
function replacedDigest({ facts }: OfferEntry, errors: readonly VersionError[], pinned: PinnedDigest): Decision {
  if (facts === undefined || isMissing(facts.content)) return { state: 'unexamined', rule: 'artifact-changed' };
  const isComplete = isMissing(facts.web) || isAnswered(facts.web.server);
  if (isComplete && `sha256:${facts.content.sha256}` === pinned.checksum) return { state: 'original' };
  return {
    ...refused('artifact-changed', errors, 'The version was published with a different checksum.'),
    served: servedChecksum([facts.content]),
  };
}

function refused(rule: string, errors: readonly VersionError[], message: string): Decision & { state: 'refused' } {
  const error = errors.find((one) => one.rule === rule);
  return { state: 'refused', rule, message: error?.message ?? message };
}

/** The checksum of the first complete download; null if there is none. */
function servedChecksum(downloads: readonly Content[]): string | null {
  const whole = downloads.find(({ cut }) => !cut);
  return whole === undefined ? null : `sha256:${whole.sha256}`;
}

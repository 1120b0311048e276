import { isUndecided } from '../attestation/observed.ts';
import { type AttestationRequirement } from '../facts/attestation.ts';
import {
  type ArtifactFacts,
  isMissing,
  type Missing,
  type OfferBefore,
  type PublishedVersion,
} from '../facts/facts.ts';
import type { JsonValue } from '../json/json.ts';
import { isSafeKey } from '../registry/app-key.ts';
import { isChecksum } from '../registry/checksum.ts';
import { hasAllFields, listedVersions } from '../registry/manifest.ts';
import { isValidVersion, type ValidVersion } from '../registry/valid-version.ts';
import { latestVersion } from '../registry/precedence.ts';
import type { SemanticVersion } from '../registry/semantic-version.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import type { AppVerdict } from '../findings/report.ts';
import { type OfferEntry, offerOf, type VersionError, type VersionOffer } from './version-offer.ts';

/** Decides if subscribers see an app, and which of its versions they are offered. */

/** Input for the visibility of an app, apart from the artifacts of its versions. */
interface AppState {
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

/**
 * True if the documents allow subscribers to see an app: its key and entry are usable, its metadata is available, and a
 * version is valid. Its artifacts are not considered.
 */
export function documentVerdictOf({ key, entry, metadata, versions, hiding, blocking }: AppState): AppVerdict {
  const valid = versions.filter(isValidVersion);
  const because = new Set(hiding);
  if (!isSafeKey(key)) because.add('app-key-unsafe');
  if (!hasAllFields(entry)) because.add('schema-violation');
  // Turning off a rule does not make the app visible.
  if (because.size === 0 && blocking === null && valid.length === 0)
    because.add(ruleWithoutVersions(metadata, versions));
  if (because.size > 0) return { key, visible: false, because: [...because].sort(), latest: null };
  if (blocking !== null) return { key, visible: null, because: blocking, latest: null };
  return { key, visible: true, because: [], latest: latestVersion(valid.map(({ semver }) => semver))?.text ?? null };
}

interface ListedOfferEntry extends OfferEntry {
  listed: ValidVersion;
}

/** A version, and the decision about it. */
export interface OfferedVersion {
  version: string;
  offer: VersionOffer<ListedOfferEntry>;
  /** The previous decision; null if that is not known. */
  before: OfferBefore | null;
}

/**
 * True if subscribers see an app: its documents allow it, and one of its versions is offered. If none is known to be
 * offered, and the artifacts of some were not examined, that is not known.
 * @param documents the verdict about its documents
 */
export function verdictOf(documents: AppVerdict, versions: readonly OfferedVersion[]): AppVerdict {
  if (documents.visible !== true) return documents;
  const { key } = documents;
  const because = new Set<string>();
  /** Those that are not known to be withheld. */
  let open = 0;
  let offered = 0;
  // A version that was not selected may be offered; one that could not be examined is not offered yet.
  const possible: SemanticVersion[] = [];
  for (const { offer, before } of versions) {
    const { isOffered, isLeftOut, rule } = outcomeOf(offer, before);
    if (rule !== null) because.add(rule);
    if (isOffered === false) continue;
    open += 1;
    if (isOffered === true) offered += 1;
    if (isOffered === true || isLeftOut) possible.push(offer.entry.listed.semver);
  }
  if (open === 0) return { key, visible: false, because: [...because].sort(), latest: null };
  // These are the valid versions of the document, each once.
  const latest = possible.length === versions.length ? documents.latest : (latestVersion(possible)?.text ?? null);
  if (offered > 0) return { key, visible: true, because: [], latest };
  return { key, visible: null, because: [...because].sort(), latest };
}

/** Consequence of a decision for subscribers. */
interface OfferOutcome {
  /** Null if that is not known. */
  isOffered: boolean | null;
  /** The rule that keeps it from being offered; null for none. */
  rule: string | null;
  /** True if the run was not to examine it. */
  isLeftOut: boolean;
}

/** @param before what was decided before; null if that is not known */
export function outcomeOf(offer: VersionOffer, before: OfferBefore | null): OfferOutcome {
  switch (offer.state) {
    case 'verified':
    case 'kept':
      return { isOffered: true, rule: null, isLeftOut: false };
    case 'refused':
      return { isOffered: false, rule: offer.rule, isLeftOut: false };
    case 'original':
      return { isOffered: before?.isOffered ?? true, rule: before?.rule ?? null, isLeftOut: false };
    case 'unexamined': {
      const isLeftOut = before === null && isOmitted(offer.entry.facts);
      return { isOffered: before?.isOffered ?? null, rule: before?.rule ?? offer.rule, isLeftOut };
    }
  }
}

/** Reasons of a run for not requesting or reading the artifact of a version. */
const OMITTED: ReadonlySet<string> = new Set(['offline', 'not-in-workspace', 'not-in-source', 'not-requested']);

function isOmitted(facts: ArtifactFacts | undefined): boolean {
  if (facts === undefined || !isMissing(facts.web)) return facts === undefined;
  return facts.web.intentional === true || OMITTED.has(facts.web.missing.code);
}

/** The rule responsible for a metadata file without a usable version. */
function ruleWithoutVersions(value: JsonValue | undefined, entries: readonly VersionEntry[]): string {
  if (value === undefined) return 'document-unreadable';
  const list = listedVersions(value);
  const isInvalid =
    list === null || list.length > entries.length || entries.some((e) => e.version === null || e.semver !== null);
  return isInvalid ? 'schema-violation' : 'no-valid-versions';
}

/**
 * True if only the metadata file of an app prevents its use: the service then keeps what it has read before.
 * @param listed the versions in its metadata file; null if it has no list of versions, or cannot be read
 */
export function keepsLastState(key: string, entry: JsonValue, listed: readonly JsonValue[] | null): boolean {
  return listed === null && isSafeKey(key) && hasAllFields(entry);
}

/** The decisions about the listed versions of an app. */

/** The errors of each version that keep it from being offered. */
export type VersionErrors = ReadonlyMap<string, readonly VersionError[]>;

const NO_ERRORS: readonly VersionError[] = [];
/** The baseline says what was published, and not whether it was offered. */
const ONLY_PUBLISHED: OfferBefore = { isOffered: null, rule: null, isKept: false };

/**
 * Which versions are offered; several entries of one version are decided together.
 * @param artifacts by the index of the version
 * @param about `earlier`: the published versions of the app; `attestations`: how they are judged
 */
export function offersOf(
  versions: readonly VersionEntry[],
  artifacts: readonly ArtifactFacts[],
  {
    errors,
    earlier,
    attestations,
  }: {
    errors: VersionErrors;
    earlier: readonly PublishedVersion[] | Missing;
    attestations: AttestationRequirement | null;
  },
): OfferedVersion[] {
  const entries = new Map<string, [ListedOfferEntry, ...ListedOfferEntry[]]>();
  for (const one of versions) {
    if (!isValidVersion(one)) continue;
    const { index, version, digest, artifactChecksum } = one;
    const facts = artifacts[index];
    const entry: ListedOfferEntry = { listed: one, checksum: digest === null ? null : artifactChecksum, facts };
    if (attestations?.mode === 'require') entry.isUnproved = isUndecided(facts?.attestation);
    const others = entries.get(version);
    if (others === undefined) entries.set(version, [entry]);
    else others.push(entry);
  }
  const published = new Map(isMissing(earlier) ? [] : earlier.map((before) => [before.version, before]));
  return [...entries].map(([version, own]) => {
    const known = published.get(version);
    const before = known && isChecksum(known.artifactChecksum) ? (known.offer ?? ONLY_PUBLISHED) : null;
    const pinned = known && before ? { ...before, checksum: known.artifactChecksum } : null;
    return { version, offer: offerOf({ entries: own, errors: errors.get(version) ?? NO_ERRORS, pinned }), before };
  });
}

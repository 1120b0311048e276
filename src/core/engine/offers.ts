import { type AttestationRequirement, isUndecided } from '../attestation/observed.ts';
import {
  type ArtifactFacts,
  isMissing,
  type Missing,
  type OfferBefore,
  type PublishedVersion,
} from '../facts/facts.ts';
import { isChecksum } from '../registry/checksum.ts';
import type { VersionEntry } from '../rules/subjects.ts';
import { offerOf, type VersionError } from './version-offer.ts';
import { isValidVersion, type ListedOfferEntry, type OfferedVersion } from './visibility.ts';

/** The decisions about the listed versions of an app. */

/** The errors of an app's versions, by version. */
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
    const { version, artifactChecksum } = one;
    const entry = {
      index: one.index,
      checksum: isChecksum(artifactChecksum) ? artifactChecksum : null,
      facts: artifacts[one.index],
      ...(attestations?.mode === 'require' && { isUnproved: isUndecided(artifacts[one.index]?.attestation) }),
    };
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

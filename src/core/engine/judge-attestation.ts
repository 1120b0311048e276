import { judgeAttestation } from '../attestation/judge.ts';
import { isUndecided, isVerified } from '../attestation/observed.ts';
import { type AttestationRequirement } from '../facts/attestation.ts';
import { companionUrl } from '../registry/companion.ts';
import { type ArtifactFacts, isMissing, type Missing, type PublishedVersion } from '../facts/facts.ts';
import { blockedBy } from '../facts/missing.ts';
import { digestOf } from '../registry/checksum.ts';
import { sortedByVersion } from '../registry/precedence.ts';
import type { SemanticVersion } from '../registry/semantic-version.ts';
import type { Subjects } from '../rules/subjects.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import { judgeSubject } from './evaluate.ts';
import type { SubjectLocation } from './location.ts';
import { NOT_REQUESTED, type Run } from './run.ts';

/** The valid versions whose artifact has an attestation, from the lowest upwards. */
export function attestedVersions(
  versions: readonly VersionEntry[],
  artifacts: readonly ArtifactFacts[],
): readonly SemanticVersion[] {
  const attested = versions.flatMap(({ index, semver }) =>
    semver !== null && isVerified(artifacts[index]?.attestation) ? [semver] : [],
  );
  return sortedByVersion(attested, (version) => version);
}

/**
 * Judges the attestation of a version's artifact, if the run does.
 * @param attested from `attestedVersions`
 * @param before the version as it was published; null if that is not known
 * @param place of the artifact's URL
 */
export function judgeAttestationOf(
  run: Run,
  facts: ArtifactFacts,
  entry: VersionEntry,
  { attested, before }: { attested: readonly SemanticVersion[]; before: PublishedVersion | null },
  place: SubjectLocation,
): void {
  const { record } = run;
  const { attestations } = run.settings;
  if (attestations === null || isElsewhere(facts)) return;
  const observed = facts.attestation ?? (isMissing(facts.content) ? facts.content : NOT_REQUESTED);
  const isRequired = attestations.mode === 'require';
  const problem = isMissing(observed) ? observed : attestationProblem(observed, entry, place.app, attestations);
  if (problem === null && !isMissing(observed) && observed.state === 'present') record.attested.add(observed.facts);
  if (isRequired && isUndecided(observed)) record.addUndecidedAttestation();
  judgeSubject(
    run,
    'attestation',
    {
      observed,
      problem,
      attestedBefore: attestedBefore(entry, attested, before),
      isRequired,
    },
    {
      ...place,
      url: entry.artifactUrl === null ? null : companionUrl(entry.artifactUrl, 'attestation'),
      web: NOT_REQUESTED,
      found: place.found.copy(),
    },
  );
}

/** True for an artifact of a workspace whose attestation was not looked for: it may be stored elsewhere. */
function isElsewhere({ web, attestation }: ArtifactFacts): boolean {
  return attestation === undefined && isMissing(web) && web.missing.code === 'offline';
}

/**
 * The first thing that an observed attestation does not prove about a version; null if it proves everything, or is absent.
 * @param app the key of the app; null if it is not known
 */
export function attestationProblem(
  observed: Subjects['attestation']['observed'],
  { version, artifactChecksum }: Pick<VersionEntry, 'version' | 'artifactChecksum'>,
  app: string | null,
  { signer }: AttestationRequirement,
): ReturnType<typeof judgeAttestation> | Missing {
  if (observed.state === 'absent') return null;
  const sha256 = digestOf(artifactChecksum ?? '');
  if (sha256 === null) return blockedBy('checksum-malformed');
  const named = app === null || version === null ? null : { key: app, version };
  const { facts, bill = null } = observed;
  const sbomSha256 = bill === null || isMissing(bill) ? null : bill.sha256;
  const problem = judgeAttestation(facts, { sha256, app: named, sbomSha256, signer });
  // A problem that was found does not depend on a bill of materials that its host did not send.
  return problem ?? (isMissing(bill) ? bill : null);
}

/** The version that had an attestation: this one when it was published, or else the next lower one that has one. */
function attestedBefore(
  { semver }: VersionEntry,
  attested: readonly SemanticVersion[],
  before: PublishedVersion | null,
): Subjects['attestation']['attestedBefore'] {
  if (semver === null) return null;
  if (before?.isAttested) return { version: semver.text, isSame: true };
  const lower = attested.findLast((other) => other.compareTo(semver) < 0);
  return lower === undefined ? null : { version: lower.text, isSame: false };
}

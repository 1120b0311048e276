import type { About } from '../about/about-file.ts';
import { readAboutFile } from '../about/about-file.ts';
import { isUndecided } from '../attestation/observed.ts';
import { type AttestationRequirement } from '../facts/attestation.ts';
import { attestationProblem } from '../engine/judge-attestation.ts';
import { startJudging } from '../engine/judge.ts';
import { compareText } from '../text/order.ts';
import { offeredVersions } from '../offers/offered-versions.ts';
import type { ValidVersion } from '../registry/valid-version.ts';
import { sameDigest } from '../registry/baseline.ts';
import { type AppFacts, isMissing, type Snapshot } from '../facts/facts.ts';
import type { LockFile } from '../registry/lock-file.ts';
import { type AttestationState, decideVersions, latestAllowed, type OfferedApp } from './decide.ts';
import { NO_POLICY, type Policy } from './policy.ts';
import type { AppDecisions } from './preview.ts';

/** Decisions of a policy about a registry that was observed, without a service. Pure. */

export interface PolicyTestOptions {
  /** The requirement on attestations; null if they are not judged. */
  attestations: AttestationRequirement | null;
  /** When versions were first seen; null without a memory. */
  memory: LockFile | null;
  now: Date;
}

/** The offers of a registry without the policy, and with it; the apps are in the order of their keys. */
export interface PolicyTest {
  before: AppDecisions[];
  after: AppDecisions[];
  /** Apps whose about file cannot be read, so that retirements are not known. */
  aboutUnknown: string[];
}

/** Decides about all versions that the registry would offer, and of which is not known that it would refuse them. */
export function testPolicy(policy: Policy, snapshot: Snapshot, options: PolicyTestOptions): PolicyTest {
  const { attestations, memory, now } = options;
  const judging = startJudging({ command: 'verify', target: snapshot.target, now: snapshot.seenAt, attestations });
  judging.manifest(snapshot.manifest);
  const watchedSince = memory === null ? null : firstLook(memory);
  const result: PolicyTest = { before: [], after: [], aboutUnknown: [] };
  for (const facts of snapshot.apps.toSorted((a, b) => compareText(a.key, b.key))) {
    const { about, isUnknown } = aboutOf(facts);
    if (isUnknown) result.aboutUnknown.push(facts.key);
    const versions = offeredVersions(judging.app(facts)).map((one) => ({
      version: one.version,
      firstSeenAt: firstSight(memory, facts.key, one),
      attestation: attestationState(facts, one, attestations),
    }));
    const app = { key: facts.key, about, watchedSince, versions };
    result.before.push(decisionsOf(NO_POLICY, app, now));
    result.after.push(decisionsOf(policy, app, now));
  }
  return result;
}

function decisionsOf(policy: Policy, app: OfferedApp, now: Date): AppDecisions {
  const versions = decideVersions(policy, app, now);
  return { key: app.key, versions, latest: latestAllowed(versions, app.about) };
}

function aboutOf({ about }: AppFacts): { about: About | null; isUnknown: boolean } {
  if (about === undefined) return { about: null, isUnknown: false };
  const read = isMissing(about.content) ? null : readAboutFile(about.content).about;
  return { about: read, isUnknown: read === null };
}

/** When the oldest version of the memory was first seen; null if it is empty. */
function firstLook(memory: LockFile): Date | null {
  const times = [...memory.versions.values()].flatMap((versions) =>
    [...versions.values()].map(({ firstSeen }) => firstSeen),
  );
  const [first] = times
    .map((time) => Date.parse(time))
    .filter((time) => !Number.isNaN(time))
    .sort((a, b) => a - b);
  return first === undefined ? null : new Date(first);
}

/** When these bytes of a version were first seen; null if the memory has other bytes of it. */
function firstSight(memory: LockFile | null, key: string, { version, artifactChecksum }: ValidVersion): Date | null {
  const known = memory?.versions.get(key)?.get(version);
  const isKnown = known !== undefined && sameDigest(known.artifactChecksum, artifactChecksum);
  const time = isKnown ? Date.parse(known.firstSeen) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time);
}

/** The verdict about the attestation of a version, as a check has it. */
function attestationState(
  { key, artifacts }: AppFacts,
  listed: ValidVersion,
  requirement: AttestationRequirement | null,
): AttestationState {
  if (requirement === null) return 'off';
  const observed = artifacts[listed.index]?.attestation;
  if (observed === undefined || isMissing(observed) || isUndecided(observed)) return 'pending';
  if (observed.state === 'absent') return 'missing';
  const problem = attestationProblem(observed, listed, key, requirement);
  if (problem === null) return 'verified';
  return isMissing(problem) ? 'pending' : 'refused';
}

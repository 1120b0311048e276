import { latestOffered, replacementOf, retirementOf, type Retirements } from '../about/retirement.ts';
import { pointerTo } from '../json/pointer.ts';
import { pathOf } from '../json/violations.ts';
import { onlyVersionOf } from '../registry/version-range.ts';
import { type Policy, type Selector, selects } from './policy.ts';

/**
 * Decisions of a policy about the versions of an app. Pure: the same versions, policy and time give the same decisions.
 */

/** The versions of an app that would be offered without a policy: each was verified. */
export interface OfferedApp {
  key: string;
  /** The author's retirements; null without an about file. */
  about: Retirements | null;
  /**
   * When the subscriber first looked at the registry: versions that were there then may be of any age. Null if it is not
   * known.
   */
  watchedSince: Date | null;
  versions: readonly OfferedVersion[];
}

/** A version that is decided about. */
export interface OfferedVersion {
  version: string;
  /** When the subscriber itself saw the version first; null if it has no memory of it. */
  firstSeenAt: Date | null;
  attestation: AttestationState;
}

/**
 * The verdict about the attestation of a version, by the signer that the subscription expects. `pending`: it is not known
 * yet. `off`: attestations are not fetched.
 */
export type AttestationState = 'verified' | 'missing' | 'refused' | 'pending' | 'off';

/** A version, and why the policy holds it back; `hold` is null if it is offered. */
export interface VersionDecision {
  version: string;
  hold: Hold | null;
}

/** The reason why a version is held back. */
export interface Hold {
  cause: HoldCause;
  /** JSON Pointer of the line of the policy. */
  pointer: string;
  /** The line of the policy: the field, and the entry as it is written, such as `deny[0] "clock@<1.2.0"`. */
  line: string;
  /** When it will be offered, if nothing changes; null if time alone changes nothing. */
  offeredAt: Date | null;
}

/** The reasons for which a policy holds a version back. */
export type HoldCause =
  | 'denied'
  | 'not-allowed'
  | 'not-pinned'
  | 'attestation-missing'
  | 'attestation-refused'
  | 'attestation-pending'
  | 'attestation-off'
  | 'retired'
  | 'too-new'
  | 'first-seen-unknown';

/**
 * Decides which versions of an app a policy offers. Of several lines that hold a version back, one that time does not
 * change is named first.
 *
 * The age of a version counts from the subscriber's own first sight. What its host or author claims about its age has no
 * effect, except that `minimumAgeExcludeSecurityFixes` trusts the author about which version replaces an insecure one.
 * @param app what would be offered without a policy
 * @returns a decision for each version, in the same order
 */
export function decideVersions(policy: Policy, app: OfferedApp, now: Date): VersionDecision[] {
  const fixes = policy.minimumAgeExcludeSecurityFixes ? securityFixes(app) : new Set<string>();
  return app.versions.map((one) => ({
    version: one.version,
    hold: lastingHold(policy, app, one) ?? (fixes.has(one.version) ? null : holdByAge(policy, app, one, now)),
  }));
}

/**
 * The latest of the offered versions. One that is retired for security is not, while its replacement or a newer one is
 * offered.
 */
export function latestAllowed(decisions: readonly VersionDecision[], about: Retirements | null): string | null {
  const offered = decisions.filter(({ hold }) => hold === null).map(({ version }) => version);
  return latestOffered(offered, about);
}

/** The versions that their author names in place of one that is retired for security. */
function securityFixes({ about, versions }: OfferedApp): Set<string> {
  const listed = versions.map(({ version }) => version);
  const insecure = listed.filter((version) => retirementOf(version, about)?.reason === 'security');
  const fixes = insecure.flatMap((version) => replacementOf(version, about, listed) ?? []);
  return new Set(fixes.filter((version) => !insecure.includes(version)));
}

/** The first line that holds a version back whatever its age is. */
function lastingHold(
  policy: Policy,
  { key, about }: OfferedApp,
  { version, attestation }: OfferedVersion,
): Hold | null {
  const { deny, allow, pin, requireAttestation, allowDeprecated } = policy;
  // A version that is not compared is in each range that restricts, and in none that allows.
  const denied = entryFor(deny, key, version, true);
  if (denied !== null) return hold('denied', pointerTo('deny', denied.index), denied.text);
  if (allow !== null && entryFor(allow, key, version, false) === null) return hold('not-allowed', '/allow', null);
  const pinned = pin.get(key) ?? null;
  if (pinned !== null && !pinned.includes(version)) return hold('not-pinned', pointerTo('pin', key), pinned.text);
  const required = entryFor(requireAttestation, key, version, true);
  if (required !== null && attestation !== 'verified')
    return hold(`attestation-${attestation}`, pointerTo('requireAttestation', required.index), required.text);
  const reason = retirementOf(version, about)?.reason ?? null;
  // Who pins one version gets it, whatever its author says later.
  const isChosen = pinned !== null && onlyVersionOf(pinned) !== null;
  if (reason !== null && allowDeprecated !== null && !allowDeprecated.includes(reason) && !isChosen)
    return hold('retired', '/allowDeprecated', allowDeprecated);
  return null;
}

function holdByAge(policy: Policy, { key, watchedSince }: OfferedApp, one: OfferedVersion, now: Date): Hold | null {
  const { minimumAge, minimumAgeExclude, minimumAgeStrict } = policy;
  if (minimumAge === null || entryFor(minimumAgeExclude, key, one.version, false) !== null) return null;
  const firstSeen = one.firstSeenAt?.getTime() ?? Number.NaN;
  const wasThereBefore = Number.isNaN(firstSeen) || (watchedSince !== null && firstSeen <= watchedSince.getTime());
  if (wasThereBefore && !minimumAgeStrict) return null;
  if (Number.isNaN(firstSeen)) return hold('first-seen-unknown', '/minimumAge', minimumAge.text);
  const offeredAt = new Date(firstSeen + minimumAge.milliseconds);
  return now >= offeredAt ? null : { ...hold('too-new', '/minimumAge', minimumAge.text), offeredAt };
}

/** The first selector that selects a version, and its place in the list. */
function entryFor(
  selectors: readonly Selector[],
  key: string,
  version: string,
  uncompared: boolean,
): { index: number; text: string } | null {
  const index = selectors.findIndex((selector) => selects(selector, key, version, uncompared));
  const found = selectors[index];
  return found === undefined ? null : { index, text: found.text };
}

/** @param value as it is written; null if the whole field is meant */
function hold(cause: HoldCause, pointer: string, value: string | readonly string[] | null): Hold {
  const line = value === null ? pathOf(pointer) : `${pathOf(pointer)} ${JSON.stringify(value)}`;
  return { cause, pointer, line, offeredAt: null };
}

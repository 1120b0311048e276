import { formatTime } from '../text/format-time.ts';
import { message, safe, type SafeText } from '../text/message.ts';
import type { Hold, HoldCause, VersionDecision } from './decide.ts';

/** Effects of a change of a policy. Pure. */

/** The decisions about the versions of an app. */
export interface AppDecisions {
  key: string;
  versions: readonly VersionDecision[];
  /** As of `latestAllowed`. */
  latest: string | null;
}

/** The changes that another policy would make. */
export interface PolicyPreview {
  /** Versions that are offered before, and held back after. */
  hidden: { key: string; version: string; hold: Hold }[];
  /** Versions that are held back before, and offered after. */
  appearing: { key: string; version: string }[];
  /** Apps of which a version is offered before, and none after. */
  hiddenApps: string[];
  /** Apps with another latest version. */
  latest: { key: string; before: string | null; after: string | null }[];
  /** True if no version of any app is offered after, although there are versions. */
  hidesEverything: boolean;
}

/**
 * Compares the decisions of two policies about the same apps.
 * @param before in any order; an app or a version that is not there was not offered
 */
export function previewOf(before: readonly AppDecisions[], after: readonly AppDecisions[]): PolicyPreview {
  const known = new Map(before.map((app) => [app.key, app]));
  const preview: PolicyPreview = { hidden: [], appearing: [], hiddenApps: [], latest: [], hidesEverything: false };
  for (const { key, versions, latest } of after) {
    const old = known.get(key);
    const offered = new Set(old?.versions.filter(isOffered).map(({ version }) => version));
    for (const { version, hold } of versions) {
      if (hold !== null && offered.has(version)) preview.hidden.push({ key, version, hold });
      if (hold === null && !offered.has(version)) preview.appearing.push({ key, version });
    }
    if (offered.size > 0 && !versions.some(isOffered)) preview.hiddenApps.push(key);
    if ((old?.latest ?? null) !== latest) preview.latest.push({ key, before: old?.latest ?? null, after: latest });
  }
  const all = after.flatMap(({ versions }) => versions);
  return { ...preview, hidesEverything: all.length > 0 && !all.some(isOffered) };
}

function isOffered({ hold }: VersionDecision): boolean {
  return hold === null;
}

/**
 * Explains the hold of a version by a policy, as a sentence that names the line of the policy, and when
 * the version is offered.
 */
export function holdText({ cause, line, offeredAt }: Pick<Hold, 'cause' | 'line' | 'offeredAt'>): SafeText {
  const until =
    offeredAt === null ? message`` : message` It will be offered at ${formatTime(offeredAt.toISOString())}.`;
  return message`${safe(REASONS[cause](line))}${safe(until)}`;
}

const REASONS: Record<HoldCause, (line: string) => SafeText> = {
  denied: (line) => message`${line} refuses it.`,
  'not-allowed': (line) => message`No entry of ${line} matches it.`,
  'not-pinned': (line) => message`It is not in the range of ${line}.`,
  'attestation-missing': (line) => message`${line} requires an attestation, and its host has none.`,
  'attestation-refused': (line) =>
    message`${line} requires an attestation, and that of the version does not prove what is required.`,
  'attestation-pending': (line) => message`${line} requires an attestation, which is not known yet.`,
  'attestation-off': (line) => message`${line} requires an attestation, and attestations are not fetched.`,
  retired: (line) => message`Its author retired it, for a reason that ${line} does not allow.`,
  'too-new': (line) => message`It is younger than ${line}.`,
  'first-seen-unknown': (line) => message`${line} counts from its first sight, which is not known.`,
};

import {
  type AppFacts,
  type Baseline,
  type DocumentFacts,
  isMissing,
  type Missing,
  type PublishedVersion,
} from '../facts/facts.ts';
import type { MissingReason } from '../facts/missing.ts';
import { isCountedFinding, type Finding } from '../findings/report.ts';

/** True if a run compared what it was asked to compare: a comparison that is left out must not look like a clean one. */

/** A comparison that was requested and not made. */
export interface LeftOut {
  /** Null for the registry as a whole. */
  app: string | null;
  source: string;
  reason: MissingReason;
  /** False if there is nothing that this run could compare, now or later: it is said, and the run is complete. */
  isIncomplete: boolean;
}

/**
 * The comparison of one app that both states list; null if it was made, or not requested.
 * @param facts of the app as it is now
 * @param before its versions in the baseline; null if it is not listed there
 * @param now why its versions are not known now; null if they are
 */
export function comparisonOf(
  baseline: Baseline | null,
  facts: AppFacts,
  before: readonly PublishedVersion[] | Missing | null,
  now: Missing | null,
): LeftOut | null {
  if (baseline?.isRequired !== true || before === null || (now === null && !isMissing(before))) return null;
  if (baseline.absent !== undefined) return null;
  const left = { app: facts.key, source: baseline.source };
  if (!isMissing(before)) return { ...left, reason: reasonOf(now), isIncomplete: true };
  return { ...left, reason: before.missing, isIncomplete: !canNeverBeCompared(baseline, facts, before) };
}

function reasonOf(now: Missing | null): MissingReason {
  return now?.missing ?? { code: 'no-url' };
}

/** True for a file that was never valid, which a change may repair, and for one that neither state has. */
function canNeverBeCompared(baseline: Baseline, { key, metadata }: AppFacts, before: Missing): boolean {
  if (isUnreadable(before)) return true;
  const { missing } = before;
  const isElsewhere = missing.code === 'baseline-without-metadata' && missing.state === 'elsewhere';
  const isUnchanged = metadata.url !== null && baseline.metadataUrl?.(key) === metadata.url;
  return isElsewhere && isUnchanged && isOutside(metadata);
}

function isUnreadable({ missing }: Missing): boolean {
  return missing.code === 'baseline-without-metadata' && missing.state === 'unreadable';
}

function isOutside({ file, content }: DocumentFacts): boolean {
  return file === null && isMissing(content) && content.missing.code === 'not-in-workspace';
}

/**
 * The comparison of the registry as a whole; null if it was made, or not requested.
 * @param isListed whether the current apps are known
 */
export function registryComparison(baseline: Baseline | null, isListed: boolean): LeftOut | null {
  if (baseline?.isRequired !== true) return null;
  const { source, absent, keys } = baseline;
  if (absent !== undefined) return { app: null, source, reason: absent.missing, isIncomplete: false };
  if (isListed || keys.length === 0) return null;
  return { app: null, source, reason: { code: 'blocked-by', rule: 'document-unreadable' }, isIncomplete: true };
}

/**
 * The comparison of a metadata file whose app is not known; null if it was made, or not requested.
 * @param before the versions in the baseline
 * @param now why its versions are not known now; null if they are
 */
export function fileComparison(
  baseline: Baseline | null,
  before: readonly PublishedVersion[] | Missing | null,
  now: Missing | null,
): LeftOut | null {
  if (baseline?.isRequired !== true || before === null || (now === null && !isMissing(before))) return null;
  const left = { app: null, source: baseline.source };
  if (!isMissing(before)) return { ...left, reason: reasonOf(now), isIncomplete: true };
  return { ...left, reason: before.missing, isIncomplete: !isUnreadable(before) };
}

/** True if an error that counts says why it was not made: the run fails, and names the reason. */
export function isExplained({ app, reason }: LeftOut, findings: readonly Finding[]): boolean {
  const failing = findings.filter((finding) => finding.severity === 'error' && isCountedFinding(finding));
  if (reason.code === 'blocked-by' && failing.some(({ rule }) => rule === reason.rule)) return true;
  return app === null && failing.some((finding) => finding.resource === 'manifest' && finding.app === null);
}

import type { AttestationFacts } from '../facts/attestation.ts';
import type { AttestationRequirement } from '../facts/attestation.ts';
import { oldCopyAge } from '../http/cache.ts';
import { type Baseline, isMissing, type Missing, type RequestedApps, type ServedApp } from '../facts/facts.ts';
import type { RuleDispatcher } from './dispatch.ts';
import type { SubjectLocation } from './location.ts';
import type { RunRecord } from './record.ts';

/** What the judging of every subject has access to. */
export interface JudgeContext {
  readonly run: RunRecord;
  readonly dispatcher: RuleDispatcher;
  /** ISO 8601; the moment of observation. */
  readonly now: string;
  readonly origins: readonly string[];
  readonly baseline: Baseline | null;
  /** What was requested by name; null for everything. */
  readonly requested: RequestedApps | null;
  /** The entry file of an app's code, at the top level of its artifact. */
  readonly appEntry: string;
  /** True for a change that is judged before it is published. */
  readonly isPublishing: boolean;
  /** How attestations are judged; null if they are not. */
  readonly attestations: AttestationRequirement | null;
  /** Called for each version whose attestation proves what is required. */
  readonly onAttested: ((facts: AttestationFacts) => void) | null;
  /** The apps as they are served now, to be compared with what a service knows; null without a service. */
  readonly served: ServedApp[] | null;
}

export const NO_BASELINE: Missing = { missing: { code: 'no-baseline' }, runWide: true, intentional: true };
export const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: null } };

/** Where the baseline is from. */
export function baselineSource({ baseline }: JudgeContext): string | Missing {
  return baseline === null ? NO_BASELINE : baseline.source;
}

/**
 * The age in seconds of a cached document that is too old to contain recent publications, otherwise 0; such a document
 * does not clear a symptom.
 */
export function staleCopyAge({ run, now }: JudgeContext, place: SubjectLocation): number {
  const age = isMissing(place.web) ? 0 : oldCopyAge(place.web.server, now);
  if (age > 0) run.addStaleCopy(place.resource, age);
  return age;
}

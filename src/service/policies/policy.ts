import { policyViolations, NO_POLICY, type Policy } from '../../core/policy/policy.ts';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';
import type { PolicyDecisionRow } from '../database/version-tables.ts';
import { type PolicyHold, MOST_PREVIEWED, type PreviewView } from './schema.ts';
import { decideVersions, latestAllowed } from '../../core/policy/decide.ts';
import { type AppDecisions, type PolicyPreview, previewOf, holdText } from '../../core/policy/preview.ts';
import type { CandidateApp } from './candidates-store.ts';

/** A policy: how the API and the form send it, why it holds versions back, and what it would change. Pure. */

/** Maximum characters of a policy, as JSON without spaces: what fits into a request. */
const LONGEST_POLICY = 15_000;

/** What is wrong with a policy: its place, and a sentence. */
interface PolicyFault {
  /** RFC 6901. */
  pointer: string;
  message: string;
}

/** @param value as it was sent */
export function readPolicy(value: unknown): { document: PolicyDocument } | { faults: readonly PolicyFault[] } {
  if (JSON.stringify(value).length > LONGEST_POLICY)
    return { faults: [{ pointer: '', message: `The policy is longer than ${LONGEST_POLICY} characters.` }] };
  const faults = policyViolations(value);
  // Without violations, it has the form of the schema.
  return faults.length > 0 ? { faults } : { document: value as PolicyDocument };
}

export type { PolicyHold };

/** The decision about a version, as JSON of the database: times are ISO 8601. Without a decision, all is null. */
export interface StoredHold extends Pick<PolicyDecisionRow, 'cause' | 'line'> {
  offeredAt: string | null;
}

/** @param decision null if the policy was not applied to the version yet */
export function policyHold(decision: Pick<PolicyDecisionRow, 'cause' | 'line' | 'offeredAt'> | null): PolicyHold {
  if (decision === null || decision.cause === null || decision.line === null) return UNDECIDED;
  const { cause, line, offeredAt } = decision;
  return { cause, line, offeredAt: offeredAt?.toISOString() ?? null, message: holdText({ cause, line, offeredAt }) };
}

const UNDECIDED: PolicyHold = {
  cause: null,
  line: null,
  offeredAt: null,
  message: 'The policy is applied to it at the end of the check.',
};

/**
 * What a policy would hide from a subscription, and what would appear: apps in portions in, the preview out.
 * @param policy null for none
 */
export function openPreview(
  policy: Policy | null,
  now: Date,
): { add(apps: readonly CandidateApp[]): void; end(): PolicyPreview } {
  const [before, after]: [AppDecisions[], AppDecisions[]] = [[], []];
  return {
    add(apps) {
      for (const app of apps) {
        before.push(offeredNow(app));
        const versions = decideVersions(policy ?? NO_POLICY, app, now);
        after.push({ key: app.key, versions, latest: latestAllowed(versions, app.about) });
      }
    },
    end: () => previewOf(before, after),
  };
}

/** What is offered now, as it was decided: a version that was not decided about is not offered. */
function offeredNow({ key, about, versions }: CandidateApp): AppDecisions {
  const offered = versions.filter(({ isOffered }) => isOffered).map(({ version }) => ({ version, hold: null }));
  return { key, versions: offered, latest: latestAllowed(offered, about) };
}

/** A preview as the API returns it, and as the page shows it: bounded. */
export function previewView({ hidden, appearing, hiddenApps, latest, hidesEverything }: PolicyPreview): PreviewView {
  return {
    hidden: hidden.length,
    appearing: appearing.length,
    hidesEverything,
    hiddenVersions: hidden.slice(0, MOST_PREVIEWED).map(({ key, version, hold: { line, offeredAt } }) => ({
      app: key,
      version,
      line,
      offeredAt: offeredAt?.toISOString() ?? null,
    })),
    appearingVersions: appearing.slice(0, MOST_PREVIEWED).map(({ key, version }) => ({ app: key, version })),
    hiddenApps: hiddenApps.slice(0, MOST_PREVIEWED),
    latest: latest.slice(0, MOST_PREVIEWED).map(({ key, before, after }) => ({ app: key, before, after })),
  };
}

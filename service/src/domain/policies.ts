import {
  type AppDecisions,
  decideVersions,
  type Hold,
  type HoldCause,
  holdText,
  latestAllowed,
  NO_POLICY,
  type OfferedApp,
  type OfferedVersion,
  type Policy,
  type PolicyDocument,
  type PolicyPreview,
  policyViolations,
  previewOf,
  type Retirement,
} from 'appreg';
import * as shape from './shape.ts';

/** The rows of policies: what was decided about the versions that a subscription would be offered without its policy. */

export interface PolicyDecisionRow {
  subscriptionId: string;
  registryId: number;
  appKey: string;
  version: string;
  /** `artifactChecksum` of the version: the decision is about no other one. */
  checksum: string;
  /** The reason why the policy holds the version back, and the line of the policy; null if it does not. */
  cause: HoldCause | null;
  line: string | null;
  /**
   * From when the version is offered; null if time alone does not change that. For a version that is not held back, a time
   * in the past.
   */
  offeredAt: Date | null;
}

export interface CandidateApp extends OfferedApp {
  versions: readonly CandidateVersion[];
}

export interface CandidateVersion extends OfferedVersion {
  checksum: string;
  /** Null if its author did not retire it. */
  deprecated: Retirement | null;
  /** True if it is offered now. */
  isOffered: boolean;
  /** The decision about it; null if nothing was. */
  decision: Decision | null;
}

/** A policy: how the API and the form send it, why it holds versions back, and what it would change. Pure. */

/** Maximum characters of a policy, as JSON without spaces: what fits into a request. */
const LONGEST_POLICY = 15_000;

/** Fault of a policy: its place, and a sentence. */
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

/** The decision about a version, as JSON of the database: times are ISO 8601. Without a decision, all is null. */
export interface StoredHold extends Pick<PolicyDecisionRow, 'cause' | 'line'> {
  offeredAt: string | null;
}

/** @param decision null if the policy was not applied to the version yet */
export function policyHold(decision: Decision | null): PolicyHold {
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

/** An app, and what a policy decides about its versions. */
export interface DecidedApp {
  app: CandidateApp;
  decisions: AppDecisions;
}

/**
 * Applies a policy. What is stored, and what a preview says, is the result of this function.
 * @param policy null for none: each version is offered
 */
export function decideApps(policy: Policy | null, apps: readonly CandidateApp[], now: Date): DecidedApp[] {
  return apps.map((app) => {
    const versions = decideVersions(policy ?? NO_POLICY, app, now);
    return { app, decisions: { key: app.key, versions, latest: latestAllowed(versions, app.about) } };
  });
}

/** Lists the versions that would be hidden from a subscription, and those that would appear. */
export function policyPreview(decided: readonly DecidedApp[]): PolicyPreview {
  return previewOf(
    decided.map(({ app }) => offeredNow(app)),
    decided.map(({ decisions }) => decisions),
  );
}

/** The rows to write: those that differ from what is stored. */
export function decisionRows(
  { id: subscriptionId, registryId }: { id: string; registryId: number },
  decided: readonly DecidedApp[],
): PolicyDecisionRow[] {
  return decided.flatMap(({ app: { key: appKey, versions }, decisions }) => {
    const holds = new Map(decisions.versions.map(({ version, hold }) => [version, hold]));
    return versions.flatMap(({ version, checksum, decision: stored }) => {
      const decision = decisionOf(holds.get(version) ?? null);
      return isSame(stored, decision) ? [] : [{ subscriptionId, registryId, appKey, version, checksum, ...decision }];
    });
  });
}

type Decision = Pick<PolicyDecisionRow, 'cause' | 'line' | 'offeredAt'>;

/** Before every clock: a database whose clock is slow offers the version as well. */
const OFFERED_ALWAYS: Decision = { cause: null, line: null, offeredAt: new Date(0) };

function decisionOf(hold: Hold | null): Decision {
  return hold === null ? OFFERED_ALWAYS : { cause: hold.cause, line: hold.line, offeredAt: hold.offeredAt };
}

function isSame(a: Decision | null, b: Decision): boolean {
  return a !== null && a.cause === b.cause && a.line === b.line && a.offeredAt?.getTime() === b.offeredAt?.getTime();
}

/** Versions that are offered now: a version that was not decided about is not offered. */
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

/** The schemas of policies, and their part of the API. */

const CAUSES = [
  'denied',
  'not-allowed',
  'not-pinned',
  'attestation-missing',
  'attestation-refused',
  'attestation-pending',
  'attestation-off',
  'retired',
  'too-new',
  'first-seen-unknown',
] as const satisfies readonly HoldCause[];

const line = 'The line of the policy, such as `deny[0] "clock@<1.2.0"`.';
const offeredAt = shape.withDescription(
  shape.orNull(shape.dateTime),
  'From when it is offered; null if time alone does not change that.',
);

/** Of a version. */
export const policyHoldSchema = shape.strictObject('The policy of the organization holds the version back.', {
  cause: shape.withDescription(
    shape.choice<HoldCause | null>([...CAUSES, null]),
    'Why; null if the policy was not applied to the version yet.',
  ),
  line: shape.withDescription(shape.orNull(shape.text), line),
  offeredAt,
  message: shape.withDescription(shape.text, 'A sentence for people.'),
});
export type PolicyHold = shape.ValueOf<typeof policyHoldSchema>;

/** A policy as it was set. */
export const policySchema = shape.schemaOf<PolicyDocument>({
  description:
    'Which versions of the registry the organization takes, as schemas/policy.schema.json of appreg describes it.',
  type: 'object',
  required: ['schema'],
  properties: { schema: { const: 1 } },
});

export const policy = shape.strictObject('The policy of a registry.', {
  policy: shape.withDescription(
    shape.nullable(shape.ref<PolicyDocument>('Policy')),
    'Null for none: every verified version is offered.',
  ),
});
export type PolicyView = shape.ValueOf<typeof policy>;

/** Entries of a list in a preview. */
export const MOST_PREVIEWED = 200;

export const preview = shape.strictObject('What a policy would do.', {
  hidden: shape.withDescription(shape.count, 'Versions that are offered, and would be held back.'),
  appearing: shape.withDescription(shape.count, 'Versions that are held back, and would be offered.'),
  hidesEverything: shape.withDescription(
    shape.flag,
    'Whether no version would be offered, although there are versions.',
  ),
  hiddenVersions: shape.withDescription(
    shape.list(
      shape.strictObject('A version.', {
        app: shape.text,
        version: shape.text,
        line: shape.withDescription(shape.text, line),
        offeredAt,
      }),
    ),
    `The first ${MOST_PREVIEWED} versions that would be held back.`,
  ),
  appearingVersions: shape.withDescription(
    shape.list(shape.strictObject('A version.', { app: shape.text, version: shape.text })),
    `The first ${MOST_PREVIEWED} versions that would be offered.`,
  ),
  hiddenApps: shape.withDescription(
    shape.list(shape.text),
    `The first ${MOST_PREVIEWED} apps that could not be installed any more, by key.`,
  ),
  latest: shape.withDescription(
    shape.list(
      shape.strictObject('An app.', {
        app: shape.text,
        before: shape.orNull(shape.text),
        after: shape.orNull(shape.text),
      }),
    ),
    `The first ${MOST_PREVIEWED} apps with another latest version.`,
  ),
});
export type PreviewView = shape.ValueOf<typeof preview>;

import {
  type AppVersion,
  type AttestationFacts,
  type AttestationProblem,
  buildOf,
  judgeAttestation,
  type SignerPolicy,
} from 'appreg';
import { type SignerRequirement, signerPolicy } from './signers.ts';
import { type AttestationView } from './attestation-view.ts';
import { type NewEvent, type EventData } from './events.ts';

/**
 * Verdicts about attestations, and the versions that are offered because of them. Pure: rows and facts in, rows out.
 */

/** Evidence about the attestation of a version, verified with one key or without. */
export type Evidence = {
  checksum: string;
  state: 'proven' | 'unproven' | 'absent' | 'unknown' | 'url-signed';
  facts: AttestationFacts | null;
};

/** A version with its pinned digest. */
export interface PinnedVersion extends AppVersion {
  /** `sha256:` and 64 hexadecimal digits. */
  checksum: string;
}

/** Companion at the host of an artifact; `unknown`: it did not say; `url-signed`: it cannot be asked. */
export type Companion = { state: 'present'; facts: AttestationFacts } | { state: 'absent' | 'unknown' | 'url-signed' };

/**
 * The evidence after the host was asked. Attestations are never replaced: one that was valid remains known, whatever
 * the host has later. Any other one may still be corrected.
 * @param before null if nothing is known
 */
export function nextEvidence(before: Evidence | null, companion: Companion, version: PinnedVersion): Evidence {
  const { checksum } = version;
  const known = before?.checksum === checksum ? before : null;
  if (known?.state === 'proven') return known;
  if (companion.state !== 'present') return { checksum, state: companion.state, facts: null };
  const facts = boundedFacts(companion.facts, version);
  return { checksum, state: problemOf(facts, version, null) === null ? 'proven' : 'unproven', facts };
}

/** Maximum characters of stored facts: a host decides how long they are. */
const LONGEST_FACTS = 20_000;
/** Maximum subjects of a statement that are stored, in addition to those of the version. */
const FURTHER_SUBJECTS = 4;

/** The facts without the subjects that say nothing about the version. */
function boundedFacts(facts: AttestationFacts, { key, version, checksum }: PinnedVersion): AttestationFacts {
  const { content } = facts;
  const bounded = content?.kind === 'statement' ? { ...facts, content: { ...content, statement: own() } } : facts;
  if (JSON.stringify(bounded).length <= LONGEST_FACTS) return bounded;
  const failure = { cause: 'form', code: 'too-long' } as const;
  return { ...facts, failure, signer: null, signedAt: null, log: [], content: null };

  function own() {
    if (content?.kind !== 'statement') throw new TypeError('The content is a statement.');
    const { statement } = content;
    const name = `${key}@${version}`;
    const isOwn = (subject: (typeof statement.subjects)[number]): boolean =>
      subject.name === name || `sha256:${subject.sha256}` === checksum;
    const others = statement.subjects.filter((subject) => !isOwn(subject)).slice(0, FURTHER_SUBJECTS);
    return { ...statement, subjects: [...statement.subjects.filter(isOwn), ...others] };
  }
}

function problemOf(
  facts: AttestationFacts,
  { key, version, checksum }: PinnedVersion,
  signer: SignerPolicy | null,
): AttestationProblem | null {
  const sha256 = checksum.replace('sha256:', '');
  return judgeAttestation(facts, { sha256, app: { key, version }, sbomSha256: null, signer });
}

/**
 * `pending`: it is not known yet, or the trusted root of the service is too old; the problem says which. `url-signed`: it
 * cannot be known, since the URL of the artifact is signed by its query.
 */
export type Verdict =
  | { state: 'verified'; facts: AttestationFacts }
  | { state: 'missing' }
  | { state: 'url-signed' }
  | { state: 'pending'; problem: AttestationProblem | null }
  | { state: 'refused'; problem: AttestationProblem };

/**
 * The verdict about the attestation of a version for a subscription. @param evidence null if the host was not asked yet
 */
export function verdictOf(evidence: Evidence | null, version: PinnedVersion, signer: SignerRequirement): Verdict {
  if (evidence === null || evidence.checksum !== version.checksum) return { state: 'pending', problem: null };
  const { state, facts } = evidence;
  if (state === 'absent') return { state: 'missing' };
  if (state === 'url-signed') return { state };
  if (state === 'unknown' || facts === null) return { state: 'pending', problem: null };
  const problem = problemOf(facts, version, signerPolicy(signer));
  if (problem === null) return { state: 'verified', facts };
  return { state: problem.cause === 'root-outdated' ? 'pending' : 'refused', problem };
}

export type Decision = Pick<AttestationDecisionRow, 'checksum' | 'decision' | 'heldSince'>;

/**
 * True if a version is offered to a subscription that requires attestations. A version that was offered stays offered.
 * @param before null if nothing was decided yet
 */
export function nextDecision(
  before: Decision | null,
  { checksum }: PinnedVersion,
  verdict: Verdict,
  now: Date,
): Decision {
  const known = before?.checksum === checksum ? before : null;
  if (known !== null && known.decision !== 'held') return known;
  const heldSince = known?.heldSince ?? null;
  return verdict.state === 'verified'
    ? { checksum, decision: 'attested', heldSince }
    : { checksum, decision: 'held', heldSince: heldSince ?? now };
}

/**
 * The attestation of a version, as a subscription sees it. Pure.
 * @param known what is known about it, and what was decided; null if the subscription does not require attestations
 */
export function attestationView(
  version: PinnedVersion,
  signer: SignerRequirement,
  { evidence, decision }: { evidence: Evidence | null; decision: Decision | null },
): AttestationView {
  const verdict = verdictOf(evidence, version, signer);
  const own = decision?.checksum === version.checksum ? decision : null;
  const held = own?.decision === 'held' && own.heldSince !== null ? { since: own.heldSince.toISOString() } : null;
  return {
    // As in `verify`, it is not known.
    state: verdict.state === 'url-signed' ? 'pending' : verdict.state,
    reason: reasonOf(verdict),
    build: verdict.state === 'verified' ? buildOf(verdict.facts) : null,
    held,
    offeredBefore: own?.decision === 'offered-before',
  };
}

function reasonOf(verdict: Verdict): AttestationView['reason'] {
  if (verdict.state === 'url-signed') return URL_SIGNED;
  if (!('problem' in verdict) || verdict.problem === null) return null;
  const { rule, cause, message, advice } = verdict.problem;
  return { rule, cause, message, advice };
}

const URL_SIGNED: AttestationView['reason'] = {
  rule: 'attestation-missing',
  cause: 'url-signed',
  message:
    'The URL of the artifact is signed by its query, which is not valid for an attestation beside it: it cannot be requested.',
  advice: 'Ask the vendor to list URLs without a signature, or set the policy of the registry to report.',
};

/** The event of a decision about a version, for the subscription that it is about. Pure. */
export function attestationEvent({ key, version, checksum }: PinnedVersion, verdict: Verdict): NewEvent {
  const about = { app: key, version };
  if (verdict.state !== 'verified')
    return { type: 'version-held', ...about, data: { checksum, ...heldBecause(verdict) } };
  const { issuer, identity, repository, commit, key: signedBy } = buildOf(verdict.facts);
  return {
    type: 'version-attested',
    ...about,
    data: { checksum, issuer, identity, repository, commit, key: signedBy },
  };
}

function heldBecause(
  verdict: Exclude<Verdict, { state: 'verified' }>,
): Pick<EventData['version-held'], 'rule' | 'cause'> {
  if (verdict.state === 'missing') return { rule: 'attestation-missing', cause: null };
  if (verdict.state === 'url-signed') return { rule: 'attestation-missing', cause: verdict.state };
  return { rule: verdict.problem?.rule ?? null, cause: verdict.problem?.cause ?? null };
}

/** Decision about an offered version for a subscription that requires attestations. */
export interface AttestationDecisionRow {
  subscriptionId: string;
  appKey: string;
  version: string;
  /** The pinned digest: the decision is about no other one. */
  checksum: string;
  /** `offered-before`: it was offered when the organization began to require attestations, or those of another signer. */
  decision: 'held' | 'attested' | 'offered-before';
  /** Since when it was held back; null if it never was. */
  heldSince: Date | null;
}

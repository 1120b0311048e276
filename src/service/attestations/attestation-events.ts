import type { EventData, NewEvent } from '../history/events.ts';
import { buildOf } from '../../core/attestation/build.ts';
import type { PinnedVersion, Verdict } from './verdict.ts';

/** The event of a decision about a version, for the subscription that it is about. Pure. */
export function attestationEvent({ key, version, checksum }: PinnedVersion, verdict: Verdict): NewEvent {
  const about = { app: key, version };
  if (verdict.state !== 'verified') return { type: 'version-held', ...about, data: { checksum, ...reasonOf(verdict) } };
  const { issuer, identity, repository, commit, key: signedBy } = buildOf(verdict.facts);
  return {
    type: 'version-attested',
    ...about,
    data: { checksum, issuer, identity, repository, commit, key: signedBy },
  };
}

function reasonOf(verdict: Exclude<Verdict, { state: 'verified' }>): Pick<EventData['version-held'], 'rule' | 'cause'> {
  if (verdict.state === 'missing') return { rule: 'attestation-missing', cause: null };
  if (verdict.state === 'url-signed') return { rule: 'attestation-missing', cause: verdict.state };
  return { rule: verdict.problem?.rule ?? null, cause: verdict.problem?.cause ?? null };
}

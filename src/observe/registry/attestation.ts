import { createHash } from 'node:crypto';
import type { AttestationFacts } from '../../core/attestation/facts.ts';
import { namesBill } from '../../core/attestation/judge.ts';
import type { ObservedAttestation, ObservedBill } from '../../core/attestation/observed.ts';
import type { Missing } from '../../core/facts/facts.ts';
import { type CompanionTransport, fetchCompanion, type RequestedCompanion, whyUnknown } from './companion.ts';
import type { ObserveContext } from './context.ts';

/** Verifies a bundle, without the network. A bundle that is not valid is a fact, not an error. */
export type VerifyBundle = (bundle: Uint8Array) => AttestationFacts;

const SIGNED: Missing = { missing: { code: 'url-signed' } };

/**
 * Requests the attestation of an artifact and verifies it, and the bill of materials if the attestation names one. What
 * it says about the artifact is judged later.
 * @param artifactUrl as listed
 * @returns missing if the host does not say whether it has one
 */
export async function observeAttestation(
  artifactUrl: string,
  verify: VerifyBundle,
  { http, timeouts, state: { missingFiles }, onBody, onBytes }: ObserveContext,
): Promise<ObservedAttestation | Missing> {
  const transport: CompanionTransport = { http, total: timeouts.small, missingFiles, onBody, onBytes };
  const fetched = await fetchCompanion({ artifactUrl, kind: 'attestation', etag: null }, transport);
  if (fetched.state === 'url-signed') return SIGNED;
  if (fetched.state === 'absent') return { state: 'absent' };
  if (fetched.state !== 'present') return whyUnknown(fetched, 'attestation');
  const facts = factsOfBundle(fetched, verify);
  return namesBill(facts)
    ? { state: 'present', facts, bill: await observeBill(artifactUrl, transport) }
    : { state: 'present', facts };
}

/** The digest of the bill of materials beside an artifact. Of one that is too large, it is that of the beginning. */
async function observeBill(artifactUrl: string, transport: CompanionTransport): Promise<ObservedBill | Missing> {
  const fetched = await fetchCompanion({ artifactUrl, kind: 'sbom', etag: null }, transport);
  if (fetched.state === 'url-signed') return SIGNED;
  if (fetched.state === 'absent') return { sha256: null };
  if (fetched.state !== 'present') return whyUnknown(fetched, 'sbom');
  return { sha256: createHash('sha256').update(fetched.bytes).digest('hex') };
}

/** Verifies what was received. Of a bundle that is larger than the limit, only the beginning was. */
export function factsOfBundle(
  { bytes, isCut }: Pick<RequestedCompanion, 'bytes' | 'isCut'>,
  verify: VerifyBundle,
): AttestationFacts {
  const facts = verify(bytes);
  return isCut ? { ...facts, ...TOO_LARGE } : facts;
}

const TOO_LARGE: Omit<AttestationFacts, 'bytes' | 'sha256' | 'root'> = {
  failure: { cause: 'form', code: 'too-large' },
  signer: null,
  signedAt: null,
  log: [],
  content: null,
};

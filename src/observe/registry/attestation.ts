import { companionState, companionUrl, LARGEST_COMPANION } from '../../core/attestation/companion.ts';
import type { AttestationFacts } from '../../core/attestation/facts.ts';
import type { ObservedAttestation } from '../../core/attestation/observed.ts';
import type { Missing, Probe } from '../../core/facts/facts.ts';
import { statusOf } from '../../core/http/probe.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import type { ObserveContext } from './context.ts';
import { fetchResource } from './fetch.ts';

/** Verifies a bundle, without the network. A bundle that is not valid is a fact, not an error. */
export type VerifyBundle = (bundle: Uint8Array) => AttestationFacts;

/** A Sigstore bundle has a media type that few hosts know, so that any type is accepted. */
const ACCEPT = 'application/vnd.dev.sigstore.bundle.v0.3+json, application/json;q=0.9, */*;q=0.8';

const SIGNED: Missing = { missing: { code: 'url-signed' } };

/**
 * Requests the attestation of an artifact and verifies it. What it says about the artifact is judged later.
 * @param artifactUrl as listed
 * @returns missing if the host does not say whether it has one
 */
export async function observeAttestation(
  artifactUrl: string,
  verify: VerifyBundle,
  context: ObserveContext,
): Promise<ObservedAttestation | Missing> {
  const url = companionUrl(artifactUrl, 'attestation');
  if (url === null) return SIGNED;
  const limit = LARGEST_COMPANION.attestation;
  const { probe, content, bytes } = await fetchResource(url, { accept: ACCEPT, limit }, context);
  const stopped = notRequested(probe);
  if (stopped !== null) return stopped;
  const status = probe.failure === null ? statusOf(probe) : null;
  const state = companionState({ status, head: bytes.subarray(0, 512) });
  if (state === 'unknown') return notKnown(probe);
  if (state === 'absent') return { state };
  const facts = verify(bytes);
  return { state, facts: content.cut ? { ...facts, ...TOO_LARGE } : facts };
}

/** Of a bundle that is larger than the limit, only the beginning was read. */
const TOO_LARGE: Omit<AttestationFacts, 'bytes' | 'sha256' | 'root'> = {
  failure: { cause: 'form', code: 'too-large' },
  signer: null,
  signedAt: null,
  log: [],
  content: null,
};

function notKnown({ attempts, failure, hops }: Probe): Missing {
  const status = hops.at(-1)?.status ?? 0;
  const what = failure?.code ?? `status ${status}`;
  return { missing: { code: 'probe-failed', probe: 'request for its attestation', attempts, failure: what } };
}

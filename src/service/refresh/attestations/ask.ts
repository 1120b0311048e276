import { notRequested } from '../../../observe/http/circuit-breaker.ts';
import type { HttpClient } from '../../../observe/http/client.ts';
import { fetchCompanion } from '../../../observe/registry/companion.ts';

/** Asks a host for the attestation of an artifact. */

/**
 * `url-signed`: the URL of the artifact is signed by its query, so that no URL of an attestation is known. `unknown`: the host
 * did not say whether it has one. Null: it was not asked.
 */
export type FetchedAttestation =
  | { state: 'present'; bytes: Buffer; isCut: boolean }
  | { state: 'absent' | 'unknown' | 'url-signed' }
  | null;

/** Milliseconds per request. */
const TIMEOUT = 20_000;

/** @param artifactUrl as listed */
export async function fetchAttestation(http: HttpClient, artifactUrl: string): Promise<FetchedAttestation> {
  const request = { artifactUrl, kind: 'attestation', etag: null } as const;
  const fetched = await fetchCompanion(request, { http, total: TIMEOUT });
  if (fetched.state === 'url-signed') return { state: 'url-signed' };
  if (notRequested(fetched.probe) !== null) return null;
  if (fetched.state === 'absent') return { state: 'absent' };
  return fetched.state === 'present'
    ? { state: 'present', bytes: fetched.bytes, isCut: fetched.isCut }
    : { state: 'unknown' };
}

import { companionState, companionUrl, LARGEST_COMPANION } from '../../../core/attestation/companion.ts';
import type { Hop } from '../../../core/facts/facts.ts';
import { codings } from '../../../core/http/headers.ts';
import { statusOf } from '../../../core/http/probe.ts';
import { createDecoder, DECODED_TOO_LARGE, unknownCodings } from '../../../observe/digest/decode.ts';
import { type Body, perAttempt } from '../../../observe/http/body.ts';
import { notRequested } from '../../../observe/http/circuit-breaker.ts';
import type { HttpClient } from '../../../observe/http/client.ts';

/** Asks a host for the attestation of an artifact. */

/** `unknown`: the host did not say whether it has one. Null: it was not asked. */
export type FetchedCompanion = { state: 'present'; bytes: Buffer } | { state: 'absent' | 'unknown' } | null;

/** Milliseconds per request. */
const TIMEOUT = 20_000;
/** Few hosts know the media type of a bundle. */
const ACCEPT = 'application/vnd.dev.sigstore.bundle.v0.3+json, application/json;q=0.9, */*;q=0.8';
/** Of a larger one, enough is read to see that. */
const LIMIT = LARGEST_COMPANION.attestation + 1;

/** @param artifactUrl as listed */
export async function fetchAttestation(http: HttpClient, artifactUrl: string): Promise<FetchedCompanion> {
  const url = companionUrl(artifactUrl, 'attestation');
  // A URL that is signed by its query has no companion files.
  if (url === null) return { state: 'absent' };
  const reader = perAttempt(openBody);
  const probe = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: ACCEPT,
    total: TIMEOUT,
    body: reader.body,
  });
  if (notRequested(probe) !== null) return null;
  const bytes = (await reader.last()?.end()) ?? null;
  const status = probe.failure === null ? statusOf(probe) : null;
  const state = companionState({ status, head: (bytes ?? Buffer.alloc(0)).subarray(0, 512) });
  if (state !== 'present') return { state };
  return bytes === null ? { state: 'unknown' } : { state, bytes };
}

/** `end` returns the decoded bytes, of which there are more than a bundle may have if it is too large; null if they cannot be decoded. */
function openBody({ headers }: Pick<Hop, 'headers'>): Body & { end(): Promise<Buffer | null> } {
  const chunks: Buffer[] = [];
  const keep = (chunk: Uint8Array): void => void chunks.push(Buffer.from(chunk));
  const applied = codings(headers);
  const decoder =
    applied.length > 0 && unknownCodings(applied).length === 0 ? createDecoder(applied, LIMIT, keep) : null;
  return {
    limit: LIMIT,
    over: 'cut',
    instant: true,
    write: (chunk) => (decoder ? decoder.write(chunk) : keep(chunk)),
    async end() {
      const error = (await decoder?.end()) ?? null;
      if (error === DECODED_TOO_LARGE) return Buffer.alloc(LIMIT);
      return error === null ? Buffer.concat(chunks) : null;
    },
  };
}

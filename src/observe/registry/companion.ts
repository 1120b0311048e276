import {
  type CompanionKind,
  companionState,
  type CompanionState,
  LARGEST_COMPANION,
} from '../../core/attestation/companion.ts';
import type { Probe } from '../../core/facts/facts.ts';
import { codings, header } from '../../core/http/headers.ts';
import { lastHop, statusOf } from '../../core/http/probe.ts';
import { DECODED_TOO_LARGE } from '../digest/decode.ts';
import { perAttempt } from '../http/body.ts';
import type { HttpClient } from '../http/client.ts';
import { openReading } from './fetch.ts';

/** The response to a request for a companion file. */
export interface FetchedCompanion {
  /** `unchanged`: it still has the entity tag that was given. */
  state: CompanionState | 'unchanged';
  probe: Probe;
  /** Decoded; empty unless the file is present. */
  bytes: Buffer;
  /** True if the file is larger than `LARGEST_COMPANION`, so that it was not read to its end. */
  isCut: boolean;
  /** The entity tag of the response. */
  etag: string | null;
}

/**
 * Requests a companion file.
 *
 * @param etag the entity tag of a copy, or null
 * @param total in milliseconds
 */
export async function fetchCompanion(
  { url, kind, etag }: { url: string; kind: CompanionKind; etag: string | null },
  { http, total }: { http: HttpClient; total: number },
): Promise<FetchedCompanion> {
  const limit = LARGEST_COMPANION[kind];
  const reader = perAttempt((hop) => openReading(codings(hop.headers), limit, () => {}));
  const headers: [string, string][] = etag === null ? [] : [['If-None-Match', etag]];
  const probe = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: '*/*',
    headers,
    total,
    body: reader.body,
  });
  const tag = header(lastHop(probe)?.headers ?? [], 'etag');
  const nothing = { probe, bytes: Buffer.alloc(0), isCut: false, etag: tag };
  if (probe.failure === null && etag !== null && statusOf(probe) === 304) return { ...nothing, state: 'unchanged' };
  const read = await reader.last()?.end();
  const isCut = read !== undefined && (read.content.cut || read.error === DECODED_TOO_LARGE);
  const isReceived = probe.failure === null && (read === undefined || read.error === null || isCut);
  const bytes = read?.bytes ?? nothing.bytes;
  const state = companionState({ status: isReceived ? statusOf(probe) : null, head: bytes });
  return state === 'present' ? { ...nothing, state, bytes, isCut } : { ...nothing, state };
}

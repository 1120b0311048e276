import { createHash } from 'node:crypto';
import { namesBill } from '../../core/attestation/judge.ts';
import type { ObservedAttestation, ObservedBill } from '../../core/facts/attestation.ts';
import type { Hop, Missing, Probe } from '../../core/facts/facts.ts';
import { contentCodings, headerValue } from '../../core/http/headers.ts';
import { lastHop, notRequested, statusOf } from '../../core/http/probe.ts';
import {
  COMPANION_TYPES,
  type CompanionKind,
  companionState,
  type CompanionState,
  companionUrl,
  LARGEST_COMPANION,
} from '../../core/registry/companion.ts';
import { factsOfBundle, type VerifyBundle } from '../content/attestation.ts';
import { DECODED_TOO_LARGE } from '../digest/decode.ts';
import { perAttempt } from '../http/body.ts';
import type { HttpClient } from '../http/client.ts';
import type { MissingFiles } from '../http/missing-files.ts';
import { openReading } from '../http/read-body.ts';
import type { ObserveContext } from './context.ts';

/** The companion files of artifacts: `verify`, `mirror` and the service agree on which of them are there. */

/** A companion file, and how it is requested. */
export interface CompanionRequest {
  /** As listed. */
  artifactUrl: string;
  kind: CompanionKind;
  /** The entity tag of a copy; null without one. */
  etag: string | null;
}

/** The client and limits of requests. */
export interface CompanionTransport {
  http: Pick<HttpClient, 'probe'>;
  /** Milliseconds for one file. */
  total: number;
  /** Requests files again that a host reports as missing; without it, one response is enough. */
  missingFiles?: MissingFiles;
  /** See `ObserveContext`. */
  onBody?(hop: Hop): void;
  onBytes?(count: number): void;
}

/** A companion file, as far as it is known. */
export type FetchedCompanion = UnaddressableCompanion | RequestedCompanion;

/** The URL of the artifact is signed by its query: the URL of a companion file is not known, and nothing was requested. */
interface UnaddressableCompanion {
  state: 'url-signed';
}

export interface RequestedCompanion {
  /** `unchanged`: it still has the entity tag that was given. */
  state: CompanionState | 'unchanged';
  /** As requested. */
  url: string;
  probe: Probe;
  /** Decoded; empty unless the file is present. */
  bytes: Buffer;
  /** True if the file is larger than `LARGEST_COMPANION`, so that it was not read to its end. */
  isCut: boolean;
  /** The reason why the body cannot be decoded, or null. */
  decodeError: string | null;
  /** The entity tag of the response. */
  etag: string | null;
}

/** Requests a companion file, unless the URL of the artifact is signed by its query. */
export async function fetchCompanion(
  { artifactUrl, kind, etag }: CompanionRequest,
  transport: CompanionTransport,
): Promise<FetchedCompanion> {
  const url = companionUrl(artifactUrl, kind);
  if (url === null) return { state: 'url-signed' };
  const accept = `${COMPANION_TYPES[kind]}, application/json;q=0.9, */*;q=0.8`;
  const fetch = (fresh: boolean): Promise<RequestedCompanion> =>
    requestOnce({ url, kind, etag, accept, fresh }, transport);
  const { http, total, missingFiles } = transport;
  if (missingFiles === undefined) return fetch(false);
  const fetchStatus = (): Promise<Probe> =>
    http.probe({ method: 'GET', url, origin: null, accept, fresh: true, total });
  return missingFiles.confirm({ kind: accept, fetch, fetchStatus });
}

interface OneRequest {
  url: string;
  kind: CompanionKind;
  etag: string | null;
  accept: string;
  /** Over a new connection. */
  fresh: boolean;
}

async function requestOnce(
  { url, kind, etag, accept, fresh }: OneRequest,
  { http, total, onBody, onBytes }: CompanionTransport,
): Promise<RequestedCompanion> {
  const limit = LARGEST_COMPANION[kind];
  const reader = perAttempt((hop) => {
    onBody?.(hop);
    return openReading(contentCodings(hop.headers), limit, (count) => onBytes?.(count));
  });
  const headers: [string, string][] = etag === null ? [] : [['If-None-Match', etag]];
  const probe = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept,
    headers,
    fresh,
    total,
    body: reader.body,
  });
  const tag = headerValue(lastHop(probe)?.headers ?? [], 'etag');
  const nothing = { url, probe, bytes: Buffer.alloc(0), isCut: false, decodeError: null, etag: tag };
  if (probe.failure === null && etag !== null && statusOf(probe) === 304) return { ...nothing, state: 'unchanged' };
  const read = await reader.last()?.end();
  const isCut = read !== undefined && (read.content.cut || read.error === DECODED_TOO_LARGE);
  const decodeError = isCut ? null : (read?.error ?? null);
  const isReceived = probe.failure === null && decodeError === null;
  const bytes = read?.bytes ?? nothing.bytes;
  const state = companionState({ status: isReceived ? statusOf(probe) : null, head: bytes.subarray(0, 512) });
  return state === 'present' ? { ...nothing, state, bytes, isCut } : { ...nothing, state, decodeError };
}

const REQUEST_NAMES: Record<CompanionKind, string> = {
  attestation: 'request for its attestation',
  sbom: 'request for the bill of materials',
};

/** The reason why it is not known whether a host has a companion file. */
function whyUnknown(fetched: Pick<RequestedCompanion, 'probe' | 'decodeError'>, kind: CompanionKind): Missing {
  const { probe, decodeError } = fetched;
  const stopped = notRequested(probe);
  if (stopped !== null) return stopped;
  const failure = probe.failure?.code ?? decodeError ?? `status ${probe.hops.at(-1)?.status ?? 0}`;
  return { missing: { code: 'probe-failed', probe: REQUEST_NAMES[kind], attempts: probe.attempts, failure } };
}

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
  { http, timeouts, hosts: { missingFiles }, onBody, onBytes }: ObserveContext,
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

import type { Probe } from '../../core/facts/facts.ts';
import { type BodyReader, perAttempt } from './body.ts';
import type { HttpClient } from './client.ts';
import { DEFAULT_TIMEOUTS, MAX_ARTIFACT_BYTES } from './limits.ts';

/** Whole files, requested as a server-side client does. */

interface DownloadLimits {
  /** Maximum number of bytes; a larger file is a failure. */
  bytes: number;
  /** Milliseconds in total. */
  time: number;
}

export const ARTIFACT_LIMITS: DownloadLimits = { bytes: MAX_ARTIFACT_BYTES, time: DEFAULT_TIMEOUTS.artifact };
/** For documents and icons. */
export const SMALL_FILE_LIMITS: DownloadLimits = { bytes: 64 * 2 ** 20, time: DEFAULT_TIMEOUTS.small };

export interface DownloadRequest {
  url: string;
  /** The media types that are accepted. */
  accept: string;
  limits: DownloadLimits;
}

/**
 * Downloads a file.
 * @param open called once per attempt: returns what takes its bytes, from the start
 * @returns what took the bytes of the last attempt; null if none had a body
 */
export async function download<Taker extends Pick<BodyReader, 'write'>>(
  http: HttpClient,
  { url, accept, limits }: DownloadRequest,
  open: () => Taker,
): Promise<{ probe: Probe; taken: Taker | null }> {
  const reader = perAttempt(() => ({ ...open(), limit: limits.bytes, over: 'fail' as const }));
  const probe = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept,
    total: limits.time,
    body: reader.body,
  });
  return { probe, taken: reader.last() };
}

/** Downloads a file into memory. The bytes are complete only if the probe says so. */
export async function downloadBytes(
  http: HttpClient,
  request: DownloadRequest,
): Promise<{ probe: Probe; bytes: Buffer }> {
  const { probe, taken } = await download(http, request, () => {
    const chunks: Buffer[] = [];
    return { chunks, write: (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk)) };
  });
  return { probe, bytes: Buffer.concat(taken?.chunks ?? []) };
}

import { message, type SafeText, safe } from '../core/text/message.ts';
import type { ArchiveFacts, Content, Probe } from '../core/facts/facts.ts';
import { safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { machineLimitError } from '../core/http/machine-limit.ts';
import { machineLimitOf } from '../core/http/machine-failure.ts';
import { explainDownload } from '../core/engine/explain-download.ts';
import { isAnswered } from '../core/http/probe.ts';
import { type ArchiveOptions, createArchiveReader } from '../observe/archive/read-archive.ts';
import { createDigester } from '../observe/digest/digest.ts';
import { type HttpOptions, openHttpClient } from '../observe/http/client.ts';
import type { Body } from '../observe/http/body.ts';
import { ARTIFACT_LIMITS, download } from '../observe/http/download.ts';
import { networkOf } from '../observe/http/proxy.ts';

/** Fetches an artifact to inspect its bytes, as the service does: digested while streaming, nothing stored. */

export interface InspectedFile {
  /** The probe of the URL. */
  probe: Probe;
  content: Content;
  archive: ArchiveFacts;
}

/** Digests and lists what a URL serves. Network errors are in `probe`. */
export async function fetchBytes(
  url: string,
  onBytes: (bytes: number) => void = () => {},
  options: HttpOptions & Pick<ArchiveOptions, 'scan'> = {},
): Promise<InspectedFile> {
  const { scan = null } = options;
  const http = openHttpClient(options);
  const open = (): Pick<Body, 'write'> & { end(): Promise<Omit<InspectedFile, 'probe'>> } => {
    const digester = createDigester(ARTIFACT_LIMITS.bytes);
    const archive = createArchiveReader({ scan });
    let bytes = 0;
    return {
      write(chunk) {
        bytes += chunk.length;
        onBytes(bytes);
        const listed = archive.write(chunk);
        digester.write(chunk);
        return listed;
      },
      end: async () => ({ content: digester.end(), archive: await archive.end() }),
    };
  };
  try {
    const { probe, taken } = await download(http, { url, accept: '*/*', limits: ARTIFACT_LIMITS }, open);
    return { probe, ...(await (taken ?? open()).end()) };
  } finally {
    await http.close();
  }
}

/**
 * The same, but requires a complete response. `fault`: why it is not an artifact, or null.
 * @throws AppregError (exit 1) with the reason, or (exit 2) if this machine is the cause
 */
export async function fetchWhole(
  url: string,
  env: NodeJS.ProcessEnv,
  onBytes?: (bytes: number) => void,
  options: Pick<ArchiveOptions, 'scan'> = {},
): Promise<InspectedFile & { fault: FetchFault | null }> {
  const fetched = await fetchBytes(url, onBytes, { ...networkOf(env), ...options });
  refuseMachineLimit(url, fetched.probe);
  const fault = whyNoArtifact(fetched);
  if (fault === null || isAnswered(fetched.probe)) return { ...fetched, fault };
  const { message: summary, advice } = fault;
  throw new AppregError('download-failed', message`${safeExcerpt(url)}: ${safe(summary)}`, advice, { effect: 'none' });
}

/** @throws AppregError (exit 2) if this machine could not send the request: nothing is known about the URL */
export function refuseMachineLimit(url: string, { failure }: Probe): void {
  if (failure !== null && machineLimitOf(failure) !== null)
    throw machineLimitError(failure.code, message`${safeExcerpt(url)} cannot be fetched`, { effect: 'none' });
}

/** Why a URL serves no artifact, as `verify` explains it; null if it may serve one. */
export function whyNoArtifact({ probe, content }: Pick<InspectedFile, 'probe' | 'content'>): FetchFault | null {
  const fault = explainDownload(probe, content, new Date().toISOString());
  return fault && { message: fault.message, advice: fault.advice };
}

/** A sentence, and what to do. */
export interface FetchFault {
  message: SafeText;
  advice: SafeText;
}

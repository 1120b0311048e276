import { message, safe, type SafeText } from '../../core/text/message.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { safeExcerpt } from '../../core/text/text.ts';
import type { NewVersion } from '../../author/metadata.ts';
import type { Probe, ArchiveFacts, Content } from '../../core/facts/facts.ts';
import { AppregError } from '../../core/errors/error.ts';
import { isAnswered, machineLimitOf } from '../../core/http/probe.ts';
import { untilStopped } from '../../store/interrupt.ts';
import type { Context } from '../config/context.ts';
import { networkOf } from '../../observe/http/proxy.ts';
import { machineLimitError } from '../../core/errors/machine-limit.ts';
import { explainDownload } from '../../core/engine/explain-download.ts';
import { type ArchiveOptions, createArchiveReader } from '../../observe/archive/read-archive.ts';
import { createDigester } from '../../observe/digest/digest.ts';
import { type HttpOptions, openHttpClient } from '../../observe/http/client.ts';
import type { BodyReader } from '../../observe/http/body.ts';
import { ARTIFACT_LIMITS, download } from '../../observe/http/download.ts';

/** Fetches an artifact to inspect its bytes, as the service does: digested while streaming, nothing stored. */

export interface InspectedFile {
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
  const open = (): Pick<BodyReader, 'write'> & { end(): Promise<Omit<InspectedFile, 'probe'>> } => {
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
  const fault = artifactFault(fetched);
  if (fault === null || isAnswered(fetched.probe)) return { ...fetched, fault };
  const { message: summary, advice } = fault;
  throw new AppregError('download-failed', message`${safeExcerpt(url)}: ${safe(summary)}`, advice, { effect: 'none' });
}

/** @throws AppregError (exit 2) if this machine could not send the request: nothing is known about the URL */
function refuseMachineLimit(url: string, { failure }: Probe): void {
  if (failure !== null && machineLimitOf(failure) !== null)
    throw machineLimitError(failure.code, message`${safeExcerpt(url)} cannot be fetched`, { effect: 'none' });
}

/** Explains as `verify` does that a URL serves no artifact; null if it may serve one. */
export function artifactFault({ probe, content }: Pick<InspectedFile, 'probe' | 'content'>): FetchFault | null {
  const fault = explainDownload(probe, content, new Date().toISOString());
  return fault && { message: fault.message, advice: fault.advice };
}

/** A sentence, and what to do. */
export interface FetchFault {
  message: SafeText;
  advice: SafeText;
}

/** Seconds until a stored file must be served, by the type of the store: page hosts build the site first. */
export const READ_BACK_SECONDS = { directory: null, s3: 30, git: 600 };

/**
 * Fetches a new artifact from its public URL after it is stored and before it is listed. A host behind a store may need
 * time to serve what was stored; a folder is usually uploaded later.
 * @param timeout seconds until it must be served; null for a folder: then a missing artifact is only a remark
 * @throws AppregError (exit 1) if other bytes are served, or none before the deadline; (exit 2) if this machine cannot
 *   send the request
 */
export async function readBack({ terminal, env }: Context, entry: NewVersion, timeout: number | null): Promise<void> {
  const progress = terminal.progress(message`Requesting ${safeExcerpt(entry.artifactUrl)}`);
  const shown = safeExcerpt(entry.artifactUrl);
  const end = Date.now() + (timeout ?? 0) * 1000;
  try {
    for (let attempt = 0; ; attempt++) {
      const found = await untilStopped(fetchOnce(entry, attempt, env));
      if (found === null) return;
      const left = end - Date.now();
      if (left > 0 && !found.unreachable) {
        progress.update(() => message`${shown}: ${safe(found.message)} Waiting ${Math.ceil(left / 1000)} s more`);
        await untilStopped(sleep(Math.min(left, 500 * 2 ** Math.min(attempt, 4))));
        continue;
      }
      if (found.servedChecksum) throw mismatch(entry, found.servedChecksum);
      if (timeout !== null && !found.unreachable) throw notServedError(entry, found, timeout);
      const outcome = timeout === null ? 'Not served yet' : 'Not read back';
      terminal.log(
        message`${outcome}: ${shown}: ${safe(found.message)}${safe(timeout === null ? '' : message` ${safe(found.advice)}`)}`,
      );
      return;
    }
  } finally {
    progress.stop();
  }
}

interface ReadBackFailure extends FetchFault {
  /** The checksum of the bytes served instead; null if it is another failure. */
  servedChecksum: string | null;
  /** True if there was no response at all: the URL may be reachable for others. */
  unreachable: boolean;
}

/** Null if the artifact is served as stored. */
async function fetchOnce(
  { artifactUrl: url, artifactChecksum: checksum }: NewVersion,
  attempt: number,
  env: NodeJS.ProcessEnv,
): Promise<ReadBackFailure | null> {
  // A unique query prevents the host from caching a "not found" for the actual URL.
  const uniqueUrl = `${url}${url.includes('?') ? '&' : '?'}read-back=${checksum.slice(7, 23)}${attempt === 0 ? '' : attempt}`;
  const options = { ...networkOf(env), retries: 0, connectTimeout: 4000, headersTimeout: 8000, idleTimeout: 8000 };
  const fetched = await fetchBytes(uniqueUrl, () => {}, options);
  const { probe, content } = fetched;
  refuseMachineLimit(url, probe);
  const served = `sha256:${content.sha256}`;
  if (isAnswered(probe) && served === checksum) return null;
  const fault = artifactFault(fetched);
  if (fault !== null) return { ...fault, servedChecksum: null, unreachable: isUnreachable(probe) };
  return {
    message: message`The host serves different bytes.`,
    advice: message``,
    servedChecksum: served,
    unreachable: false,
  };
}

function isUnreachable({ failure }: Probe): boolean {
  return failure !== null && ['dns', 'connect', 'tls'].includes(failure.phase);
}

function mismatch({ artifactUrl, artifactChecksum }: NewVersion, served: string): AppregError {
  return new AppregError(
    'read-back-mismatch',
    message`${safeExcerpt(artifactUrl)} serves different bytes: their checksum is ${served}, yours is ${artifactChecksum}.`,
    message`If another artifact was published at this URL, publish your bytes as a new version. If the host changes the bytes (Content-Encoding), fix the host first.`,
  );
}

function notServedError(
  { artifactUrl }: NewVersion,
  { message: summary, advice }: FetchFault,
  timeout: number,
): AppregError {
  return new AppregError(
    'read-back-missing',
    message`The artifact is stored, but ${safeExcerpt(artifactUrl)} does not serve it after ${timeout} s. ${safe(summary)} The version is not listed yet, so subscribers are not affected.`,
    message`${safe(advice)} Check baseUrl, too; then run the same command again. --read-back-timeout <s> waits longer; --no-read-back lists the version without this check.`,
    { advisesRepeat: true },
  );
}

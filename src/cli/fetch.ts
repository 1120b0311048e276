import type { ArchiveFacts, Content, Probe } from '../core/facts/facts.ts';
import { kindOf } from '../core/text/file-type.ts';
import { printable, redact, safeExcerpt } from '../core/text/text.ts';
import { AppregError, isAppregError } from '../core/errors.ts';
import { machineLimitError } from '../core/http/machine-limit.ts';
import { machineLimitOf } from '../core/http/machine-failure.ts';
import { urlError } from '../core/http/url-error.ts';
import { explainDownload } from '../core/engine/explain-download.ts';
import { isAnswered } from '../core/http/probe.ts';
import { type ArchiveOptions, type ArchiveReader, createArchiveReader } from '../observe/archive/read-archive.ts';
import { createDigester, type Digester } from '../observe/digest/digest.ts';
import type { HttpOptions } from '../observe/http/client.ts';
import { ARTIFACT_LIMITS, download } from '../observe/http/download.ts';
import { networkOf } from './config/network.ts';
import { type ReadFailure, readRegularFile, whyNotRegularFile, whyUnreadable } from '../platform/regular-file.ts';
import { systemErrorCode } from '../platform/system-error.ts';

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
  // Loaded lazily, since most runs fetch nothing.
  const { openHttpClient } = await import('../observe/http/client.ts');
  const http = openHttpClient(options);
  let digester: Digester = createDigester(ARTIFACT_LIMITS.bytes);
  let archive: ArchiveReader = createArchiveReader({ scan });
  let bytes = 0;
  try {
    const probe = await download(http, { url, accept: '*/*', limits: ARTIFACT_LIMITS }, () => {
      digester = createDigester(ARTIFACT_LIMITS.bytes);
      archive = createArchiveReader({ scan });
      bytes = 0;
      return {
        instant: true,
        write(chunk) {
          bytes += chunk.length;
          onBytes(bytes);
          const listed = archive.write(chunk);
          digester.write(chunk);
          return listed;
        },
      };
    });
    return { probe, content: digester.end(), archive: await archive.end() };
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
  const { message, advice } = fault;
  throw new AppregError('download-failed', `${safeExcerpt(url)}: ${message}`, advice, { effect: 'none' });
}

/** @throws AppregError (exit 2) if this machine could not send the request: nothing is known about the URL */
export function refuseMachineLimit(url: string, { failure }: Probe): void {
  if (failure !== null && machineLimitOf(failure) !== null)
    throw machineLimitError(failure.code, `${safeExcerpt(url)} cannot be fetched`, { effect: 'none' });
}

/** Why a URL serves no artifact, as `verify` explains it; null if it may serve one. */
export function whyNoArtifact({ probe, content }: Pick<InspectedFile, 'probe' | 'content'>): FetchFault | null {
  const fault = explainDownload(probe, content, new Date().toISOString());
  return fault && { message: printable(redact(fault.message)), advice: printable(redact(fault.advice)) };
}

/** A sentence, and what to do. */
export interface FetchFault {
  message: string;
  advice: string;
}

/** True for a URL, as opposed to a file name. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Refuses a URL that clients could not use (exit 2); `flag` is the flag it was passed with. */
export function checkUrl(url: string, flag: string): void {
  const fault = urlError(url);
  if (fault)
    throw new AppregError(
      'url-invalid',
      `${flag} ${safeExcerpt(url)}: ${printable(redact(fault.message))}`,
      printable(redact(fault.advice)),
    );
}

/** What is suspicious about bytes that are expected to be an artifact, or null. */
export function unlikeArtifact(head: string): string | null {
  const kind = kindOf(Buffer.from(head, 'base64'));
  if (kind === 'empty') return 'is empty';
  if (kind === 'html') return 'is an HTML page';
  if (kind === 'xml') return 'is an XML document, perhaps an error message of the host';
  return kind === 'git-lfs-pointer' ? 'is a Git LFS pointer, not the file itself (git lfs pull fetches it)' : null;
}

/** What to do about a folder in place of an artifact. */
export const INSTEAD_OF_FOLDER = 'Give a .tar.gz file, or pack the folder with appreg bundle.';

/** A local file as a whole. Throws AppregError (exit 2) if it cannot be read; `adviceForFolder` as for unreadableFile. */
export function readInputFile(path: string, shownAs: string, adviceForFolder?: string): Buffer {
  try {
    const read = readRegularFile(path);
    if ('bytes' in read) return read.bytes;
    throw unreadableInput(shownAs, read, adviceForFolder);
  } catch (error) {
    throw unreadableFile(shownAs, error, adviceForFolder);
  }
}

/** Throws AppregError (exit 2) for a path that is not a readable file; a named pipe would have to be waited for. */
export function refuseUnreadableInput(path: string, shownAs: string, adviceForFolder?: string): void {
  const failure = whyNotRegularFile(path);
  if (failure !== null) throw unreadableInput(shownAs, failure, adviceForFolder);
}

function unreadableInput(
  shownAs: string,
  { failure, code }: ReadFailure,
  adviceForFolder = 'Give the path of a file.',
  cause?: unknown,
): AppregError {
  return new AppregError(
    'file-unreadable',
    `${printable(shownAs)} ${failure}.`,
    code === 'EISDIR' ? adviceForFolder : 'Check the path and its permissions.',
    { cause },
  );
}

/**
 * A system error as an AppregError that names the file; anything else is returned unchanged.
 * @param adviceForFolder what to do if the path is a folder
 */
export function unreadableFile(shownAs: string, error: unknown, adviceForFolder?: string): unknown {
  if (isAppregError(error)) return error;
  const code = systemErrorCode(error);
  const failure = code === 'ERR_FS_FILE_TOO_LARGE' ? 'is larger than 2 GiB' : whyUnreadable(shownAs, error);
  return failure === null ? error : unreadableInput(shownAs, { failure, code }, adviceForFolder, error);
}

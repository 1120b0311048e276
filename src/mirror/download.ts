import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Probe } from '../core/facts/facts.ts';
import { MACHINE_LIMIT_ADVICE } from '../core/http/machine-limit.ts';
import { machineLimitOf } from '../core/http/machine-failure.ts';
import { isAnswered, statusOf } from '../core/http/probe.ts';
import { printable, redact } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { createDigester } from '../observe/digest/digest.ts';
import type { HttpClient } from '../observe/http/client.ts';
import { ARTIFACT_LIMITS, download, downloadBytes, SMALL_FILE_LIMITS } from '../observe/http/download.ts';
import { diskError } from '../store/directory/disk-error.ts';
import { syncFile } from '../store/directory/sync-file.ts';
import { tempName } from '../store/directory/owner.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { readChunks } from '../platform/read-chunks.ts';

/** Downloads to a file or to memory, with the digest computed while streaming. */

/** A failed download: its code, and a message to follow the URL. */
export interface Failed {
  code: string;
  message: string;
}

/**
 * Downloads an artifact; it is moved to `path` atomically, and only if its digest is the listed one.
 * @param digest 64 lowercase hexadecimal digits
 * @returns its size in bytes, or the failure
 */
export async function downloadArtifact(
  http: HttpClient,
  url: string,
  digest: string,
  path: string,
  onBytes: (count: number) => void,
): Promise<number | Failed> {
  await makeFolder(dirname(path));
  const part = join(dirname(path), tempName(basename(path)));
  const file = await open(part, 'wx').catch((error: unknown) => {
    throw diskError(error, part);
  });
  let digester = createDigester(ARTIFACT_LIMITS.bytes);
  try {
    const probe = await download(http, { url, accept: '*/*', limits: ARTIFACT_LIMITS }, () => {
      digester = createDigester(ARTIFACT_LIMITS.bytes);
      let at = 0;
      return {
        async write(chunk) {
          onBytes(chunk.length);
          digester.write(chunk);
          // A retry overwrites the file from the start; excess bytes of the first attempt are truncated at the end.
          for (let done = 0; done < chunk.length;) {
            const { bytesWritten } = await file.write(chunk, done, chunk.length - done, at);
            done += bytesWritten;
            at += bytesWritten;
          }
        },
      };
    });
    if (!isAnswered(probe)) return downloadFailure(probe);
    const content = digester.end();
    if (content.sha256 !== digest)
      return {
        code: 'artifact-checksum-mismatch',
        message: `serves sha256:${content.sha256}, but sha256:${digest} is listed`,
      };
    await file.truncate(content.bytes);
    await syncFile(file);
    await rename(part, path);
    return content.bytes;
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}

/** A document or an icon. */
export async function downloadSmall(http: HttpClient, url: string, accept: string): Promise<Buffer | Failed> {
  const { probe, bytes } = await downloadBytes(http, { url, accept, limits: SMALL_FILE_LIMITS });
  return isAnswered(probe) ? bytes : downloadFailure(probe);
}

export function isFailed(result: unknown): result is Failed {
  return typeof result === 'object' && result !== null && 'code' in result && 'message' in result;
}

/** SHA-256 of a local file; null if missing. */
export async function digestOfFile(path: string): Promise<{ sha256: string; bytes: number } | null> {
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile()) return null;
  const digester = createDigester(Infinity);
  for await (const chunk of readChunks(path)) digester.write(chunk);
  const { sha256, bytes } = digester.end();
  return { sha256, bytes };
}

function downloadFailure(probe: Probe): Failed {
  const { failure } = probe;
  if (machineLimitOf(failure) !== null && failure)
    throw new AppregError(
      'too-many-open-files',
      `Cannot request ${printable(redact(failure.url))}: ${failure.message}.`,
      MACHINE_LIMIT_ADVICE,
      {
        effect: 'unknown',
      },
    );
  if (failure) return { code: failure.code, message: `cannot be fetched: ${failure.message}` };
  return { code: `status-${statusOf(probe)}`, message: `responds with status ${statusOf(probe)}` };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { safeExcerpt } from '../core/text/text.ts';
import type { NewVersion } from '../author/metadata.ts';
import type { Probe } from '../core/facts/facts.ts';
import { AppregError } from '../core/errors.ts';
import { isAnswered } from '../core/http/probe.ts';
import { untilStopped } from '../store/interrupt.ts';
import type { Context } from './context.ts';
import { describeOutcome, fetchBytes, unlikeArtifact } from './fetch.ts';
import { networkOf } from './config/network.ts';

/** Seconds until a stored file must be served, by the type of the store: page hosts build the site first. */
export const READ_BACK_SECONDS = { directory: null, s3: 30, git: 600 };

/**
 * Fetches a new artifact from its public URL after it is stored and before it is listed. A host behind a store may need
 * time to serve what was stored; a folder is usually uploaded later.
 * @param timeout seconds until it must be served; null for a folder: then a missing artifact is only a remark
 * @throws AppregError (exit 1) if other bytes are served, or none before the deadline
 */
export async function readBack({ terminal, env }: Context, entry: NewVersion, timeout: number | null): Promise<void> {
  const progress = terminal.progress(`Requesting ${safeExcerpt(entry.artifactUrl)}`);
  const end = Date.now() + (timeout ?? 0) * 1000;
  try {
    for (let attempt = 0; ; attempt++) {
      const found = await untilStopped(fetchOnce(entry, attempt, env));
      if (found === null) return;
      const left = end - Date.now();
      if (left > 0 && !found.unreachable) {
        progress.update(`${safeExcerpt(entry.artifactUrl)} ${found.message}; waiting ${Math.ceil(left / 1000)} s more`);
        await untilStopped(sleep(Math.min(left, 500 * 2 ** Math.min(attempt, 4))));
        continue;
      }
      if (found.servedChecksum) throw mismatch(entry, found.servedChecksum);
      if (timeout !== null && !found.unreachable) throw notServedError(entry, found.message, timeout);
      const outcome = timeout === null ? 'Not served yet' : 'Not read back';
      terminal.log(`${outcome}: ${safeExcerpt(entry.artifactUrl)} ${found.message}`);
      return;
    }
  } finally {
    progress.stop();
  }
}

interface ReadBackFailure {
  message: string;
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
  const { probe, content } = await fetchBytes(uniqueUrl, () => {}, options);
  const problem = isAnswered(probe) ? unlikeArtifact(content.head) : describeOutcome(probe);
  if (problem !== null) return { message: problem, servedChecksum: null, unreachable: isUnreachable(probe) };
  const served = `sha256:${content.sha256}`;
  if (served === checksum) return null;
  return { message: 'serves different bytes', servedChecksum: served, unreachable: false };
}

function isUnreachable({ failure }: Probe): boolean {
  return failure !== null && ['dns', 'connect', 'tls'].includes(failure.phase);
}

function mismatch({ artifactUrl, artifactChecksum }: NewVersion, served: string): AppregError {
  return new AppregError(
    'read-back-mismatch',
    `${safeExcerpt(artifactUrl)} serves different bytes: their checksum is ${served}, yours is ${artifactChecksum}.`,
    'If another artifact was published at this URL, publish your bytes as a new version. If the host changes the bytes (Content-Encoding), fix the host first.',
  );
}

function notServedError({ artifactUrl }: NewVersion, message: string, timeout: number): AppregError {
  return new AppregError(
    'read-back-missing',
    `The artifact is stored, but after ${timeout} s ${safeExcerpt(artifactUrl)} still ${message}. The version is not listed yet, so subscribers are not affected.`,
    'Check baseUrl, and that the stored files are public; then run the same command again. --read-back-timeout <s> waits longer; --no-read-back lists the version without this check.',
    { advisesRepeat: true },
  );
}

import { message, safe } from '../core/text/message.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { safeExcerpt } from '../core/text/text.ts';
import type { NewVersion } from '../author/metadata.ts';
import type { Probe } from '../core/facts/facts.ts';
import { AppregError } from '../core/errors.ts';
import { isAnswered } from '../core/http/probe.ts';
import { untilStopped } from '../store/interrupt.ts';
import type { Context } from './context.ts';
import { type FetchFault, fetchBytes, refuseMachineLimit, whyNoArtifact } from './download.ts';
import { networkOf } from '../observe/http/proxy.ts';

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
  const fault = whyNoArtifact(fetched);
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

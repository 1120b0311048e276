import type { Judging } from '../../../core/engine/judge.ts';
import type { HttpClient } from '../../../observe/http/client.ts';
import type { Settings } from '../../config/settings.ts';
import { type ExpiryProbe, openExpiryProbe } from './expiry-probe.ts';
import { openRecordingClient, isUnchanged, type RecordingClient } from './recording-client.ts';
import { judgementKey, unchangedTokenIn, type UnchangedToken } from './unchanged-token.ts';
import { mapLimit } from '../../../observe/registry/concurrency.ts';
import { responseFingerprint } from './response-fingerprint.ts';

/**
 * Skips observing and judging a registry of which nothing changed. A refresh stores the conditional requests that
 * confirm its outcome; the next one sends only these, and starts over if any response differs.
 */
export interface UnchangedCheck {
  /** Sends the requests of the refresh; responses of a failed revalidation are reused. */
  http: HttpClient;
  /** @returns the number of documents if all are unchanged, so that the last outcome is still valid; or null */
  revalidate(limits: RevalidationLimits): Promise<number | null>;
  /**
   * Receives what is judged, and determines the token for the next refresh.
   * @param judgingAt judges as of a given time (ISO 8601)
   */
  openExpiryProbe(judgingAt: (moment: string) => Judging): ExpiryProbe;
}

/**
 * @param storedToken of the last refresh, or null
 * @param now milliseconds since 1970
 */
export function openUnchangedCheck(
  http: HttpClient,
  storedToken: string | null,
  settings: Settings,
  now: number,
): UnchangedCheck {
  const client = openRecordingClient(http);
  const judgedBy = judgementKey(settings);
  const token = unchangedTokenIn(storedToken, judgedBy, now);
  return {
    http: client.http,
    async revalidate(limits) {
      return token !== null && (await isStillUnchanged(token, client, limits, now)) ? token.requests.length : null;
    },
    openExpiryProbe(judgingAt) {
      const timeDependentToken = token?.requests.length === 0 ? storedToken : null;
      return openExpiryProbe({ client, judgingAt, now, judgedBy, timeDependentToken });
    },
  };
}

/** Revalidates everything that a registry's last outcome depends on. */

/** Documents per connection: a small registry uses a single one. */
const DOCUMENTS_PER_CONNECTION = 8;

interface RevalidationLimits {
  connections: number;
  /** Milliseconds per document. */
  documentTimeout: number;
  /** Maximum bytes of the manifest, and of other documents. */
  bytes: { manifest: number; metadata: number };
  /** Whether no more requests may be sent. */
  isOver(): boolean;
}

/**
 * Revalidates the documents of a token, and stops at the first different response. The responses so far are reused by
 * the refresh that follows.
 * @param now milliseconds since 1970
 * @returns whether each response was the expected one; false if the token has no requests
 */
async function isStillUnchanged(
  { requests, fingerprints, accept }: UnchangedToken,
  client: RecordingClient,
  { connections, documentTimeout, bytes, isOver }: RevalidationLimits,
  now: number,
): Promise<boolean> {
  const [manifest, ...documents] = requests;
  if (manifest === undefined) return false;
  let isSame = true;

  async function revalidate([url, name, value, index]: UnchangedToken['requests'][number], limit: number) {
    if (isOver()) isSame = false;
    if (!isSame) return;
    const probe = await client.prefetch({
      method: 'GET',
      url,
      origin: null,
      accept,
      headers: [[name, value]],
      total: documentTimeout,
      body: () => ({ limit, over: 'cut', write: () => {} }),
    });
    if (!isUnchanged(probe) || responseFingerprint(probe, value, now) !== fingerprints[index]) isSame = false;
  }

  await revalidate(manifest, bytes.manifest);
  const concurrency = Math.min(connections, Math.ceil(documents.length / DOCUMENTS_PER_CONNECTION));
  await mapLimit(documents, (document) => revalidate(document, bytes.metadata), concurrency);
  return isSame;
}

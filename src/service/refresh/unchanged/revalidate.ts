import { mapLimit } from '../../../observe/registry/concurrency.ts';
import { isUnchanged, type RecordingClient } from './recording-client.ts';
import { responseFingerprint } from './response-fingerprint.ts';
import type { UnchangedToken } from './unchanged-token.ts';

/** Revalidates everything that a registry's last outcome depends on. */

/** Documents per connection: a small registry uses a single one. */
const DOCUMENTS_PER_CONNECTION = 8;

export interface RevalidationLimits {
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
export async function isStillUnchanged(
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

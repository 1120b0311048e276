import { type RecordingClient, isUnchanged } from './recording-client.ts';
import { responseFingerprint } from './response-fingerprint.ts';
import type { UnchangedToken } from './unchanged-token.ts';
import { mapLimit } from '../../../observe/registry/concurrency.ts';

/** Revalidates everything that a registry's last outcome depends on. */

/** Documents per connection: a small registry uses a single one. */
const OF_A_CONNECTION = 8;

export interface RevalidationContext {
  /** Maximum connections. */
  connections: number;
  /** Milliseconds per document. */
  total: number;
  /** Maximum bytes of the manifest, and of other documents. */
  limits: { manifest: number; metadata: number };
  /** Whether no more requests may be sent. */
  ended(): boolean;
}

/**
 * Revalidates the documents that `standing` lists, and stops at the first different response. The responses so far are
 * reused by the refresh that follows.
 * @param now milliseconds since 1970
 */
export async function isStillUnchanged(
  standing: UnchangedToken,
  asked: RecordingClient,
  { connections, total, limits, ended }: RevalidationContext,
  now: number,
): Promise<boolean> {
  const { questions, essences, accept } = standing;
  let still = true;

  async function ask([url, name, value, essence]: UnchangedToken['questions'][number], limit: number): Promise<void> {
    if (!still || ended()) return void (still = false);
    const visit = await asked.ahead({
      method: 'GET',
      url,
      origin: null,
      accept,
      headers: [[name, value]],
      total,
      body: () => ({ limit, over: 'cut', write: () => {} }),
    });
    if (!isUnchanged(visit) || responseFingerprint(visit, value, now) !== essences[essence]) still = false;
  }

  const [manifest, ...documents] = questions;
  await ask(manifest!, limits.manifest);
  const lanes = Math.min(connections, Math.ceil(documents.length / OF_A_CONNECTION));
  await mapLimit(documents, (one) => ask(one, limits.metadata), lanes);
  return still;
}

import { type RecordingClient, isUnchanged } from './recording-client.ts';
import { responseFingerprint } from './response-fingerprint.ts';
import type { UnchangedToken } from './unchanged-token.ts';
import { mapLimit } from '../../observe/registry/concurrency.ts';

/** Asking whether all that a registry's last outcome goes by is as it was. */

/** Documents for one connection: a registry of few is asked over a single one. */
const OF_A_CONNECTION = 8;

export interface RevalidationContext {
  /** Connections at most. */
  connections: number;
  /** Milliseconds for each document. */
  total: number;
  /** Bytes of the manifest, and of the others. */
  limits: { manifest: number; metadata: number };
  /** Where nothing more is to be asked. */
  ended(): boolean;
}

/**
 * Asks what `standing` names, and stops where something was answered otherwise. What was answered by then is kept for the
 * look that follows.
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

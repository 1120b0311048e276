import { type Asked, isUnchanged } from './asked.ts';
import { essenceOf } from './essence.ts';
import type { Standing } from './standing.ts';
import { bounded } from '../../observe/web-queue.ts';

/** Asking whether all that a registry's last outcome goes by is as it was. */

/** Documents for one connection: a registry of few is asked over a single one. */
const OF_A_CONNECTION = 8;

export interface AskingAgain {
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
export async function standsStill(
  standing: Standing,
  asked: Asked,
  { connections, total, limits, ended }: AskingAgain,
  now: number,
): Promise<boolean> {
  const { questions, essences, accept } = standing;
  let still = true;

  async function ask([url, name, value, essence]: Standing['questions'][number], limit: number): Promise<void> {
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
    if (!isUnchanged(visit) || essenceOf(visit, value, now) !== essences[essence]) still = false;
  }

  const [manifest, ...documents] = questions;
  await ask(manifest!, limits.manifest);
  const lanes = Math.min(connections, Math.ceil(documents.length / OF_A_CONNECTION));
  await bounded(documents, (one) => ask(one, limits.metadata), lanes);
  return still;
}

import type { NewVersion } from '../author/metadata.ts';
import { Trouble } from '../core/trouble.ts';
import { isAnswered } from '../core/visit.ts';
import type { Context } from './context.ts';
import { answer, fetchBytes, named, suspicion } from './fetch.ts';
import { networkOf } from './network.ts';

/**
 * Asks for a new artifact at its public address, once it is stored and before it is listed. A folder is usually
 * uploaded later, so an address that does not serve it yet is only a remark.
 * @throws Trouble (exit 1) when another archive is served there
 */
export async function readBack({ terminal, env }: Context, entry: NewVersion): Promise<void> {
  const { artifactUrl: url, artifactChecksum: checksum } = entry;
  const progress = terminal.progress(`Asking for ${named(url)}`);
  // A query of its own keeps a "not found" for the real address out of the host's caches.
  const asked = `${url}?read-back=${checksum.slice(7, 23)}`;
  const options = { ...networkOf(env), retries: 0, connectTimeout: 4000, headersTimeout: 8000, idleTimeout: 8000 };
  const { visit, content } = await fetchBytes(asked, () => {}, options).finally(() => progress.stop());
  const odd = isAnswered(visit) ? suspicion(content.head) : answer(visit);
  if (odd !== null) {
    terminal.log(`Not served yet: ${named(url)} ${odd}`);
    return;
  }
  const served = `sha256:${content.sha256}`;
  if (served === checksum) return;
  throw new Trouble(
    'read-back-mismatch',
    `${named(url)} serves other bytes: ${served} there, ${checksum} is what you publish.`,
    'Another artifact was published at this address. Publish under another version; or, if the host changes what it serves (its Content-Encoding), mend that first.',
    { exit: 1 },
  );
}

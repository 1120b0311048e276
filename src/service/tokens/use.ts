import type { Log } from '../log.ts';
import type { Db } from '../database/database.ts';
import { type Identity, writeTokenUse } from './store.ts';
import { errorMessage } from '../error-fields.ts';

/** Records the use of a token. If the database cannot be written, the request continues. */
export async function recordTokenUse(db: Db, log: Log, { token, isUseStale }: Identity): Promise<void> {
  if (!isUseStale) return;
  await writeTokenUse(db, token.id).catch((error: unknown) =>
    log('warn', 'token-use-not-recorded', { error: errorMessage(error) }),
  );
}

import type { Log } from '../log.ts';
import type { Db } from '../storage/database.ts';
import { type Identity, writeTokenUse } from '../storage/tokens.ts';
import { errorMessage } from '../error-fields.ts';

/** Notes that the token of a request is in use. A database that cannot write it, still reads. */
export async function recordTokenUse(db: Db, log: Log, { token, isUseStale }: Identity): Promise<void> {
  if (!isUseStale) return;
  await writeTokenUse(db, token.id).catch((error: unknown) =>
    log('warn', 'token-use-not-noted', { error: errorMessage(error) }),
  );
}

import type { Log } from '../log.ts';
import type { Db } from '../storage/database.ts';
import { type Identity, noteTokenUse } from '../storage/tokens.ts';
import { errorMessage } from '../error-fields.ts';

/** Notes that the token of a request is in use. A database that cannot write it, still reads. */
export async function noteUse(db: Db, log: Log, { token, useIsStale }: Identity): Promise<void> {
  if (!useIsStale) return;
  await noteTokenUse(db, token.id).catch((error: unknown) =>
    log('warn', 'token-use-not-noted', { error: errorMessage(error) }),
  );
}

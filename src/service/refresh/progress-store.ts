import type { CheckProgress } from '../views.ts';
import type { Db } from '../database/database.ts';
import type { RegistryClaim } from './claim-store.ts';

/** Stores how far a refresh has got, unless another one has taken over the registry. Its end removes it. */
export async function writeProgress(
  db: Db,
  { id, refreshNumber }: RegistryClaim,
  progress: CheckProgress,
): Promise<void> {
  await db
    .updateTable('registries')
    .set({ progress: JSON.stringify(progress) })
    .where('id', '=', id)
    .where('refreshNumber', '=', refreshNumber)
    .execute();
}

import { AppregError } from '../../core/errors.ts';
import type { Service } from '../context.ts';
import { countSealedWithOthers, resealCredentials } from '../storage/registry-credentials.ts';

/**
 * Checks at the start that the credentials of all registries can be opened, and seals those with SECRETS_KEY that
 * SECRETS_KEY_OLD sealed.
 * @throws AppregError `secrets-key-missing`, `secrets-key-wrong`
 */
export async function checkSecretsKeys({ db, settings, log }: Pick<Service, 'db' | 'settings' | 'log'>): Promise<void> {
  const { secretsKeys } = settings;
  const locked = await countSealedWithOthers(db, secretsKeys);
  if (locked > 0) throw secretsKeys.length === 0 ? keyMissing(locked) : keyWrong(locked);
  const resealed = await resealCredentials(db, secretsKeys);
  if (resealed > 0) log('info', 'credentials-resealed', { registries: resealed });
}

function keyMissing(registries: number): AppregError {
  return new AppregError(
    'secrets-key-missing',
    `The database has credentials of ${registries} ${registries === 1 ? 'registry' : 'registries'}, and SECRETS_KEY is not set.`,
    'Set SECRETS_KEY to the key that sealed them.',
  );
}

function keyWrong(registries: number): AppregError {
  return new AppregError(
    'secrets-key-wrong',
    `The credentials of ${registries} ${registries === 1 ? 'registry' : 'registries'} were sealed with another SECRETS_KEY.`,
    'Set SECRETS_KEY to the key that sealed them; to change the key, set SECRETS_KEY_OLD to the previous one.',
  );
}

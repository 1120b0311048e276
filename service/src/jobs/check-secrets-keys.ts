import { AppregError, counted, message } from 'appreg';
import { type Service } from '../context.ts';
import { countCredentialsOfOtherKeys, resealCredentials } from '../db/credentials.ts';
import { countWebhookSecretsOfOtherKeys, resealWebhookSecrets } from '../db/webhooks.ts';

/**
 * Checks at the start that the credentials of all registries and the secrets of all webhooks can be opened, and seals
 * those with SECRETS_KEY that SECRETS_KEY_OLD sealed.
 * @throws AppregError `secrets-key-missing`, `secrets-key-wrong`
 */
export async function checkSecretsKeys({ db, settings, log }: Pick<Service, 'db' | 'settings' | 'log'>): Promise<void> {
  const { secretsKeys } = settings;
  const registries = await countCredentialsOfOtherKeys(db, secretsKeys);
  const webhooks = await countWebhookSecretsOfOtherKeys(db, secretsKeys);
  if (registries + webhooks > 0) {
    const locked = lockedSecrets(registries, webhooks);
    throw secretsKeys.length === 0 ? keyMissing(locked) : keyWrong(locked);
  }
  const resealed = {
    registries: await resealCredentials(db, secretsKeys),
    webhooks: await resealWebhookSecrets(db, secretsKeys),
  };
  if (resealed.registries + resealed.webhooks > 0) log('info', 'secrets-resealed', resealed);
}

function lockedSecrets(registries: number, webhooks: number): string {
  const names = [
    ...(registries > 0 ? [`credentials of ${counted(registries, 'registry', 'registries')}`] : []),
    ...(webhooks > 0 ? [`secrets of ${counted(webhooks, 'webhook')}`] : []),
  ];
  return names.join(' and ');
}

function keyMissing(locked: string): AppregError {
  return new AppregError(
    'secrets-key-missing',
    message`The database contains encrypted ${locked}, but SECRETS_KEY is not set.`,
    message`Set SECRETS_KEY to the key that they were encrypted with.`,
  );
}

function keyWrong(locked: string): AppregError {
  return new AppregError(
    'secrets-key-wrong',
    message`The database contains ${locked} that were encrypted with another SECRETS_KEY.`,
    message`Set SECRETS_KEY to the key that they were encrypted with. To change the key, set SECRETS_KEY_OLD to the previous one.`,
  );
}

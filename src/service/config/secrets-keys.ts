import { message } from '../../core/text/message.ts';
import { secretsKeyIn, type SecretsKeys } from '../secrets-keys.ts';
import { invalidSetting } from './invalid-setting.ts';
import { secretSetting } from './secret-setting.ts';

/**
 * SECRETS_KEY seals; SECRETS_KEY_OLD also opens what it sealed before.
 * @param cwd the base of a relative path of their files
 * @throws AppregError `setting-invalid`, `secret-file-unusable`
 */
export function secretsKeys(env: Record<string, string | undefined>, cwd: string): SecretsKeys {
  const current = secretSetting(env, 'SECRETS_KEY', cwd);
  const old = secretSetting(env, 'SECRETS_KEY_OLD', cwd);
  if (current === null && old !== null)
    throw invalidSetting(
      message`SECRETS_KEY_OLD is set without SECRETS_KEY.`,
      message`Set SECRETS_KEY to the new key.`,
    );
  return [
    ...(current === null ? [] : [keyIn('SECRETS_KEY', current)]),
    ...(old === null ? [] : [keyIn('SECRETS_KEY_OLD', old)]),
  ];
}

function keyIn(name: string, text: string): SecretsKeys[number] {
  const key = secretsKeyIn(text);
  if (key !== null) return key;
  // The value is a secret, so it is not quoted.
  throw invalidSetting(
    message`${name} is not a key of 32 bytes in base64.`,
    message`Create one with: openssl rand -base64 32`,
  );
}

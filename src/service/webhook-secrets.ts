import { randomBytes } from 'node:crypto';
import { open, seal, type SecretsKeys } from './secrets-keys.ts';

/** The secrets that webhooks are signed with (Standard Webhooks: `whsec_` and base64). */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A secret as it is stored. */
export interface StoredWebhookSecret {
  /** The key that it is sealed with; null if it is not sealed, since there was no SECRETS_KEY. */
  keyId: string | null;
  secret: Buffer;
}

export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The bytes that sign. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

/** @param id of the webhook: the secret can only be opened for it */
export function sealWebhookSecret(keys: SecretsKeys, secret: string, id: string): StoredWebhookSecret {
  if (keys.length === 0) return { keyId: null, secret: Buffer.from(secret) };
  const { keyId, sealed } = seal(keys, secret, sealContext(id));
  return { keyId, secret: sealed };
}

/** @returns null if none of the keys opens it */
export function openWebhookSecret(
  keys: SecretsKeys,
  { keyId, secret }: StoredWebhookSecret,
  id: string,
): string | null {
  if (keyId === null) return secret.toString();
  const opened = open(keys, { keyId, sealed: secret }, sealContext(id));
  return 'secret' in opened ? opened.secret : null;
}

function sealContext(id: string): string {
  return JSON.stringify(['webhook-secret', id]);
}

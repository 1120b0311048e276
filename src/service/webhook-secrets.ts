import { randomBytes } from 'node:crypto';

/** The secrets that webhooks are signed with (Standard Webhooks: `whsec_` and base64). */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A secret as it is stored. */
export interface StoredWebhookSecret {
  /** The key that it is sealed with; null if it is not sealed. */
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

export function sealWebhookSecret(secret: string): StoredWebhookSecret {
  return { keyId: null, secret: Buffer.from(secret) };
}

/** @returns null if the key that it is sealed with is missing */
export function openWebhookSecret({ secret }: StoredWebhookSecret): string | null {
  return secret.toString();
}

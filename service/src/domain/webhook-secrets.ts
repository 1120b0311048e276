import { randomBytes } from 'node:crypto';
import { type SecretsKeys, seal, open } from '../config/secrets-keys.ts';

/** The secrets that webhooks are signed with (Standard Webhooks: `whsec_` and base64). */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Time for which deliveries are signed with a replaced secret as well, in milliseconds. */
const OVERLAP = 24 * 3_600_000;
/** Replaced secrets that sign at most: each makes the header of a delivery longer. */
const MAX_REPLACED = 3;

/**
 * The secret of a webhook as it is stored, sealed or not: a text with the present secret and replaced ones, each of these
 * with the time until which it signs.
 */
export interface StoredWebhookSecret {
  /** The key that it is sealed with; null if it is not sealed, since there was no SECRETS_KEY. */
  keyId: string | null;
  secret: Buffer;
}

export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The text to store once a secret is replaced. @param stored the text of before; null if it cannot be read */
export function withNewSecret(stored: string | null, secret: string, now: Date): string {
  const [replaced, ...earlier] = stored?.split(' ') ?? [];
  const last = replaced === undefined ? [] : [`${replaced}:${now.getTime() + OVERLAP}`];
  const kept = [...last, ...earlier.filter((one) => endOf(one) > now.getTime())];
  return [secret, ...kept.slice(0, MAX_REPLACED)].join(' ');
}

/** The secrets in a stored text that sign at a time, the present one first. */
export function signingSecrets(stored: string, now: Date): string[] {
  const [present = '', ...replaced] = stored.split(' ');
  const signing = replaced.filter((one) => endOf(one) > now.getTime());
  return [present, ...signing.map((one) => one.slice(0, one.indexOf(':')))];
}

function endOf(replaced: string): number {
  return Number(replaced.slice(replaced.indexOf(':') + 1));
}

/** The bytes that sign. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

/** @param id of the webhook: the secret can only be opened for it */
export function sealWebhookSecret(keys: SecretsKeys, text: string, id: string): StoredWebhookSecret {
  if (keys.length === 0) return { keyId: null, secret: Buffer.from(text) };
  const { keyId, sealed } = seal(keys, text, sealContext('webhook-secret', id));
  return { keyId, secret: sealed };
}

/** @returns the stored text; null if none of the keys opens it */
export function openWebhookSecret(
  keys: SecretsKeys,
  { keyId, secret }: StoredWebhookSecret,
  id: string,
): string | null {
  if (keyId === null) return secret.toString();
  const opened = open(keys, { keyId, sealed: secret }, sealContext('webhook-secret', id));
  return 'secret' in opened ? opened.secret : null;
}

/**
 * The URLs of webhooks. Those of many receivers are secrets, since their paths authorize (Slack, Discord, Teams): they are
 * sealed in the database if there is a SECRETS_KEY, and masked in the audit log, the log and events.
 */

/** The URL of a webhook as it is stored. */
export interface StoredWebhookUrl {
  /** Masked if it is sealed. */
  url: string;
  /** The key that `sealedUrl` is sealed with; both are null without SECRETS_KEY. */
  urlKeyId: string | null;
  sealedUrl: Buffer | null;
}

/** `https://hooks.example.com/…`: what identifies the receiver, without what may authorize. */
export function maskedWebhookUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`;
}

/** @param id of the webhook: the URL can only be opened for it */
export function sealWebhookUrl(keys: SecretsKeys, url: string, id: string): StoredWebhookUrl {
  if (keys.length === 0) return { url, urlKeyId: null, sealedUrl: null };
  const { keyId, sealed } = seal(keys, url, sealContext('webhook-url', id));
  return { url: maskedWebhookUrl(url), urlKeyId: keyId, sealedUrl: sealed };
}

/** @returns the URL; null if none of the keys opens it */
export function openWebhookUrl(
  keys: SecretsKeys,
  { url, urlKeyId, sealedUrl }: StoredWebhookUrl,
  id: string,
): string | null {
  if (urlKeyId === null || sealedUrl === null) return url;
  const opened = open(keys, { keyId: urlKeyId, sealed: sealedUrl }, sealContext('webhook-url', id));
  return 'secret' in opened ? opened.secret : null;
}

function sealContext(of: 'webhook-secret' | 'webhook-url', id: string): string {
  return JSON.stringify([of, id]);
}

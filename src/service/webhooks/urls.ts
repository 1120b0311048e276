import { open, seal, type SecretsKeys } from '../secrets-keys.ts';

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
  const { keyId, sealed } = seal(keys, url, sealContext(id));
  return { url: maskedWebhookUrl(url), urlKeyId: keyId, sealedUrl: sealed };
}

/** @returns the URL; null if none of the keys opens it */
export function openWebhookUrl(
  keys: SecretsKeys,
  { url, urlKeyId, sealedUrl }: StoredWebhookUrl,
  id: string,
): string | null {
  if (urlKeyId === null || sealedUrl === null) return url;
  const opened = open(keys, { keyId: urlKeyId, sealed: sealedUrl }, sealContext(id));
  return 'secret' in opened ? opened.secret : null;
}

function sealContext(id: string): string {
  return JSON.stringify(['webhook-url', id]);
}

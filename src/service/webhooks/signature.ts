import { createHmac } from 'node:crypto';
import { signingKey } from './secrets.ts';

/**
 * The headers of a delivery (Standard Webhooks).
 * @param secrets each signs it: a receiver may not have a new one yet
 * @param at when it is sent: receivers refuse old signatures
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) =>
    createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'),
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}

import { createHmac } from 'node:crypto';
import { signingKey } from '../webhook-secrets.ts';

/** The headers of a delivery (Standard Webhooks). @param at when it is sent: receivers refuse old signatures */
export function signatureHeaders(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

import { isIP } from 'node:net';
import { INSECURE_REFUSED, PORT_REFUSED } from '../../core/http/failure-rule.ts';
import { type AddressPolicy, targetOf } from '../../observe/http/address-policy.ts';
import { LONGEST_URL, parseTypedUrl, type TypedUrlFault } from '../http/typed-url.ts';

/** The URL of a webhook, as typed by a user. */

const FAULTS: Record<TypedUrlFault, string> = {
  'too-long': `is longer than ${LONGEST_URL} characters.`,
  'not-a-url': 'is not the full URL of a receiver, such as https://hooks.example.com/appreg.',
  'user-info': 'contains a user name or a password. Receivers authenticate the service by its signature.',
};

/**
 * The normalized URL; or why it cannot be used, worded to follow “The URL”.
 * @param guard what is never requested: names are looked up, and checked, whenever an event is sent
 */
export function parseWebhookUrl(
  text: string,
  guard: AddressPolicy | null | undefined,
): { url: string } | { fault: string } {
  const parsed = parseTypedUrl(text);
  if ('fault' in parsed) return { fault: FAULTS[parsed.fault] };
  const { url } = parsed;
  const target = targetOf(url);
  const refused = guard?.(target, isIP(target.host) ? target.host : null) ?? null;
  if (refused === INSECURE_REFUSED)
    return { fault: 'is not https. This service sends events unencrypted only to hosts that its operator allows.' };
  if (refused === PORT_REFUSED)
    return { fault: `has the port ${target.port}. This service sends events only to the default port.` };
  if (refused !== null) return { fault: 'has an address that this service does not send requests to.' };
  return { url: url.href };
}

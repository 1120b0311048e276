import { isIP } from 'node:net';
import { INSECURE_REFUSED, PORT_REFUSED } from '../../core/http/failure-rule.ts';
import { parseUrl } from '../../core/http/url.ts';
import { type AddressPolicy, targetOf } from '../../observe/http/address-policy.ts';

/** The URL of a webhook, as typed by a user. */

const LONGEST = 2048;

/**
 * The normalized URL; or why it cannot be used, worded to follow “The URL”.
 * @param guard what is never requested: names are looked up, and checked, whenever an event is sent
 */
export function parseWebhookUrl(
  text: string,
  guard: AddressPolicy | null | undefined,
): { url: string } | { fault: string } {
  const typed = text.trim();
  if (typed.length > LONGEST) return { fault: `is longer than ${LONGEST} characters.` };
  const parsed = parseUrl(typed);
  if (!parsed || !/^https?:\/\//i.test(typed))
    return { fault: 'is not the full URL of a receiver, such as https://hooks.example.com/appreg.' };
  if (parsed.username !== '' || parsed.password !== '')
    return { fault: 'contains a user name or a password. Receivers recognize the service by its signature.' };
  parsed.hash = '';
  const target = targetOf(parsed);
  const refused = guard?.(target, isIP(target.host) ? target.host : null) ?? null;
  if (refused === INSECURE_REFUSED)
    return { fault: 'is not https. This service sends events unencrypted only to hosts that its operator allows.' };
  if (refused === PORT_REFUSED)
    return { fault: `has the port ${target.port}. This service sends events only to the default port.` };
  if (refused !== null) return { fault: 'has an address that this service sends nothing to.' };
  return { url: parsed.href };
}

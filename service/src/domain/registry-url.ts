import { INSECURE_REFUSED, parseUrl, PORT_REFUSED } from 'appreg';
import { type AddressPolicy, targetOf } from 'appreg/node';
import { parseTypedUrl, type TypedUrlFault, LONGEST_URL } from './fields.ts';

/** The URL of a registry, as typed by a user. */

/**
 * The normalized URL of a registry: the same manifest has one row. The query is kept, since it may be a signature; so
 * the URL must not be logged.
 * @param guard returns what is never requested, checked before any name lookup @returns an error message for the user
 * if the URL is invalid
 */
export function parseRegistryUrl(
  text: string,
  guard: AddressPolicy | null | undefined,
): { url: string } | { fault: string } {
  const parsed = parseTypedUrl(text);
  if ('fault' in parsed) return { fault: faultMessage(parsed.fault, text.trim()) };
  const { url } = parsed;
  url.hostname = url.hostname.replace(/\.$/, '');
  const target = targetOf(url);
  const refused = guard?.(target, null) ?? null;
  if (refused === INSECURE_REFUSED)
    return {
      fault:
        'The URL is not https. This service sends unencrypted requests only to hosts that its operator allows (--allow-host).',
    };
  if (refused === PORT_REFUSED)
    return { fault: `The URL has the port ${target.port}. This service sends requests only to the default port.` };
  return { url: url.href };
}

function faultMessage(fault: TypedUrlFault, typed: string): string {
  switch (fault) {
    case 'too-long':
      return `The URL is longer than ${LONGEST_URL} characters.`;
    case 'not-a-url':
      return notUrlMessage(typed);
    case 'user-info':
      return 'The URL contains a user name or a password. Remove them from the URL, and give them as credentials.';
  }
}

function notUrlMessage(typed: string): string {
  const likely = `https://${typed.replace(/^\/+/, '')}`;
  const isHost = /^(?:[\w-]+\.)+(?!json$)[a-z]{2,}(?::\d+)?(?:\/\S*)?$/i.test(typed) && parseUrl(likely) !== null;
  return isHost
    ? `The URL has no scheme. Did you mean ${likely}?`
    : 'This is not the URL of a registry. Enter the full URL of its manifest, such as https://apps.example.com/registry.json';
}

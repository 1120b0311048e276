import { INSECURE_REFUSED, PORT_REFUSED } from '../../core/http/failure-rule.ts';
import { parseUrl } from '../../core/http/url.ts';
import { type AddressPolicy, targetOf } from '../../observe/http/address-policy.ts';

/** The URL of a registry, as typed by a user. */

const LONGEST = 2048;

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
  const typed = text.trim();
  if (typed.length > LONGEST) return { fault: `The URL is longer than ${LONGEST} characters.` };
  const parsed = parseUrl(typed);
  if (!parsed || !/^https?:\/\//i.test(typed)) return { fault: noUrl(typed) };
  if (parsed.username !== '' || parsed.password !== '')
    return { fault: 'The URL contains a user name or a password. Use a URL without them, or a signed one.' };
  parsed.hash = '';
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  if (parsed.href.length > LONGEST) return { fault: `The URL is longer than ${LONGEST} characters.` };
  const target = targetOf(parsed);
  const refused = guard?.(target, null) ?? null;
  if (refused === INSECURE_REFUSED)
    return {
      fault:
        'The URL is not https. This service requests other URLs only from hosts that its operator allows (--allow-host).',
    };
  if (refused === PORT_REFUSED)
    return { fault: `This service requests registries only at the default port, not at port ${target.port}.` };
  return { url: parsed.href };
}

function noUrl(typed: string): string {
  const likely = `https://${typed.replace(/^\/+/, '')}`;
  const isHost = /^(?:[\w-]+\.)+(?!json$)[a-z]{2,}(?::\d+)?(?:\/\S*)?$/i.test(typed) && parseUrl(likely) !== null;
  return isHost
    ? `The URL has no scheme. Did you mean ${likely}?`
    : 'This is not the URL of a registry. Enter the full URL of its manifest, such as https://apps.example.com/registry.json';
}

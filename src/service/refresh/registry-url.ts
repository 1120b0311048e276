import { parseUrl } from '../../core/http/url.ts';

import type { AddressPolicy } from '../../observe/http/address-policy.ts';
import { INSECURE_REFUSED, PORT_REFUSED } from '../../core/http/probe.ts';

/** The URL of a registry, as somebody typed it. */

const LONGEST = 2048;

/**
 * The URL in the one spelling that stands for its registry: the same manifest is one row. The query stays, since it may
 * be a signature; so it is nothing to be logged.
 * @param guard says what is not asked at all, before any name is looked up @returns words for whoever typed it where it is none
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
    return { fault: 'The URL holds a user name or a password. Give a URL that needs none, or a signed one.' };
  parsed.hash = '';
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  if (parsed.href.length > LONGEST) return { fault: `The URL is longer than ${LONGEST} characters.` };
  const secure = parsed.protocol === 'https:';
  const target = {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port) || (secure ? 443 : 80),
    secure,
  };
  const refused = guard?.(target, null) ?? null;
  if (refused === INSECURE_REFUSED)
    return {
      fault:
        'The URL is not https, and this service asks over https alone, but for hosts that its operator allows (--allow-host).',
    };
  if (refused === PORT_REFUSED)
    return { fault: `This service asks registries at the usual port alone, not at port ${target.port}.` };
  return { url: parsed.href };
}

function noUrl(typed: string): string {
  const likely = `https://${typed.replace(/^\/+/, '')}`;
  const isHost = /^(?:[\w-]+\.)+(?!json$)[a-z]{2,}(?::\d+)?(?:\/\S*)?$/i.test(typed) && parseUrl(likely) !== null;
  return isHost
    ? `The URL has no scheme. Did you mean ${likely}?`
    : 'That is no URL of a registry. Give the full address of its manifest, such as https://apps.example.com/registry.json';
}

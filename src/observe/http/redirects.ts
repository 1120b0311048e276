import { blockedPort } from '../../core/http/blocked-ports.ts';
import type { Failure, Hop } from '../../core/facts/facts.ts';
import { parseUrl } from '../../core/http/url.ts';
import { failureFact } from './failure.ts';
import type { HopResult } from './hop.ts';
import { isHttpUrl, urlWithoutFragment } from './request.ts';

/** Follows redirects, one request after the other. */

/** Redirects that are followed; further ones are not. */
const MAX_REDIRECTS = 5;

/** The exchanges along the redirects. */
export interface RedirectChain {
  hops: Hop[];
  /** The response, or the hop that failed (status 0). */
  last: Hop;
  failure: Failure | null;
  /** True if a host refused the last request temporarily, and fewer concurrent requests may help. */
  isCrowded: boolean;
}

/**
 * @param start the URL of the first request
 * @param follows false for a preflight, whose redirects are not allowed: its first response is final
 * @param request sends one request
 */
export async function followRedirects(
  start: string,
  follows: boolean,
  request: (url: URL, before: readonly Hop[]) => Promise<HopResult>,
): Promise<RedirectChain> {
  const hops: Hop[] = [];
  let url = urlWithoutFragment(start);
  for (;;) {
    const { hop, failure, location, isCrowded } = await request(url, hops);
    hops.push(hop);
    if (failure || location === undefined || !follows) return { hops, last: hop, failure, isCrowded };
    const next = nextUrl(location, url, hops);
    if (!(next instanceof URL)) return { hops, last: hop, failure: next, isCrowded };
    url = next;
  }
}

/** The URL to follow, or why it is not followed. */
function nextUrl(location: string | null, from: URL, hops: readonly Hop[]): URL | Failure {
  const fail = (code: string, message: string, url = from.href): Failure => failureFact('redirect', code, message, url);
  if (location === null) return fail('REDIRECT_NO_LOCATION', 'the redirect has no Location header');
  const next = parseUrl(location, from.href);
  if (!next) return fail('REDIRECT_BAD_LOCATION', 'the redirect leads to a URL that is not http(s)');
  const shown = withoutUserinfo(next);
  if (!isHttpUrl(next)) return fail('REDIRECT_BAD_LOCATION', 'the redirect leads to a URL that is not http(s)', shown);
  if (blockedPort(next.host) !== null)
    return fail('REDIRECT_BLOCKED_PORT', 'the redirect leads to a port that browsers block', shown);
  if (next.username !== '' || next.password !== '')
    return fail('REDIRECT_CREDENTIALS', 'the redirect leads to a URL with credentials', shown);
  const target = urlWithoutFragment(next.href);
  if (hops.some((hop) => hop.url === target.href))
    return fail('REDIRECT_LOOP', 'the redirect leads to a URL that was already requested', shown);
  return hops.length > MAX_REDIRECTS ? fail('REDIRECT_LIMIT', `more than ${MAX_REDIRECTS} redirects`, shown) : target;
}

function withoutUserinfo(url: URL): string {
  const copy = new URL(url.href);
  copy.username = '';
  copy.password = '';
  return copy.href;
}

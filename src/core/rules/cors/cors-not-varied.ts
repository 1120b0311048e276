import { isPage } from '../../http/copies.ts';
import { isAlternating } from '../../http/judged-headers.ts';
import { message } from '../../text/message.ts';
import { freshness } from '../../http/cache.ts';
import { corsEvidence, corsFault } from '../../http/cors.ts';
import { cacheControl, headerValue, varyNames } from '../../http/headers.ts';
import type { Hop } from '../../facts/facts.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, lastHop } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const corsNotVaried = defineRule({
  id: 'cors-not-varied',
  title: 'Missing Vary: Origin',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'now'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'by-resource',
  owner: 'host',
  view: 'browser',
  supersededBy: NOT_THE_FILE,
  causes: {
    'only-with-origin': { title: 'The header is sent only for requests with an Origin' },
    differs: { title: 'The header differs without an Origin' },
    'vary-only-with-origin': { title: 'Vary: Origin is sent only for requests with an Origin' },
  },
  failsWhen: 'the response depends on Origin, but `Vary: Origin` is missing',
  why: 'A cache then reuses the response to one visitor for another, and browsers block it: requests fail intermittently, for some visitors.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK
Cache-Control: max-age=300

GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Cache-Control: max-age=300
Access-Control-Allow-Origin: https://flows.example.com`,
    good: `GET /registry.json

HTTP/1.1 200 OK
Cache-Control: max-age=300
Vary: Origin

GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Cache-Control: max-age=300
Access-Control-Allow-Origin: https://flows.example.com
Vary: Origin`,
  },
  check({ resource, web, answer, now }) {
    if (isAlternating(web, 'Access-Control-Allow-Origin')) return null;
    const plain = finalHop(answer);
    for (const probe of web.browser) {
      const hop = lastHop(probe);
      if (!hop || probe.failure || isPage(probe.copy) || corsFault(probe) || hop.url !== plain.url) continue;
      const withOrigin = headerValue(hop.headers, 'access-control-allow-origin');
      const without = headerValue(plain.headers, 'access-control-allow-origin');
      if (withOrigin === without || withOrigin === null || isVaried(hop) || isUnstored(hop)) {
        // Responses to requests with an Origin have Vary: Origin, but the one to a request without it does not.
        if (withOrigin === without || withOrigin === null || isUnstored(plain) || isVaried(plain)) continue;
        const isReused = mayBeReused(plain, Date.parse(now));
        return {
          severity: isReused ? 'warning' : 'note',
          cause: 'vary-only-with-origin',
          message: message`${hostOf(hop.url)} sends the ${resourceName(resource)} with Vary: Origin only if the request has an Origin. A cache that stored the response to a request without one${resource === 'icon' ? ' (a plain <img>)' : ''} ${isReused ? 'reuses' : 'may later reuse'} it for pages, with ${without === null ? 'no' : 'a different'} Access-Control-Allow-Origin.`,
          advice: message`Send Vary: Origin with every response, also if the request has no Origin. Object stores have no such setting: let a CDN add the header.`,
          evidence: corsEvidence(probe),
          dedupeKey: `${resource} ${hostOf(hop.url)}`,
        };
      }
      return {
        cause: without === null ? 'only-with-origin' : 'differs',
        message: message`${hostOf(hop.url)} sends the ${resourceName(resource)} with ${namedOrigin(without)} if the request has no Origin, but does not send Vary: Origin.`,
        advice: message`Send Vary: Origin with every response, or always Access-Control-Allow-Origin: *.`,
        evidence: { ...corsEvidence(probe), withoutOrigin: without },
        dedupeKey: `${resource} ${hostOf(hop.url)}`,
      };
    }
    return null;
  },
});

function isVaried(hop: Hop): boolean {
  const names = varyNames(hop.headers);
  return names.includes('origin') || names.includes('*');
}

/** True if a browser or a cache may reuse it without revalidation (RFC 9111 section 4.2). */
function mayBeReused(hop: Hop, now: number): boolean {
  const { lifetime, heuristic } = freshness(hop, now);
  return (lifetime ?? heuristic ?? 0) > 0;
}

/** A response that no cache stores cannot be reused for another origin. */
function isUnstored(hop: Hop): boolean {
  const value = headerValue(hop.headers, 'cache-control');
  return value !== null && cacheControl(value).directives.has('no-store');
}

function namedOrigin(value: string | null): string {
  if (value === null) return 'no Access-Control-Allow-Origin';
  return value === '' ? 'an empty Access-Control-Allow-Origin' : `Access-Control-Allow-Origin: ${value}`;
}

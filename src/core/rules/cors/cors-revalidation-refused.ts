import { message } from '../../text/message.ts';
import { hostOrCopy } from '../owners.ts';
import { CORS_CAUSES, INVALID_CORS_CAUSES } from '../cors-causes.ts';
import { corsCheck, corsEvidence, corsFault, hopOrigins } from '../../http/cors.ts';
import type { Hop } from '../../facts/facts.ts';
import { headerLines } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const corsRevalidationRefused = defineRule({
  id: 'cors-revalidation-refused',
  title: 'CORS header that is lost on revalidation',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'revalidation'],
  severity: 'error',
  spec: '4.1',
  symptom: 'by-resource',
  owner: hostOrCopy,
  view: 'browser',
  supersededBy: NOT_THE_FILE,
  causes: { 'other-origin': CORS_CAUSES['other-origin'], ...INVALID_CORS_CAUSES },
  failsWhen:
    'a 304 (Not Modified) has a different Access-Control-Allow-Origin than the 200, and no longer allows the page. A 304 without that header keeps the stored one',
  why: 'Browsers update the stored response with the headers of a 304 (RFC 9111 section 3.2): the first visit works, every later one fails until the cache is cleared.',
  examples: {
    bad: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: *
ETag: "v1"

GET /registry.json
Origin: https://flows.example.com
If-None-Match: "v1"

HTTP/1.1 304 Not Modified
Access-Control-Allow-Origin: https://other.example.com`,
    good: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: *
ETag: "v1"

GET /registry.json
Origin: https://flows.example.com
If-None-Match: "v1"

HTTP/1.1 304 Not Modified
Access-Control-Allow-Origin: *`,
  },
  check({ resource, web: { browser }, revalidation }) {
    const stored = browser.find(({ origin }) => origin === revalidation?.probe.origin);
    const hop = revalidation ? lastHop(revalidation.probe) : null;
    const before = stored ? lastHop(stored) : null;
    if (!revalidation || !stored || !hop || !before || hop.status !== 304 || revalidation.probe.failure !== null)
      return null;
    if (corsFault(stored) !== null || hop.url !== before.url) return null;
    const { probe } = revalidation;
    if (probe.origin === null) return null;
    const urls = probe.hops.map(({ url }) => url);
    const sent = hopOrigins(probe.origin, urls).at(-1);
    const fault = sent?.checked ? corsCheck(sent.origin, updated(before, hop)) : null;
    // A 304 without the header leaves the stored one.
    if (fault === null || fault.code === 'missing') return null;
    const host = hostOf(hop.url);
    return {
      cause: fault.cause,
      message: message`${host} responds with 304 for the ${resourceName(resource)}, with ${fault.value === '' ? 'an empty Access-Control-Allow-Origin' : `Access-Control-Allow-Origin: ${fault.value}`}, which replaces the value of the stored response: browsers block the ${resourceName(resource)} from the second visit on.`,
      advice: message`Send the same CORS headers with 304 as with 200, or none with 304.`,
      evidence: {
        ...corsEvidence(probe),
        sent: revalidation.condition.join(': '),
        stored: before.headers.filter(([name]) => name.startsWith('access-control-')).map((line) => line.join(': ')),
      },
      dedupeKey: `${resource} ${host} ${fault.value}`,
    };
  },
});

/** The CORS headers of the stored response after a 304 updated it. */
function updated(stored: Hop, fresh: Hop): Hop['headers'] {
  return (headerLines(fresh.headers, 'access-control-allow-origin').length > 0 ? fresh : stored).headers;
}

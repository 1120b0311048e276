import { isAlternating } from '../../http/judged-headers.ts';
import { message } from '../../text/message.ts';
import { hostOrCopy } from '../owners.ts';
import { INVALID_CORS_CAUSES } from '../cors-causes.ts';
import { corsEvidence, corsFault, type InvalidCorsCause, namesNoOrigin } from '../../http/cors.ts';
import { varyNames } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { parseUrl } from '../../url/url.ts';
import { hostOf } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

const REASONS: Readonly<Record<InvalidCorsCause, string>> = {
  'two-headers': 'it is sent twice; browsers combine the values and accept neither',
  list: 'it is a list; only one origin, or *, is allowed',
  empty: 'it is empty',
  'unset-variable': 'Apache writes (null) for a variable without a value',
  null: 'it is "null", which matches any sandboxed page, but no normal page',
  'misspelled-wildcard': 'the wildcard must be exactly *',
  'partial-wildcard': '* is a wildcard only by itself, not as part of a name',
  'upper-case': 'browsers send origins in lowercase and compare them exactly',
  'trailing-slash': 'an origin has no trailing slash',
  'no-scheme': 'an origin begins with its scheme, https://',
  'wrong-scheme': 'the scheme differs from that of the service’s origin',
  'wrong-port': 'the port differs from that of the service’s origin',
  'default-port': 'browsers omit the default port of an origin',
  'full-url': 'an origin has no path',
  'no-origin': 'it is not an origin',
};

export const corsInvalid = defineRule({
  id: 'cors-invalid',
  title: 'CORS header that no browser accepts',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'origins'],
  severity: 'error',
  spec: '4.1',
  symptom: 'by-resource',
  owner: hostOrCopy,
  purge: 'last',
  view: 'browser',
  supersededBy: NOT_THE_FILE,
  causes: INVALID_CORS_CAUSES,
  failsWhen:
    'Access-Control-Allow-Origin has a value that no browser accepts: two headers, a list, a trailing slash, a wrong scheme or port, …',
  why: 'The header is meant to allow the service, but does not: browsers compare it exactly with the origin of the page. curl does not check this.',
  examples: {
    bad: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: https://flows.example.com/`,
    good: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: https://flows.example.com
Vary: Origin`,
  },
  check({ resource, web, origins }) {
    if (isAlternating(web, 'Access-Control-Allow-Origin')) return null;
    for (const probe of web.browser) {
      const { origin } = probe;
      const fault = corsFault(probe);
      if (origin === null || fault?.code !== 'invalid') continue;
      const { hop } = fault;
      // Hosts that check Origin refuse an unknown origin in different ways.
      if (origins.length === 0 && namesNoOrigin(fault) && varyNames(hop.headers).includes('origin')) continue;
      const right = origins.length > 0 ? origin : (repaired(fault.value) ?? '*');
      return {
        cause: fault.cause,
        message: message`${hostOf(hop.url)} sends the ${resourceName(resource)} with Access-Control-Allow-Origin: ${fault.value}, which no browser accepts: ${REASONS[fault.cause]}.`,
        advice: message`Send exactly one line: Access-Control-Allow-Origin: ${fault.sent === 'null' ? '*' : right}`,
        evidence: corsEvidence(probe, hop),
        dedupeKey: `${resource} ${hostOf(hop.url)} ${origin} ${fault.value}`,
      };
    }
    return null;
  },
});

/** The origin that a malformed value probably means, or null. */
function repaired(value: string): string | null {
  if (/[*,\s]/.test(value)) return null;
  const text = value.includes('://') ? value : `https://${value}`;
  const origin = parseUrl(text)?.origin ?? 'null';
  return origin === 'null' || !/^https?:\/\/[^/]*\./.test(origin) ? null : origin;
}

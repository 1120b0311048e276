import { isAlternating } from '../../http/judged-headers.ts';
import { message } from '../../text/message.ts';
import { corsEvidence, corsFault, PROBE_ORIGIN } from '../../http/cors.ts';
import { headerValue } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const corsWildcard = defineRule({
  id: 'cors-wildcard',
  title: 'CORS header that allows every origin',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'note',
  spec: '4.1',
  symptom: null,
  owner: 'host',
  view: 'browser',
  supersededBy: NOT_THE_FILE,
  causes: {
    star: { title: 'Every origin is allowed' },
    echo: { title: 'The Origin of the request is always allowed' },
    'echo-with-credentials': { title: 'The Origin of the request is always allowed, with credentials' },
  },
  failsWhen:
    'every origin is allowed. This is permitted, but allowing only the needed origins is preferred. Allowing every origin with credentials is a warning',
  why: 'Pages of any site may read the file. For public files this is harmless.',
  examples: {
    bad: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: *`,
    good: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: https://flows.example.com
Vary: Origin`,
  },
  check({ web }) {
    if (isAlternating(web, 'Access-Control-Allow-Origin')) return null;
    // If the service's own origin was named, the conditional requests include one from an unknown origin.
    const fromUnknownOrigin = (web.conditional ?? [])
      .map(({ probe }) => probe)
      .filter(({ origin }) => origin === PROBE_ORIGIN);
    for (const probe of [...fromUnknownOrigin, ...web.browser]) {
      const hop = lastHop(probe);
      if (!hop || probe.failure || corsFault(probe)) continue;
      const value = headerValue(hop.headers, 'access-control-allow-origin');
      const echoed = probe.origin === PROBE_ORIGIN && value === PROBE_ORIGIN;
      if (value !== '*' && !echoed) continue;
      const host = hostOf(hop.url);
      const evidence = corsEvidence(probe);
      if (echoed && headerValue(hop.headers, 'access-control-allow-credentials') === 'true') {
        return {
          severity: 'warning',
          cause: 'echo-with-credentials',
          message: message`${host} allows every origin, with credentials: pages of any site can read what a visitor’s cookies give access to.`,
          advice: message`Send Access-Control-Allow-Origin: * without Access-Control-Allow-Credentials, or allow only the service’s origin.`,
          evidence,
          dedupeKey: `credentials ${host}`,
        };
      }
      return {
        cause: echoed ? 'echo' : 'star',
        message: echoed
          ? message`${host} allows every origin: it returns the Origin of the request as Access-Control-Allow-Origin.`
          : message`${host} allows every origin (Access-Control-Allow-Origin: *).`,
        advice: message`This is fine for public files. For other files, allow only the service’s origin, with Vary: Origin.`,
        evidence,
        dedupeKey: host,
      };
    }
    return null;
  },
});

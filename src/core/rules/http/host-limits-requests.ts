import { hostLimit } from '../../http/host-limit.ts';
import { counted } from '../../text/text.ts';
import { hostOf } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const hostLimitsRequests = defineRule({
  id: 'host-limits-requests',
  on: 'host',
  needs: ['facts'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'host',
  causes: {
    requests: { title: 'The host refuses requests with an error status' },
    connections: { title: 'The host refuses connections' },
  },
  failsWhen:
    'a host answers so many requests at once, and refuses further ones (429, 503, a connection refused or reset). `verify` goes on with fewer at once, and requests again what was refused',
  why: 'A browser opens 6 connections to a host, and sends 100 requests at once with HTTP/2: beyond the limit, icons and files are missing, each time others.',
  check({ facts }) {
    const limit = hostLimit(facts);
    if (limit === null) return null;
    const host = hostOf(facts.origin);
    const { most, sent, refused } = limit;
    return {
      cause: facts.refusals.some((how) => how.startsWith('status ')) ? 'requests' : 'connections',
      message: `${host} limits how many requests it answers at once, to about ${most}: it refused ${refused} of ${counted(sent, 'request')} beyond that (${facts.refusals.join(', ')}).`,
      advice:
        'Raise the limits of requests and of connections for each client (nginx: limit_req, limit_conn), or exempt static files from them.',
      evidence: { host, limit: most, refusals: facts.refusals },
    };
  },
});

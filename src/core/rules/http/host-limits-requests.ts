import { message } from '../../text/message.ts';
import { hostLimit } from '../../http/host-limit.ts';
import { counted } from '../../text/text.ts';
import { hostOf } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const hostLimitsRequests = defineRule({
  id: 'host-limits-requests',
  title: 'Host that limits concurrent requests',
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
    'a host accepts only a limited number of concurrent requests, and refuses more (429, 503, a connection refused or reset). `verify` then reduces concurrency and retries what was refused',
  why: 'A browser opens 6 connections to a host, and sends 100 requests at once with HTTP/2: beyond the limit, icons and files are missing, different ones each time.',
  examples: {
    bad: `4 concurrent requests: 40 answered
8 concurrent requests: 20 answered
9 concurrent requests: 0 answered, 3 refused (status 503)`,
    good: `4 concurrent requests: 40 answered
8 concurrent requests: 20 answered
9 concurrent requests: 20 answered`,
  },
  check({ facts }) {
    const limit = hostLimit(facts);
    if (limit === null) return null;
    const host = hostOf(facts.origin);
    const { most, sent, refused } = limit;
    return {
      cause: facts.refusals.some((how) => how.startsWith('status ')) ? 'requests' : 'connections',
      message: message`${host} limits concurrent requests to about ${most}: it refused ${refused} of ${counted(sent, 'request')} beyond that (${facts.refusals.join(', ')}).`,
      advice: message`Raise the limits of requests and connections per client (nginx: limit_req, limit_conn), or exempt static files.`,
      evidence: { host, limit: most, refusals: facts.refusals },
    };
  },
});

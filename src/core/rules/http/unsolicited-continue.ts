import { message } from '../../text/message.ts';
import { hostOf } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const unsolicitedContinue = defineRule({
  id: 'unsolicited-continue',
  title: 'Unsolicited “100 Continue” response',
  on: 'resource',
  needs: ['web'],
  severity: 'warning',
  spec: null,
  symptom: 'by-resource',
  owner: 'host',
  failsWhen: 'the host sends “100 Continue” before the response, without a request for it',
  why: 'It is allowed, and browsers and most clients ignore it; but Node’s own fetch, and clients based on it, close the connection.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 100 Continue

HTTP/1.1 200 OK`,
    good: `GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ web }) {
    const hop = web.server.hops.find(({ unsolicitedContinue: continued }) => continued === true);
    if (!hop) return null;
    const host = hostOf(hop.url);
    return {
      message: message`${host} sends “100 Continue” before the response, without a request for it; some clients fail.`,
      advice: message`Disable it in the server or proxy: it is only valid for requests with Expect: 100-continue.`,
      evidence: { host, requested: hop.url },
      dedupeKey: host,
    };
  },
});

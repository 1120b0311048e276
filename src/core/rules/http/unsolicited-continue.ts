import { hostOf } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

export const unsolicitedContinue = defineRule({
  id: 'unsolicited-continue',
  on: 'resource',
  needs: ['web'],
  severity: 'warning',
  spec: null,
  symptom: 'by-resource',
  owner: 'host',
  failsWhen: 'the host says “100 Continue” before its answer, which nobody asked for',
  why: 'It is legal, and browsers and most clients pass over it; Node’s own fetch, and what is built on it, breaks the connection off there.',
  check({ web }) {
    const hop = web.server.hops.find(({ unsolicitedContinue: continued }) => continued === true);
    if (!hop) return null;
    const host = hostOf(hop.url);
    return {
      message: `${host} says “100 Continue” before its answer, which was not asked for; some clients break off there.`,
      advice: 'Switch it off in the server or proxy: it belongs only before the answer to a request that expects it.',
      evidence: { host, asked: hop.url },
      dedupeKey: host,
    };
  },
});

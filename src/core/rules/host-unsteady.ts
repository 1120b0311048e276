import { defineRule } from '../rule.ts';
import { hostOf, isAnswered } from '../visit.ts';

export const hostUnsteady = defineRule({
  id: 'host-unsteady',
  on: 'resource',
  needs: ['role', 'url', 'web'],
  severity: 'warning',
  spec: null,
  symptom: 'by-resource',
  when: 'a resource came only after a failed attempt (a reset connection, a status 5xx, a 429 that names no time to wait)',
  why: 'The service may not try as often; what comes and goes here comes and goes for subscribers.',
  check({ role, url, web }) {
    const visit = web.service;
    // Waiting that the host asked for is told by rate-limited.
    if (!isAnswered(visit) || visit.attempts < 2 || visit.waited > 0) return null;
    return {
      message: `The ${role} came only at the ${visit.attempts === 2 ? 'second' : 'third'} attempt; before: ${(visit.troubles ?? []).join(', ')}.`,
      advice: (visit.troubles ?? []).every((trouble) => trouble === 'status 429')
        ? 'The host limits how many requests it answers: raise the limit for static files, or use a host that has none.'
        : 'Look into the host’s log for dropped connections and errors.',
      evidence: { host: hostOf(url), attempts: visit.attempts, troubles: visit.troubles ?? [] },
    };
  },
});

import type { Visit } from '../facts.ts';
import { defineRule, type Problem } from '../rule.ts';
import { hostnameOf, hostOf, isAnswered } from '../visit.ts';

export const hostUnsteady = defineRule({
  id: 'host-unsteady',
  on: 'resource',
  needs: ['role', 'url', 'web'],
  severity: 'warning',
  spec: null,
  symptom: 'by-resource',
  when: 'a resource came only after a failed attempt (a reset connection, a status 5xx, a 429 that names no time to wait), or not all addresses of a name answer',
  why: 'The service may not try as often; what comes and goes here comes and goes for subscribers.',
  check({ role, url, web }) {
    const visit = web.service;
    // Waiting that the host asked for is told by rate-limited.
    const dead = deadAddresses(visit);
    if (dead) return dead;
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

// A machine without a way to addresses of a kind says so itself; of the host that tells nothing.
const LOCAL = /^(ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;

/** A name with several addresses, of which some do not answer. */
function deadAddresses(visit: Visit): Problem | null {
  for (const { url, vain = [], address } of visit.hops) {
    const dead = vain.filter(({ code, phase }) => !LOCAL.test(code) && phase === undefined);
    if (dead.length === 0) continue;
    const host = hostnameOf(url);
    // What this machine calls itself is in nobody's DNS.
    if (/^([\w.-]+\.)?localhost\.?(:|$)/i.test(host)) continue;
    // Silence over IPv6 may as well be the network here; a refusal comes from the other end.
    const sure = dead.some((one) => one.code === 'ECONNREFUSED' || !one.address.includes(':'));
    const said = dead.map((one) => `${one.address} (${one.code})`).join(', ');
    return {
      cause: 'address-dead',
      severity: sure ? 'warning' : 'note',
      message: `${host} has several addresses, and not all of them answer: ${said}; ${address ?? 'another one'} does.${sure ? '' : ' It may be that IPv6 does not work from here.'}`,
      advice: 'Remove the A or AAAA records of addresses where no server runs, or start the server there.',
      evidence: { host, address, dead: dead.map((one) => `${one.address} ${one.code}`) },
      once: host,
    };
  }
  return null;
}

import { defineRule } from '../rule.ts';
import { hostOf } from '../visit.ts';

const DAYS = 21;
const DAY = 86_400_000;

export const tlsExpiring = defineRule({
  id: 'tls-expiring',
  on: 'resource',
  needs: ['web', 'now'],
  severity: 'warning',
  spec: '5',
  symptom: 'by-resource',
  when: `the certificate of a host ends within ${DAYS} days`,
  why: 'Most certificates are renewed 30 days before their end; one that is this near to it is likely to be forgotten.',
  check({ web, now }) {
    const moment = Date.parse(now);
    for (const { tls, url, status } of web.service.hops) {
      if (!tls || status === 0) continue;
      const left = Date.parse(tls.notAfter) - moment;
      if (!(left > 0 && left <= DAYS * DAY)) continue;
      const host = hostOf(url);
      const days = Math.floor(left / DAY);
      return {
        message: `The certificate of ${host} ends in ${days === 1 ? '1 day' : `${days} days`}, at ${tls.notAfter}.`,
        advice: 'Renew it now, and see why its renewal did not run.',
        evidence: {
          host,
          notAfter: tls.notAfter,
          issuer: tls.issuer,
          fingerprint256: tls.fingerprint256,
          daysLeft: days,
        },
        once: host,
      };
    }
    return null;
  },
});

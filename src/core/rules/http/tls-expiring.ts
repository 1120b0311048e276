import { message } from '../../text/message.ts';
import { interceptorOrHost } from '../owners.ts';
import { commonName } from '../../http/certificate.ts';
import { hostOf } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';

const DAYS = 21;
const DAY = 86_400_000;

export const tlsExpiring = defineRule({
  id: 'tls-expiring',
  title: 'Certificate that expires soon',
  on: 'resource',
  needs: ['web', 'now'],
  severity: 'warning',
  spec: '5',
  symptom: 'by-resource',
  owner: interceptorOrHost,
  byClock: 'all',
  causes: {
    intermediate: { title: 'An intermediate certificate expires soon' },
    root: { title: 'A root certificate expires soon' },
  },
  failsWhen: `the certificate of a host expires within ${DAYS} days, or an issuing certificate on every path to a root does`,
  why: 'Most certificates are renewed 30 days before they expire; this renewal has probably failed.',
  examples: {
    bad: `notAfter=Nov 25 12:00:00 2026 GMT

GET /registry.json

HTTP/1.1 200 OK
Date: Sat, 21 Nov 2026 12:00:00 GMT`,
    good: `notAfter=Feb 19 12:00:00 2027 GMT

GET /registry.json

HTTP/1.1 200 OK
Date: Sat, 21 Nov 2026 12:00:00 GMT`,
  },
  check({ web, now }) {
    const moment = Date.parse(now);
    for (const { tls, url, status } of web.server.hops) {
      if (!tls || status === 0) continue;
      // A certificate that had already expired did not break the connection: another path was used.
      const above = tls.endsFirst && Date.parse(tls.endsFirst.notAfter) > moment ? tls.endsFirst : null;
      const notAfter = above?.notAfter ?? tls.notAfter;
      const left = Date.parse(notAfter) - moment;
      if (!(left > 0 && left <= DAYS * DAY)) continue;
      const host = hostOf(url);
      const days = Math.floor(left / DAY);
      const when = `${spanLeft(days)}, at ${notAfter}`;
      const { issuer, fingerprint256 } = tls;
      if (above === null)
        return {
          message: message`The certificate of ${host} expires in ${when}.`,
          advice: message`Renew it now, and check why the automatic renewal did not run.`,
          evidence: { host, notAfter, issuer, fingerprint256, daysLeft: days },
          dedupeKey: host,
        };
      const kind = above.root ? 'root' : 'intermediate';
      return {
        cause: kind,
        message: message`The ${kind} certificate “${commonName(above.subject)}” of ${host} expires in ${when}; the certificate of the host itself is valid until ${tls.notAfter}.`,
        advice: above.root
          ? message`Use a certificate from an authority that is valid longer, and that clients trust.`
          : message`Install the full chain with the current intermediate certificate of the authority (fullchain.pem); if it has no newer one, renew the certificate.`,
        evidence: {
          host,
          certificate: above.subject,
          notAfter,
          issuer,
          fingerprint256: above.fingerprint256,
          daysLeft: days,
        },
        dedupeKey: host,
      };
    }
    return null;
  },
});

function spanLeft(days: number): string {
  if (days === 0) return 'less than a day';
  return days === 1 ? '1 day' : `${days} days`;
}

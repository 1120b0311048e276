import { signatureEnd } from '../../http/signed-url.ts';
import { defineRule } from '../rule.ts';

export const urlSignedExpiring = defineRule({
  id: 'url-signed-expiring',
  on: 'url',
  needs: ['role', 'url', 'parsed', 'now'],
  severity: 'warning',
  spec: '5',
  symptom: 'by-resource',
  owner: 'author',
  causes: {
    expired: { title: 'The signature has expired' },
    expiring: { title: 'The signature will expire' },
  },
  failsWhen: 'a signed URL ends at some moment, which is named; one that has ended already is an error',
  why: 'Listed URLs are fetched for as long as the version is listed; after that moment the host refuses them.',
  check({ role, parsed, now }) {
    const end = signatureEnd(parsed.searchParams);
    if (!end) return null;
    const over = end.until <= Date.parse(now);
    const moment = new Date(end.until).toISOString();
    return {
      severity: over ? 'error' : 'warning',
      cause: over ? 'expired' : 'expiring',
      message: over
        ? `The signed URL of the ${role} ended at ${moment}.`
        : `The signed URL of the ${role} ends at ${moment}.`,
      advice: 'List a URL that stays valid: a public object, or authentication by the host that does not end.',
      evidence: { expires: moment, scheme: end.scheme },
    };
  },
});

import { message } from '../../text/message.ts';
import { urlExpiry } from '../../url/signed-url.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const urlSignedExpiring = defineRule({
  id: 'url-signed-expiring',
  title: 'Signed URL that expires',
  on: 'url',
  needs: ['resource', 'url', 'parsed', 'now'],
  severity: 'warning',
  worstSeverity: 'error',
  spec: '5',
  symptom: 'by-resource',
  owner: 'author',
  byClock: 'all',
  causes: {
    expired: { title: 'The signature has expired' },
    expiring: { title: 'The signature will expire' },
  },
  failsWhen: 'a signed URL has an expiry time. One that has already expired is an error',
  why: 'Listed URLs are fetched for as long as the version is listed, but the host rejects them after that time.',
  examples: {
    bad: '"artifactUrl": "https://bucket.s3.amazonaws.com/echo.tar.gz?X-Amz-Date=20260101T000000Z&X-Amz-Expires=60&X-Amz-Signature=0a"',
    good: '"artifactUrl": "https://bucket.s3.amazonaws.com/echo.tar.gz"',
  },
  check({ resource, parsed, now }) {
    const expiry = urlExpiry(parsed);
    if (!expiry) return null;
    const isExpired = expiry.expiresAt <= Date.parse(now);
    const expiresAtText = new Date(expiry.expiresAt).toISOString();
    return {
      severity: isExpired ? 'error' : 'warning',
      cause: isExpired ? 'expired' : 'expiring',
      message: isExpired
        ? message`The signed URL of the ${resourceName(resource)} expired at ${expiresAtText}.`
        : message`The signed URL of the ${resourceName(resource)} expires at ${expiresAtText}.`,
      advice: message`List a URL that does not expire: a public object, or a host with other access control.`,
      evidence: { expires: expiresAtText, scheme: expiry.scheme },
    };
  },
});

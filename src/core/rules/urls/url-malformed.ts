import { urlError } from '../../http/url.ts';
import { shorten } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const urlMalformed = defineRule({
  id: 'url-malformed',
  on: 'url',
  needs: ['role', 'url'],
  severity: 'error',
  spec: '2.1',
  symptom: 'by-resource',
  hidesApp: true,
  failsWhen: 'a URL is not an absolute http(s) URL, or holds a user name or password, which browsers refuse',
  why: 'The service cannot fetch it.',
  check({ role, url }) {
    const fault = urlError(url);
    if (!fault) return null;
    return {
      cause: fault.cause,
      message: `The URL of the ${role} cannot be used: ${shorten(fault.message, 200)}`,
      advice: fault.advice,
      evidence: { url },
    };
  },
});

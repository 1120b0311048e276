import { isLoopback } from '../url.ts';
import { redact, shorten } from '../text.ts';
import { defineRule } from '../rule.ts';

export const urlInsecure = defineRule({
  id: 'url-insecure',
  on: 'url',
  needs: ['role', 'url', 'parsed'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  when: 'a URL has the scheme `http:` (a loopback host: warning)',
  why: 'HTTPS is required practice: anybody on the way can change what is sent, and browsers refuse mixed content.',
  check({ role, url, parsed }) {
    if (parsed.protocol !== 'http:') return null;
    const local = isLoopback(parsed.hostname);
    return {
      severity: local ? 'warning' : 'error',
      cause: local ? 'loopback' : 'http',
      message: local
        ? `The URL of the ${role} leads to this very machine over plain http.`
        : `The URL of the ${role} is not https.`,
      advice: local
        ? 'Good for trying things out; subscribers need an https address.'
        : `Serve it over HTTPS and write ${shorten(redact(`https://${url.slice(url.indexOf('//') + 2)}`), 200)}`,
      evidence: { url },
      // A registry that is tried out has all its files there.
      ...(local ? { once: 'loopback' } : {}),
    };
  },
});

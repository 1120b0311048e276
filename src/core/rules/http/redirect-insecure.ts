import { defineRule } from '../rule.ts';

export const redirectInsecure = defineRule({
  id: 'redirect-insecure',
  on: 'resource',
  needs: ['role', 'web'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  owner: 'host',
  failsWhen: 'a redirect leads from https to http',
  why: 'Content fetched over http can be replaced on the way; browsers and careful clients block it.',
  check({ role, web }) {
    const { hops } = web.server;
    for (let i = 1; i < hops.length; i += 1) {
      const from = hops[i - 1]!.url;
      const to = hops[i]!.url;
      if (!from.startsWith('https:') || !to.startsWith('http:')) continue;
      return {
        message: `The ${role} is redirected from https to http.`,
        advice: `Redirect to ${to.replace(/^http:/, 'https:')}, or list an https URL without a redirect.`,
        evidence: { from, to, status: hops[i - 1]!.status },
      };
    }
    return null;
  },
});

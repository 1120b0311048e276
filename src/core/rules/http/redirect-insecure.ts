import { message } from '../../text/message.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const redirectInsecure = defineRule({
  id: 'redirect-insecure',
  title: 'Redirect from https to http',
  on: 'resource',
  needs: ['resource', 'web'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  owner: 'host',
  failsWhen: 'a redirect leads from https to http',
  why: 'Content fetched over http can be replaced in transit; browsers and careful clients block it.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 302 Found
Location: http://cdn.example.com/registry.json

GET http://cdn.example.com/registry.json

HTTP/1.1 200 OK`,
    good: `GET /registry.json

HTTP/1.1 302 Found
Location: https://cdn.example.com/registry.json

GET https://cdn.example.com/registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, web }) {
    const { hops } = web.server;
    for (const [i, { url: to }] of hops.entries()) {
      const previous = hops[i - 1];
      if (previous === undefined) continue;
      const from = previous.url;
      if (!from.startsWith('https:') || !to.startsWith('http:')) continue;
      return {
        message: message`The ${resourceName(resource)} is redirected from https to http.`,
        advice: message`Redirect to ${to.replace(/^http:/, 'https:')}, or list an https URL without a redirect.`,
        evidence: { from, to, status: previous.status },
      };
    }
    return null;
  },
});

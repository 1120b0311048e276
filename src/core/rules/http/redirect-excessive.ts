import { message } from '../../text/message.ts';
import { lastHop } from '../../http/probe.ts';
import { ruleOfFailure } from '../../http/failed-request.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const redirectExcessive = defineRule({
  id: 'redirect-excessive',
  title: 'Too many redirects',
  on: 'resource',
  needs: ['resource', 'web'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'host',
  hidesApp: true,
  hiddenReason: 'The URL of its metadata file redirects too often, or in a loop.',
  causes: {
    'too-many': { title: 'More than five redirects' },
    loop: { title: 'The redirects form a loop' },
    'loop-cookie': { title: 'The redirects form a loop that expects a cookie' },
  },
  failsWhen: 'redirects form a loop, or there are more than five',
  why: 'Clients stop after a few redirects, and do not get the file.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 302 Found
Location: /login

GET /login

HTTP/1.1 302 Found
Location: /registry.json`,
    good: `GET /registry.json

HTTP/1.1 302 Found
Location: /v2/registry.json

GET /v2/registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, web }) {
    const probe = web.server;
    const { failure } = probe;
    if (failure === null || ruleOfFailure(probe) !== 'redirect-excessive') return null;
    const hops = probe.hops.map((hop) => `${hop.status} ${hop.url}`);
    if (failure.code === 'REDIRECT_LIMIT') {
      return {
        cause: 'too-many',
        message: message`The ${resourceName(resource)} is redirected more than five times.`,
        advice: message`List the final URL of the chain, or shorten the chain.`,
        evidence: { hops, next: failure.url },
      };
    }
    const cookie = lastHop(probe)?.headers.some(([name]) => name === 'set-cookie') ?? false;
    return {
      cause: cookie ? 'loop-cookie' : 'loop',
      message: message`The ${resourceName(resource)} is redirected in a loop${cookie ? ', each time with a cookie that the host expects to get back' : ''}.`,
      advice: cookie
        ? message`Serve static files without cookies: clients of registries do not store them.`
        : message`Fix the redirect rules of the host (often http and https, or with and without www, pointing at each other).`,
      evidence: { hops, next: failure.url },
    };
  },
});

import { message } from '../../text/message.ts';
import type { Probe } from '../../facts/facts.ts';
import { hostOf, lastHop, originOf } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const rateLimited = defineRule({
  id: 'rate-limited',
  title: 'Rate-limited requests',
  on: 'resource',
  needs: ['resource', 'url', 'web'],
  severity: 'warning',
  spec: null,
  symptom: 'by-resource',
  owner: 'host',
  failsWhen: 'the host responded with 429 or 503 with Retry-After, and the request was retried after that time',
  why: 'A host that limits one client also limits the service, which fetches many registries from few addresses.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 429 Too Many Requests
Retry-After: 2

GET /registry.json

HTTP/1.1 200 OK`,
    good: `GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, url, web }) {
    const probes: Probe[] = [web.server, ...web.browser];
    for (const side of [web.preflight, ...(web.preflights ?? []), web.head])
      if (!('missing' in side)) probes.push(side);
    const waited = probes.reduce((sum, probe) => sum + probe.retryAfterMs, 0);
    if (waited === 0) return null;
    const host = hostOf(url);
    const troubles = probes.flatMap((probe) => probe.retriedErrors ?? []);
    // Nothing was requested before the manifest.
    const isMaintenance = resource === 'manifest' && web.server.retriedErrors?.[0] === 'status 503';
    const wait = `appreg waited ${Math.ceil(waited / 1000)} s for the ${resourceName(resource)}`;
    const evidence = { host, waitedSeconds: waited / 1000, troubles };
    if (isMaintenance)
      return {
        message: message`${host} was unavailable at the first request (503 with Retry-After), as during maintenance: ${wait}.`,
        advice: message`Serve the registry’s files during maintenance too, since they are static.`,
        evidence,
        dedupeKey: host,
      };
    return {
      message: message`${host} limits the request rate (Retry-After): ${wait}.`,
      advice: message`Raise the limit for static files, or use a host without one (unauthenticated raw and API hosts often have one).`,
      evidence,
      dedupeKey: host,
      unlessLimited: originOf(lastHop(web.server)?.url ?? url),
    };
  },
});

import { message } from '../../text/message.ts';
import { corsFault, PROBE_HEADER } from '../../http/cors.ts';
import { preflightFault, type PreflightFault } from '../../http/preflight.ts';
import type { ResourceKind, Probe } from '../../facts/facts.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, statusOf } from '../../http/probe.ts';
import { unanswered } from '../../http/repeated-probes.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  'no-answer': { title: 'The preflight is never answered' },
  'not-http': { title: 'The response to the preflight is not valid HTTP' },
  redirect: { title: 'The preflight gets a redirect' },
  'status-*': { title: 'The preflight gets this status' },
  origin: { title: 'The preflight does not allow the origin' },
  'methods-malformed': { title: 'Access-Control-Allow-Methods is malformed' },
  'headers-malformed': { title: 'Access-Control-Allow-Headers is malformed' },
  'header-refused': { title: 'A request header is not allowed' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const corsPreflightRefused = defineRule({
  id: 'cors-preflight-refused',
  title: 'Refused CORS preflight',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'preflights'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'by-resource',
  owner: 'host',
  view: 'browser',
  supersededBy: NOT_THE_FILE,
  causes: CAUSES,
  failsWhen:
    'the preflight (OPTIONS) for a GET with an arbitrary header fails. (GET and HEAD need no Access-Control-Allow-Methods; `*` does not cover `Authorization`)',
  why: 'A plain GET still works, but browsers block one with additional headers (a token, a tracing id).',
  examples: {
    bad: `OPTIONS /registry.json
Origin: https://flows.example.com
Access-Control-Request-Method: GET
Access-Control-Request-Headers: authorization

HTTP/1.1 405 Method Not Allowed`,
    good: `OPTIONS /registry.json
Origin: https://flows.example.com
Access-Control-Request-Method: GET
Access-Control-Request-Headers: authorization

HTTP/1.1 204 No Content
Access-Control-Allow-Origin: *
Access-Control-Allow-Methods: GET, HEAD
Access-Control-Allow-Headers: *, Authorization`,
  },
  check({ resource, web, preflights }) {
    // If plain requests fail, this one fails for the same reason.
    if (web.browser.some((probe) => corsFault(probe) !== null || isRefused(probe))) return null;
    for (const [hop, preflight] of preflights.entries()) {
      if (preflight === null) continue;
      const fault = preflightFault(preflight, preflight.requestedHeaders ?? [PROBE_HEADER]);
      if (fault && !(fault.cause === 'status' && fault.value === '429'))
        return problem(resource, preflight, hop, fault);
    }
    return null;
  },
});

function isRefused(probe: Probe): boolean {
  const status = statusOf(probe);
  return status >= 400 && status !== 416;
}

function problem(resource: ResourceKind, preflight: Probe, hop: number, fault: PreflightFault): Problem<Cause> {
  const answer = preflight.hops[0];
  const host = hostOf(answer?.url ?? '');
  const corsHeaders = (answer?.headers ?? [])
    .filter(([name]) => name.startsWith('access-control-'))
    .map(([name, value]) => `${name}: ${value}`);
  const requested = preflight.requestedHeaders ?? [PROBE_HEADER];
  const names = requested.includes('authorization') ? '*, Authorization' : '*';
  const allowedOrigin = preflight.origin === 'null' ? '*' : '* (or the service’s origin)';
  const advice =
    fault.cause === 'header-refused' && fault.header === 'authorization'
      ? `Send Access-Control-Allow-Headers: ${names}`
      : `Respond to OPTIONS with 204 and Access-Control-Allow-Origin: ${allowedOrigin}, Access-Control-Allow-Methods: GET, HEAD and Access-Control-Allow-Headers: ${names}`;
  return {
    cause: fault.cause === 'status' ? `status-${fault.value}` : fault.cause,
    message: message`${host} ${fault.cause === 'no-answer' ? 'does not answer' : 'refuses'} the preflight (OPTIONS) for the ${resourceName(resource)}${hop > 0 ? ', which browsers also send after a redirect' : ''}: ${reason(fault)}.`,
    advice: message`${fault.cause === 'no-answer' ? 'Find the firewall, proxy or server that drops OPTIONS requests, and let them through. ' : ''}${advice}`,
    evidence: {
      requested: answer?.url ?? null,
      origin: preflight.origin,
      requestHeaders: requested,
      status: answer?.status || null,
      code: preflight.failure?.code ?? null,
      answered: corsHeaders,
    },
    // A host that drops OPTIONS drops it for every file, and is then asked only once.
    dedupeKey: fault.cause === 'no-answer' ? host : `${resource} ${host}`,
  };
}

function reason({ cause, value, header }: PreflightFault): string {
  switch (cause) {
    case 'no-answer':
      return `${unanswered(value)}, repeatedly, while GET requests are answered`;
    case 'not-http':
      return `the response is not valid HTTP (${value ?? 'no status'})`;
    case 'redirect':
      return `the response is a redirect (${value}), which browsers do not follow for a preflight`;
    case 'status':
      return `it gets status ${value}`;
    case 'origin':
      return value === null
        ? 'the response has no Access-Control-Allow-Origin'
        : `its Access-Control-Allow-Origin is ${value}`;
    case 'methods-malformed':
      return `Access-Control-Allow-Methods is not a list of methods: ${value}`;
    case 'headers-malformed':
      return `Access-Control-Allow-Headers is not a list of names: ${value}`;
    default:
      return value === null
        ? 'the response has no Access-Control-Allow-Headers'
        : `Access-Control-Allow-Headers is ${value}, which does not cover ${header}`;
  }
}

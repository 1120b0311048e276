import { corsFault, preflightFault, type PreflightFault, PROBE_HEADER } from '../cors.ts';
import { defineRule } from '../rule.ts';
import { hostOf } from '../visit.ts';

export const corsPreflightRefused = defineRule({
  id: 'cors-preflight-refused',
  on: 'resource',
  needs: ['role', 'url', 'web', 'answer'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'by-resource',
  when: 'OPTIONS for a GET with a header of any name does not pass. (GET and HEAD need no Access-Control-Allow-Methods; `*` does not cover `Authorization`)',
  why: 'A plain GET still works, but one with any header of its own (a token, a tracing id) never leaves the browser; hosts allow any request headers.',
  check({ role, url, web }) {
    const { preflight } = web;
    if ('unseen' in preflight) return null;
    // Where plain requests fail the check, this one fails for the same reason.
    if (web.browser.some((visit) => corsFault(visit) !== null)) return null;
    const asked = preflight.asked ?? [PROBE_HEADER];
    const fault = preflightFault(preflight, asked);
    if (!fault || (fault.cause === 'status' && fault.value === '429')) return null;
    const answer = preflight.hops[0];
    const told = (answer?.headers ?? [])
      .filter(([name]) => name.startsWith('access-control-'))
      .map(([name, value]) => `${name}: ${value}`);
    return {
      cause: fault.cause === 'status' ? `status-${fault.value}` : fault.cause,
      message: `${hostOf(url)} refuses the preflight (OPTIONS) for the ${role}: ${reason(fault)}.`,
      advice:
        fault.cause === 'header-refused' && fault.header === 'authorization'
          ? 'Send Access-Control-Allow-Headers: *, Authorization'
          : `Answer OPTIONS with 204 and Access-Control-Allow-Origin: * (or the service’s origin), Access-Control-Allow-Methods: GET, HEAD and Access-Control-Allow-Headers: *`,
      evidence: {
        origin: preflight.origin,
        requestHeaders: asked,
        status: answer?.status || null,
        code: preflight.failure?.code ?? null,
        answered: told,
      },
      once: `${role} ${hostOf(url)}`,
    };
  },
});

function reason({ cause, value, header }: PreflightFault): string {
  switch (cause) {
    case 'no-answer':
      return `it is not answered (${value ?? 'no status'})`;
    case 'redirect':
      return `it is answered with a redirect (${value}), which a preflight may not follow`;
    case 'status':
      return `it is answered with ${value}`;
    case 'origin':
      return value === null
        ? 'the answer has no Access-Control-Allow-Origin'
        : `its Access-Control-Allow-Origin is ${value}`;
    case 'methods-malformed':
      return `Access-Control-Allow-Methods is no list of methods: ${value}`;
    case 'headers-malformed':
      return `Access-Control-Allow-Headers is no list of names: ${value}`;
    case 'method-refused':
      return `Access-Control-Allow-Methods is ${value}`;
    default:
      return value === null
        ? 'the answer has no Access-Control-Allow-Headers'
        : `Access-Control-Allow-Headers is ${value}, which does not cover ${header}`;
  }
}

import { isPage } from '../../http/copies.ts';
import { isAlternating } from '../../http/judged-headers.ts';
import { message } from '../../text/message.ts';
import { CORS_CAUSES } from '../cors-causes.ts';
import { preflightFault } from '../../http/preflight.ts';
import { corsEvidence, corsFault, PROBE_HEADER } from '../../http/cors.ts';
import type { ResourceKind, Probe } from '../../facts/facts.ts';
import { headerValue, tokens } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, isAnswered, lastHop } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  ...CORS_CAUSES,
  'preflight-*': { title: 'The preflight for HEAD is refused' },
  'not-listed': { title: 'The preflight lists GET, but not HEAD' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const corsHeadRefused = defineRule({
  id: 'cors-head-refused',
  title: 'HEAD response that pages may not read',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'head', 'preflights', 'headPreflight'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'by-resource',
  owner: 'host',
  view: 'browser',
  supersededBy: NOT_THE_FILE,
  causes: CAUSES,
  failsWhen:
    'a page may read the response to GET, but not to HEAD: its Access-Control-Allow-Origin is missing, duplicated or different, or the preflight for HEAD is refused. A preflight response that lists GET, but not HEAD, is a note, since browsers allow HEAD anyway',
  why: 'A page that sends HEAD before it fetches a file gets an error.',
  examples: {
    bad: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: *

HEAD /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK`,
    good: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: *

HEAD /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: *`,
  },
  check({ resource, web, head, preflights: [preflight = null], headPreflight }) {
    // If GET fails, HEAD fails for the same reason.
    if (isAlternating(web, 'Access-Control-Allow-Origin')) return null;
    const get = web.browser[0];
    if (!get || isPage(get.copy) || corsFault(get) !== null || !(isAnswered(get) || lastHop(get)?.status === 416))
      return null;
    return [answerFault(resource, head), preflightProblem(resource, preflight, headPreflight)].filter(
      (one) => one !== null,
    );
  },
});

function answerFault(resource: ResourceKind, head: Probe | null): Problem<Cause> | null {
  if (head === null || !isAnswered(head)) return null;
  const fault = corsFault(head);
  if (fault === null) return null;
  const host = hostOf(fault.hop.url);
  const value =
    fault.value === null ? 'without Access-Control-Allow-Origin' : `with Access-Control-Allow-Origin: ${fault.value}`;
  return {
    cause: fault.cause,
    message: message`${host} responds to HEAD for the ${resourceName(resource)} ${value}, so browsers block it; GET works.`,
    advice: message`Send the same Access-Control-Allow-Origin for HEAD as for GET.`,
    evidence: corsEvidence(head, fault.hop),
    dedupeKey: `head ${resource} ${host}`,
  };
}

function preflightProblem(
  resource: ResourceKind,
  preflight: Probe | null,
  headPreflight: Probe | null,
): Problem<Cause> | null {
  if (preflight === null || preflightFault(preflight, preflight.requestedHeaders ?? [PROBE_HEADER]) !== null)
    return null;
  if (headPreflight) {
    const fault = preflightFault(headPreflight, headPreflight.requestedHeaders ?? [PROBE_HEADER], 'HEAD');
    if (fault !== null && fault.value !== '429') {
      const host = hostOf(finalHop(headPreflight).url);
      return {
        cause: `preflight-${fault.cause}`,
        message: message`${host} accepts the preflight for GET of the ${resourceName(resource)}, but refuses the one for HEAD (${fault.value ?? fault.cause}).`,
        advice: message`Allow the methods GET and HEAD in the CORS settings of the host.`,
        evidence: corsEvidence(headPreflight),
        dedupeKey: `preflight ${resource} ${host}`,
      };
    }
  }
  return notListed(resource, headPreflight ?? preflight);
}

function notListed(resource: ResourceKind, probe: Probe): Problem<Cause> | null {
  const hop = finalHop(probe);
  const methods = tokens(headerValue(hop.headers, 'access-control-allow-methods') ?? '') ?? [];
  if (!methods.includes('GET') || methods.includes('HEAD') || methods.includes('*')) return null;
  return {
    severity: 'note',
    cause: 'not-listed',
    message: message`${hostOf(hop.url)} responds to the preflight for the ${resourceName(resource)} with Access-Control-Allow-Methods: ${methods.join(', ')}, without HEAD. Browsers allow HEAD anyway.`,
    advice: message`Send Access-Control-Allow-Methods: GET, HEAD`,
    evidence: corsEvidence(probe),
    dedupeKey: `listed ${hostOf(hop.url)}`,
  };
}

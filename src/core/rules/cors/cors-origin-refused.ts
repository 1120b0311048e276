import { isAlternating } from '../../http/judged-headers.ts';
import { message } from '../../text/message.ts';
import { hostOrCopy } from '../owners.ts';
import { otherAllowedOrigin, corsEvidence, corsFault, namesNoOrigin } from '../../http/cors.ts';
import { varyNames } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { mayDependOnOrigin } from '../../http/header-probes.ts';
import { hostOf, lastHop, statusOf } from '../../http/probe.ts';
import type { ResourceKind, Probe } from '../../facts/facts.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  'other-origin': { title: 'A different origin is allowed' },
  'origins-unknown': { title: 'The allowed origins are not known' },
  'redirect-null-origin': { title: 'After a redirect the origin is "null"' },
  'no-answer': { title: 'Requests with this origin get no response' },
  'status-*': { title: 'Requests with this origin get this status' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const corsOriginRefused = defineRule({
  id: 'cors-origin-refused',
  title: 'Origin that the host does not allow',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'origins'],
  severity: 'error',
  spec: '4.1',
  symptom: 'by-resource',
  owner: hostOrCopy,
  purge: 'last',
  view: 'browser',
  supersededBy: NOT_THE_FILE,
  causes: CAUSES,
  failsWhen:
    'the origin given with `--origin` is not allowed. Without `--origin`, a host that allows only certain origins is a warning',
  why: 'Only pages of the allowed origins can read the file. curl does not check this.',
  examples: {
    bad: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: https://other.example.com
Vary: Origin`,
    good: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Access-Control-Allow-Origin: https://flows.example.com
Vary: Origin`,
  },
  check({ resource, web, origins }) {
    if (isAlternating(web, 'Access-Control-Allow-Origin')) return null;
    const problems: Problem<Cause>[] = [];
    for (const probe of web.browser) {
      const problem =
        (mayDependOnOrigin(web) ? refusedStatus(resource, probe, origins.length > 0) : null) ??
        refusedOrigin(resource, probe, web.browser, origins.length > 0);
      // Allowed origins are a setting of the host, not of one file; the message names the host and the origin.
      if (problem) problems.push({ ...problem, dedupeKey: `${resource} ${problem.message}` });
    }
    return problems;
  },
});

/** The host responds to all clients except a browser of another origin. */
function refusedStatus(resource: ResourceKind, probe: Probe, named: boolean): Problem<Cause> | null {
  const status = statusOf(probe);
  const { failure } = probe;
  // A limit or a fault of the host says nothing about the origin; a range was requested only of the artifact, and a
  // host without range support closes the connection.
  if (
    failure === null
      ? status < 400 || [408, 416, 429].includes(status) || status >= 500
      : resource === 'artifact' || failure.phase === 'time'
  )
    return null;
  const host = hostOf(lastHop(probe)?.url ?? '');
  const how = failure === null ? `responds with ${status}` : `does not respond (${failure.code})`;
  return {
    cause: failure === null ? `status-${status}` : 'no-answer',
    severity: named ? 'error' : 'warning',
    message: message`${host} ${how} if the ${resourceName(resource)} is requested by a page of ${String(probe.origin)} (Origin, Referer); without these headers it responds with 2xx.`,
    advice: named
      ? message`Allow ${String(probe.origin)} in the host’s rules (CORS settings, hotlink protection, firewall).`
      : message`Check again with --origin <the service’s origin>; if that is also refused, check hotlink protection and firewall rules.`,
    evidence: corsEvidence(probe),
  };
}

function refusedOrigin(
  resource: ResourceKind,
  probe: Probe,
  probes: readonly Probe[],
  named: boolean,
): Problem<Cause> | null {
  const fault = corsFault(probe);
  if (!fault) return null;
  const { hop } = fault;
  const host = hostOf(hop.url);
  const evidence = corsEvidence(probe, hop);
  if (namesNoOrigin(fault) && !named && varyNames(hop.headers).includes('origin')) {
    return {
      cause: 'origins-unknown',
      severity: 'warning',
      message: message`${host} allows only certain origins to read the ${resourceName(resource)}, and does not name them.`,
      advice: message`Check again with --origin <the service’s origin>. In the service, the operator sets it as PUBLIC_URL.`,
      evidence,
    };
  }
  const allowed =
    named && fault.code === 'missing' && resource !== 'artifact' ? otherAllowedOrigin(probe, probes) : null;
  if (fault.code !== 'refused' && allowed === null) return null;
  if (fault.cause === 'redirect-null-origin') {
    return {
      cause: fault.cause,
      severity: named ? 'error' : 'warning',
      message: message`After the redirect to ${host} a browser sends Origin: null, which the value ${fault.value} does not allow.`,
      advice: message`Send Access-Control-Allow-Origin: * from ${host}, or list the URL after the redirect (${hop.url}). Never allow "null": any sandboxed page sends it.${named ? '' : ' To be certain, check again with --origin <the service’s origin>.'} (curl does not check this.)`,
      evidence,
    };
  }
  if (!named) {
    return {
      cause: 'other-origin',
      severity: 'warning',
      message: message`${host} allows only pages of ${String(fault.value)} to read the ${resourceName(resource)}. Whether the service runs there is unknown.`,
      advice: message`If the service runs at ${String(fault.value)}, check with --origin ${String(fault.value)}; otherwise allow its origin.`,
      evidence,
    };
  }
  return {
    cause: 'other-origin',
    message: message`${host} allows ${allowed === null ? 'only ' : ''}pages of ${allowed ?? String(fault.value)} to read the ${resourceName(resource)}, not pages of ${String(probe.origin)}.`,
    advice: message`Send Access-Control-Allow-Origin: ${String(probe.origin)} with Vary: Origin for requests with that Origin, or Access-Control-Allow-Origin: *`,
    evidence,
  };
}

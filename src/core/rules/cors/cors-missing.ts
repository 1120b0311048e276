import { isAlternating } from '../../http/judged-headers.ts';
import { message } from '../../text/message.ts';
import { hostOrCopy } from '../owners.ts';
import { otherAllowedOrigin, corsEvidence, corsFault } from '../../http/cors.ts';
import { varyNames } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf } from '../../http/probe.ts';
import type { ResourceKind } from '../../facts/facts.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

const CAUSES = {
  absent: { title: 'The header is missing' },
  'absent-on-redirect': { title: 'The header is missing on a redirect' },
  'absent-after-redirect': { title: 'The header is missing after a redirect' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

const WHERE: Readonly<Record<Cause, string>> = {
  absent: '',
  'absent-on-redirect': ' on the redirect',
  'absent-after-redirect': ' after the redirect',
};

/** Consequences for some kinds of files. */
const EFFECTS: Readonly<Partial<Record<ResourceKind, string>>> = {
  icon: ' A plain <img> would still show it.',
  artifact: ' If the service downloads artifacts on its servers, this has no effect.',
};

export const corsMissing = defineRule({
  id: 'cors-missing',
  title: 'Missing CORS header',
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
    'no Access-Control-Allow-Origin is sent for a manifest, metadata file or icon; for an artifact that is a note, since release hosts send none',
  why: 'Browsers discard the response: pages of the service can neither read the file nor, if they request it with CORS, show the icon. curl does not check this.',
  examples: {
    bad: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Content-Type: application/json`,
    good: `GET /registry.json
Origin: https://flows.example.com

HTTP/1.1 200 OK
Content-Type: application/json
Access-Control-Allow-Origin: *`,
  },
  check({ resource, web, origins }) {
    if (isAlternating(web, 'Access-Control-Allow-Origin')) return null;
    for (const probe of web.browser) {
      const fault = corsFault(probe);
      if (fault?.code !== 'missing') continue;
      const { hop } = fault;
      // Without a requested origin, a host that checks Origin has not shown which ones it allows: cors-origin-refused.
      if (origins.length === 0 && varyNames(hop.headers).includes('origin')) continue;
      // A host that allows another requested origin has a list without this one: cors-origin-refused as well.
      if (resource !== 'artifact' && otherAllowedOrigin(probe, web.browser) !== null) continue;
      // An error status for a refused origin (403 …) is reported there as well.
      if (hop.status >= 400) continue;
      const cause = causeOf(fault.index, probe.hops.length);
      const where = WHERE[cause];
      // After a redirect to another host a browser sends Origin: null, which an exact origin does not match.
      const nulled = fault.sent === 'null' && probe.origin !== 'null';
      const line =
        origins.length === 0 || nulled
          ? 'Access-Control-Allow-Origin: *'
          : `Access-Control-Allow-Origin: ${probe.origin} (with Vary: Origin), or Access-Control-Allow-Origin: *`;
      const unsure =
        origins.length === 0 && !nulled
          ? 'If it allows only certain origins, check again with --origin <the service’s origin>. '
          : '';
      return {
        cause,
        severity: resource === 'artifact' ? 'note' : 'error',
        message: message`${hostOf(hop.url)} sends no Access-Control-Allow-Origin${where}, so browsers block the ${resourceName(resource)}.${EFFECTS[resource] ?? ''}`,
        // The line to copy comes last, so that no full stop follows it.
        advice: message`${unsure}Configure ${nulled ? hostOf(hop.url) : 'the host'} to send ${line}`,
        evidence: corsEvidence(probe, hop),
        // A host that does not send it omits it for all its files.
        dedupeKey: `${resource} ${hostOf(hop.url)} ${where}`,
      };
    }
    return null;
  },
});

/** By the position of the response without the header. */
function causeOf(index: number, hops: number): Cause {
  if (hops === 1) return 'absent';
  return index < hops - 1 ? 'absent-on-redirect' : 'absent-after-redirect';
}

import { message } from '../../text/message.ts';
import type { HeaderGroup, ResourceKind, Probe } from '../../facts/facts.ts';
import { type Dependence, dependenceOf, isOther, isRefusal, otherAnswer } from '../../http/header-probes.ts';
import { fetchSite } from '../../url/site.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop, statusOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  'fetch-metadata': { title: 'Requests with Sec-Fetch headers are refused' },
  agent: { title: 'Requests with the User-Agent of a browser are refused' },
  'image-origin': { title: 'Image requests with a Referer are refused' },
  'image-fetch-metadata': { title: 'Image requests with Sec-Fetch headers are refused' },
  'image-agent': { title: 'Image requests with the User-Agent of a browser are refused' },
  'image-encoding': { title: 'Image requests that accept compression are refused' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const browserRefused = defineRule({
  id: 'browser-refused',
  title: 'Host that refuses browsers',
  on: 'resource',
  needs: ['resource', 'web', 'answer', 'image', 'origins'],
  severity: 'error',
  spec: '4.1',
  symptom: 'by-resource',
  refusesVersion: false,
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  causes: CAUSES,
  failsWhen:
    'a host serves server-side clients, but refuses requests of browsers because of headers other than Origin: Sec-Fetch-Site, Sec-Fetch-Mode and Sec-Fetch-Dest (a resource isolation policy), User-Agent, or the Referer of a plain <img>',
  why: 'Browsers send these headers with every request, and pages cannot omit them. CORS headers do not help if the host refuses the request.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK

GET /registry.json
Sec-Fetch-Site: cross-site

HTTP/1.1 403 Forbidden`,
    good: `GET /registry.json

HTTP/1.1 200 OK

GET /registry.json
Sec-Fetch-Site: cross-site

HTTP/1.1 200 OK`,
  },
  check({ resource, web, image: shown, origins }) {
    const probe = otherAnswer(web);
    if (probe !== null && isRefusal(probe)) {
      const group = groupOf(dependenceOf(web), ['origin', 'encoding']);
      return group === null ? null : problem(resource, probe, { group, mode: 'cors', cause: group }, origins);
    }
    const image = refusedImage(shown);
    const group = image === null ? null : groupOf(dependenceOf(web, 'image'), []);
    return image === null || group === null
      ? null
      : problem(resource, image, { group, mode: 'no-cors', cause: `image-${group}` }, origins);
  },
});

function refusedImage(image: Probe | null): Probe | null {
  return image && isOther(image) && isRefusal(image) ? image : null;
}

/** The group of headers that the refusal depends on, if it includes none of those that other rules report. */
function groupOf<Other extends HeaderGroup = never>(
  dependence: Dependence | null,
  others: readonly Other[],
): Exclude<HeaderGroup, Other> | null {
  if (dependence?.on !== 'headers') return null;
  const isOwn = (group: HeaderGroup): group is Exclude<HeaderGroup, Other> => !others.some((other) => other === group);
  const [first = null, ...more] = dependence.groups;
  return first !== null && isOwn(first) && more.every(isOwn) ? first : null;
}

function problem(
  resource: ResourceKind,
  probe: Probe,
  { group, mode, cause }: { group: HeaderGroup; mode: 'cors' | 'no-cors'; cause: Cause },
  origins: readonly string[],
): Problem<Cause> {
  const hop = lastHop(probe);
  const host = hostOf(hop?.url ?? '');
  const page = probe.origin ?? origins[0] ?? 'https://appreg-probe.invalid';
  const site = fetchSite(
    page,
    probe.hops.map(({ url }) => url),
  );
  const sent = `Sec-Fetch-Site: ${site}, Sec-Fetch-Mode: ${mode}, Sec-Fetch-Dest: ${resource === 'icon' ? 'image' : 'empty'}`;
  const how = probe.failure ? `does not respond (${probe.failure.code})` : `responds with ${statusOf(probe)}`;
  const way = mode === 'no-cors' ? ' by a plain <img>' : '';
  const WORDS: Readonly<Record<HeaderGroup, readonly [what: string, advice: string]>> = {
    'fetch-metadata': [
      `with ${sent}`,
      `Exempt the registry’s files from the resource isolation policy: allow ${mode} requests from other sites.`,
    ],
    agent: [
      'with the User-Agent of a browser',
      'Exempt the registry’s files from bot protection and User-Agent rules.',
    ],
    origin: ['with a Referer of another site', 'Exempt the icons from hotlink protection.'],
    encoding: [
      'with an Accept-Encoding that allows compression',
      'Correct the compression settings of the host for icons.',
    ],
  };
  const [what, advice] = WORDS[group];
  return {
    cause,
    message: message`${host} ${how} if the ${resourceName(resource)} is requested${way} ${what}; otherwise it responds with 2xx.`,
    advice: message`${advice}`,
    evidence: { requested: hop?.url ?? null, status: hop?.status || null, code: probe.failure?.code ?? null, sent },
    dedupeKey: `${resource} ${host} ${mode} ${group}`,
  };
}

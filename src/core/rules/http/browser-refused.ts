import { message } from '../../text/message.ts';
import type { HeaderGroup, ResourceKind, Probe } from '../../facts/facts.ts';
import { isPage } from '../../http/copies.ts';
import { type Dependence, dependenceOf, isOther, isRefusal, otherAnswer } from '../../http/header-probes.ts';
import { fetchSite } from '../../url/site.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { hostOf, lastHop, statusOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  origin: { title: 'Requests with an Origin get a page' },
  'fetch-metadata': { title: 'Requests with Sec-Fetch headers are refused' },
  agent: { title: 'Requests with the User-Agent of a browser are refused' },
  browser: { title: 'Only browsers get a page' },
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
    'a host serves server-side clients, but refuses requests of browsers because of headers other than Origin: Sec-Fetch-Site, Sec-Fetch-Mode and Sec-Fetch-Dest (a resource isolation policy), User-Agent, or the Referer of a plain <img>. A web page, or nothing, with status 200 refuses them too, also because of Origin',
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
    if (probe !== null && isPage(probe.copy)) {
      const group = pageGroup(dependenceOf(web));
      return group === null ? null : problem(resource, probe, { group, mode: 'cors', cause: group }, origins);
    }
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

/** The headers for which a browser gets a page; null if they only accept compression, or if it is not known. */
function pageGroup(dependence: Dependence | null): 'origin' | 'fetch-metadata' | 'agent' | 'browser' | null {
  if (dependence?.on === 'together') return 'browser';
  if (dependence?.on !== 'headers') return null;
  return dependence.groups.find((group) => group !== 'encoding') ?? null;
}

function refusedImage(image: Probe | null): Probe | null {
  return image && isOther(image) && (isRefusal(image) || isPage(image.copy)) ? image : null;
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
  { group, mode, cause }: { group: HeaderGroup | 'browser'; mode: 'cors' | 'no-cors'; cause: Cause },
  origins: readonly string[],
): Problem<Cause> {
  const hop = lastHop(probe);
  const host = hostOf(hop?.url ?? '');
  const from = probe.origin ?? origins[0] ?? 'https://appreg-probe.invalid';
  const site = fetchSite(
    from,
    probe.hops.map(({ url }) => url),
  );
  const sent = `Sec-Fetch-Site: ${site}, Sec-Fetch-Mode: ${mode}, Sec-Fetch-Dest: ${resource === 'icon' ? 'image' : 'empty'}`;
  const how = probe.failure ? `does not respond (${probe.failure.code})` : `responds with ${responseOf(probe)}`;
  const way = mode === 'no-cors' ? ' by a plain <img>' : '';
  const page = isPage(probe.copy) ? ' The page may be that of a login, a firewall or a bot protection.' : '';
  const WORDS: Readonly<Record<HeaderGroup | 'browser', readonly [what: string, advice: string]>> = {
    'fetch-metadata': [
      `with ${sent}`,
      `Exempt the registry’s files from the resource isolation policy: allow ${mode} requests from other sites.`,
    ],
    agent: [
      'with the User-Agent of a browser',
      'Exempt the registry’s files from bot protection and User-Agent rules.',
    ],
    origin:
      mode === 'no-cors'
        ? ['with a Referer of another site', 'Exempt the icons from hotlink protection.']
        : ['with an Origin and a Referer', 'Exempt the registry’s files from rules about other sites.'],
    browser: ['with the headers of a browser', 'Exempt the registry’s files from bot protection and login pages.'],
    encoding: [
      'with an Accept-Encoding that allows compression',
      'Correct the compression settings of the host for icons.',
    ],
  };
  const [what, advice] = WORDS[group];
  return {
    cause,
    message: message`${host} ${how} if the ${resourceName(resource)} is requested${way} ${what}; otherwise it responds with 2xx${isPage(probe.copy) ? ' and the file' : ''}.`,
    advice: message`${advice}${page}`,
    evidence: { requested: hop?.url ?? null, status: hop?.status || null, code: probe.failure?.code ?? null, sent },
    dedupeKey: `${resource} ${host} ${mode} ${group}`,
  };
}

function responseOf(probe: Probe): string {
  if (!isPage(probe.copy)) return String(statusOf(probe));
  return probe.copy?.decoded?.kind === 'html' ? `${statusOf(probe)} and a web page` : `${statusOf(probe)} and no bytes`;
}

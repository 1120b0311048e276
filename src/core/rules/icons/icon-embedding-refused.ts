import { message } from '../../text/message.ts';
import { answersToImages } from '../../http/answers.ts';
import { headerValue } from '../../http/headers.ts';
import { isAlternating } from '../../http/judged-headers.ts';
import type { Hop } from '../../facts/facts.ts';
import { parseUrl } from '../../url/url.ts';
import { hostOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  'same-origin': { title: 'Cross-Origin-Resource-Policy: same-origin' },
  'same-site': { title: 'Cross-Origin-Resource-Policy: same-site' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const iconEmbeddingRefused = defineRule({
  id: 'icon-embedding-refused',
  title: 'Icon that other sites may not embed',
  on: 'icon',
  needs: ['web', 'answer', 'origins'],
  severity: 'error',
  spec: '7',
  symptom: 'icon-does-not-display',
  owner: 'host',
  causes: CAUSES,
  failsWhen:
    'an icon is sent with Cross-Origin-Resource-Policy: same-origin, or with same-site while the service is on another site',
  why: 'Browsers then block a plain <img> on pages of the service, regardless of CORS.',
  examples: {
    bad: `GET /echo.svg

HTTP/1.1 200 OK
Content-Type: image/svg+xml
Cross-Origin-Resource-Policy: same-origin`,
    good: `GET /echo.svg

HTTP/1.1 200 OK
Content-Type: image/svg+xml
Cross-Origin-Resource-Policy: cross-origin`,
  },
  check({ web, origins }) {
    if (isAlternating(web, 'Cross-Origin-Resource-Policy')) return null;
    // Each hop is checked separately, redirects included.
    const problems = answersToImages(web)
      .flatMap(({ hops }) => hops)
      .map((hop) => refusal(hop, origins))
      .filter((problem) => problem !== null);
    return problems.filter(({ dedupeKey }, i) => problems.findIndex((one) => one.dedupeKey === dedupeKey) === i);
  },
});

function refusal(hop: Hop, origins: readonly string[]): Problem<Cause> | null {
  const policy = headerValue(hop.headers, 'cross-origin-resource-policy');
  if (policy !== 'same-origin' && policy !== 'same-site') return null;
  const own = parseUrl(hop.url);
  if (own === null) return null;
  const foreign = origins.filter((origin) =>
    policy === 'same-origin' ? origin !== own.origin : !maybeSameSite(origin, own),
  );
  if (origins.length > 0 && foreign.length === 0) return null;
  const host = hostOf(hop.url);
  return {
    // The service's origin is not known, and it may be on this very site.
    severity: origins.length === 0 && policy === 'same-site' ? 'warning' : 'error',
    cause: policy,
    message: message`${host} sends the icon with Cross-Origin-Resource-Policy: ${policy}, so browsers do not show it on ${foreign[0] ?? 'pages of other sites'}.`,
    advice: message`Send Cross-Origin-Resource-Policy: cross-origin with icons.`,
    evidence: { policy, origins },
    dedupeKey: `${policy} ${host}`,
  };
}

/**
 * Two hosts are on one site if they share a registrable domain; without the Public Suffix List, a shared suffix of two
 * labels is assumed to be a registrable domain.
 */
function maybeSameSite(origin: string, other: URL): boolean {
  const page = parseUrl(origin);
  if (page === null) return false;
  if (page.protocol !== other.protocol) return false;
  if (page.hostname === other.hostname) return true;
  const isAddress = /^\[|\.\d+$/.test(page.hostname);
  return !isAddress && lastLabels(page.hostname) === lastLabels(other.hostname);
}

function lastLabels(host: string): string {
  return host.split('.').slice(-2).join('.');
}

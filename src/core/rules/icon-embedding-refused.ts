import { header } from '../headers.ts';
import { defineRule } from '../rule.ts';
import { hostOf, lastHop } from '../visit.ts';

export const iconEmbeddingRefused = defineRule({
  id: 'icon-embedding-refused',
  on: 'icon',
  needs: ['answer', 'origins'],
  severity: 'error',
  spec: '7',
  symptom: 'icon-does-not-display',
  when: 'an icon says Cross-Origin-Resource-Policy: same-origin, or same-site and the service is at another site',
  why: 'A plain <img> on the service’s page is blocked by that header, whatever CORS allows.',
  check({ answer, origins }) {
    const hop = answer.hops.find((h) =>
      /^same-(origin|site)$/.test(header(h.headers, 'cross-origin-resource-policy') ?? ''),
    );
    if (!hop) return null;
    const policy = header(hop.headers, 'cross-origin-resource-policy')!;
    const own = new URL(hop.url);
    const foreign = origins.filter((origin) =>
      policy === 'same-origin' ? origin !== own.origin : !maybeSameSite(origin, own),
    );
    if (origins.length > 0 && foreign.length === 0) return null;
    // Where the service runs is not known, and it may be at this very site.
    const unsure = origins.length === 0 && policy === 'same-site';
    return {
      severity: unsure ? 'warning' : 'error',
      cause: policy,
      message: `${hostOf(lastHop(answer)!.url)} sends the icon with Cross-Origin-Resource-Policy: ${policy}, so browsers do not show it on ${foreign[0] ?? 'pages of other sites'}.`,
      advice: 'Send Cross-Origin-Resource-Policy: cross-origin with icons.',
      evidence: { policy, origins },
      once: `${policy} ${hostOf(hop.url)}`,
    };
  },
});

/** Two hosts are at one site when they share a registrable domain; without the public list of those, a shared end of two labels is given the benefit of the doubt. */
function maybeSameSite(origin: string, other: URL): boolean {
  if (!URL.canParse(origin)) return false;
  const asked = new URL(origin);
  if (asked.protocol !== other.protocol) return false;
  return asked.hostname === other.hostname || lastLabels(asked.hostname) === lastLabels(other.hostname);
}

function lastLabels(host: string): string {
  return host.split('.').slice(-2).join('.');
}

import type { Hop } from '../facts/facts.ts';
import { header, seconds } from './headers.ts';
import type { Evidence } from '../engine/report.ts';

/** Who answered, as far as the headers of an answer tell: a product in front of the files, and whether from its memory. */

interface Sign {
  name: string;
  /** A header that only this product sends, or one whose value names it. */
  header: string;
  value?: RegExp;
}

// The first that fits counts, so what stands in front comes before what it stands in front of.
const SIGNS: readonly Sign[] = [
  { name: 'Cloudflare', header: 'cf-ray' },
  { name: 'Cloudflare', header: 'server', value: /^cloudflare/i },
  { name: 'Amazon CloudFront', header: 'x-amz-cf-id' },
  { name: 'Amazon CloudFront', header: 'via', value: /cloudfront/i },
  { name: 'Akamai', header: 'server', value: /akamai/i },
  { name: 'Akamai', header: 'x-akamai-request-id' },
  { name: 'Azure Front Door', header: 'x-azure-ref' },
  { name: 'Bunny CDN', header: 'server', value: /^bunnycdn/i },
  { name: 'Vercel', header: 'x-vercel-id' },
  { name: 'Netlify', header: 'x-nf-request-id' },
  { name: 'GitHub Pages', header: 'server', value: /^github\.com/i },
  { name: 'GitHub', header: 'x-github-request-id' },
  { name: 'GitLab Pages', header: 'server', value: /gitlab/i },
  { name: 'Fastly', header: 'x-fastly-request-id' },
  { name: 'Fastly', header: 'x-served-by', value: /^cache-/i },
  { name: 'Google Cloud', header: 'via', value: /\bgoogle\b/i },
  { name: 'Google Cloud Storage', header: 'x-goog-generation' },
  { name: 'Varnish', header: 'x-varnish' },
  { name: 'Varnish', header: 'via', value: /varnish/i },
  { name: 'Squid', header: 'via', value: /squid/i },
  { name: 'Amazon S3', header: 'server', value: /^amazons3/i },
  { name: 'Azure Storage', header: 'x-ms-version' },
];

// Headers in which caches say whether they had the answer; RFC 9211's is among them.
const HITS: readonly [name: string, hit: RegExp][] = [
  ['cf-cache-status', /^(hit|stale|updating|revalidated)/i],
  ['x-cache', /\bhit\b|_hit\b|\brefreshhit\b/i],
  ['x-cache-status', /^(hit|stale|updating|revalidated)/i],
  ['x-vercel-cache', /^(hit|stale)/i],
  ['x-proxy-cache', /^hit/i],
  ['x-nginx-cache', /^hit/i],
  ['cdn-cache', /^hit/i],
  ['cache-status', /;\s*hit\b/i],
  ['x-varnish', /^\d+ \d+$/],
];

/**
 * Evidence about who answered: `servedBy`, a product or what the host calls itself, and `fromCache`, what shows that
 * the answer is a copy that a cache held. Both are absent where nothing tells.
 */
export function serverEvidence(hop: Hop | null): Evidence {
  if (hop === null) return {};
  const { headers } = hop;
  const evidence: Evidence = {};
  const sign = SIGNS.find(({ header: name, value }) => {
    const sent = header(headers, name);
    return sent !== null && (value === undefined || value.test(sent));
  });
  const by = sign?.name ?? header(headers, 'server');
  if (by) evidence['servedBy'] = by;
  const cached = cacheSign(hop);
  if (cached !== null) evidence['fromCache'] = cached;
  return evidence;
}

/** The header that shows an answer to be a cache's copy, or null. An age of 0 shows nothing. */
function cacheSign({ headers }: Hop): string | null {
  const age = seconds(header(headers, 'age'));
  const signs = age !== null && age > 0 ? [`age: ${age}`] : [];
  for (const [name, hit] of HITS) {
    const value = header(headers, name);
    if (value !== null && hit.test(value)) signs.push(`${name}: ${value}`);
  }
  return signs.length === 0 ? null : signs.join(', ');
}

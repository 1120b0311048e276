import type { Hop } from '../facts/facts.ts';
import type { Evidence } from '../values/evidence.ts';
import { headerValue, secondsIn } from './headers.ts';

/**
 * Identifies the responding server from the headers of a response: the product in front of the files, and whether it
 * served the response from its cache.
 */

interface Sign {
  name: string;
  /** A header that only this product sends, or one whose value names it. */
  header: string;
  value?: RegExp;
}

// The first match counts, so a product is listed before those that it is deployed in front of.
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

// Headers in which caches report hits, including that of RFC 9211.
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
 * Evidence about the responding server: `servedBy`, a product or the name that the host gives itself, and `fromCache`,
 * the header that shows the response to be a cached copy. Each is absent if unknown.
 */
export function serverEvidence(hop: Hop | null): Evidence {
  if (hop === null) return {};
  const { headers } = hop;
  const evidence: Evidence = {};
  const sign = SIGNS.find(({ header: name, value }) => {
    const sent = headerValue(headers, name);
    return sent !== null && (value === undefined || value.test(sent));
  });
  const by = sign?.name ?? headerValue(headers, 'server');
  if (by) evidence['servedBy'] = by;
  const cached = cacheSign(hop);
  if (cached !== null) evidence['fromCache'] = cached;
  return evidence;
}

/** The header that shows a response to be a cached copy, or null. An age of 0 proves nothing. */
function cacheSign({ headers }: Hop): string | null {
  const age = secondsIn(headerValue(headers, 'age'));
  const signs = age !== null && age > 0 ? [`age: ${age}`] : [];
  for (const [name, hit] of HITS) {
    const value = headerValue(headers, name);
    if (value !== null && hit.test(value)) signs.push(`${name}: ${value}`);
  }
  return signs.length === 0 ? null : signs.join(', ');
}

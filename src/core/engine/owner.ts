import type { Hop, HttpViews } from '../facts/facts.ts';
import { header, seconds } from '../http/headers.ts';
import { lastHop } from '../http/probe.ts';
import { causeOfFinding, ruleById } from '../rules/lookup.ts';
import { isCachedCopy, isIssuedByInterceptor, type Owner } from '../rules/owners.ts';
import { message, type SafeText } from '../text/message.ts';
import type { Finding } from '../findings/report.ts';
import type { Evidence } from '../values/evidence.ts';

/** The party that has to act on a finding, and the steps of its advice that depend on it. */

type Attributable = Pick<Finding, 'rule' | 'cause' | 'evidence'>;

/** The party that has to act on a finding. A rule that is not part of this library is attributed to the author. */
export function ownerOf(finding: Attributable): Owner {
  const owner = causeOfFinding(finding)?.owner ?? ruleById(finding.rule)?.owner ?? 'author';
  return typeof owner === 'function' ? owner(finding) : owner;
}

const INTERCEPTED =
  'A device on this network intercepts TLS connections and responds instead of the host: check from another network, or ask its operator to exempt this host. Otherwise:';
const PURGE_FIRST = 'This is a cached copy: purge the cache, and check again. If that does not help:';
const PURGE_LAST = 'Then purge the caches, and check again.';

/**
 * The finding's advice, with the steps to take before or after it depending on the party that has to act.
 * @param web the responses of its resource's URL, or null
 */
export function withSteps(finding: Attributable & Pick<Finding, 'advice'>, web: HttpViews | null): SafeText {
  const { rule, advice } = finding;
  const evidence = web === null ? finding.evidence : { ...serverEvidence(answerFor(rule, web)), ...finding.evidence };
  const whole = { ...finding, evidence };
  const owner = ownerOf(whole);
  // If a proxy was used, the rule's own advice begins with it.
  const hasProxy = evidence['proxy'] !== undefined;
  if (owner === 'network' && !hasProxy && isIssuedByInterceptor(whole)) return message`${INTERCEPTED} ${advice}`;
  const purge = causeOfFinding(finding)?.purge ?? ruleById(rule)?.purge;
  if (owner !== 'cache' || !isCachedCopy(whole) || purge === 'in-advice') return message`${advice}`;
  return purge === 'last' ? message`${sentence(advice)} ${PURGE_LAST}` : message`${PURGE_FIRST} ${advice}`;
}

function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}

/** A browser may get another copy than the service, so findings about the browser's response use that response. */
export function answerFor(rule: string, web: HttpViews): Hop | null {
  const asBrowser = ruleById(rule)?.view === 'browser' ? web.browser[0] : undefined;
  return lastHop(asBrowser ?? web.server);
}

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
    const sent = header(headers, name);
    return sent !== null && (value === undefined || value.test(sent));
  });
  const by = sign?.name ?? header(headers, 'server');
  if (by) evidence['servedBy'] = by;
  const cached = cacheSign(hop);
  if (cached !== null) evidence['fromCache'] = cached;
  return evidence;
}

/** The header that shows a response to be a cached copy, or null. An age of 0 proves nothing. */
function cacheSign({ headers }: Hop): string | null {
  const age = seconds(header(headers, 'age'));
  const signs = age !== null && age > 0 ? [`age: ${age}`] : [];
  for (const [name, hit] of HITS) {
    const value = header(headers, name);
    if (value !== null && hit.test(value)) signs.push(`${name}: ${value}`);
  }
  return signs.length === 0 ? null : signs.join(', ');
}

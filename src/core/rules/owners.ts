import type { Finding } from '../findings/report.ts';

/**
 * The party that has to act on a finding: a first guess for support engineers, derived only from observed facts.
 *
 * - `author`: the party that writes and uploads the registry's files
 * - `host`: the web server or object store that serves them
 * - `cache`: a CDN or cache in front of the host
 * - `network`: anything in between: DNS, proxies, firewalls, TLS interception
 * - `service`: the operator of the subscriber service
 * - `user`: the user of the check, whose proxy, clock or credentials cause it, whose network has a portal that responds
 *   instead of the host, or who requested something that is listed under another name
 */
export type Owner = 'author' | 'host' | 'cache' | 'network' | 'service' | 'user';

/** The parts of a finding that decide who has to act. */
type OwnedFinding = Pick<Finding, 'cause' | 'evidence'>;

/** The owner, if it depends on the evidence. */
export type OwnerByEvidence = (finding: OwnedFinding) => Owner;

/** True if the evidence shows that the response was a cached copy (see http/server-identity.ts). */
export function isCachedCopy({ evidence }: OwnedFinding): boolean {
  return typeof evidence['fromCache'] === 'string' || Number(evidence['age'] ?? 0) > 0;
}

const CDNS = /^(Cloudflare|Amazon CloudFront|Akamai|Azure Front Door|Bunny CDN|Fastly|Varnish|Squid)$/;

/** The response of the host, unless it was an older copy from a cache. */
export const hostOrCopy: OwnerByEvidence = (finding) => (isCachedCopy(finding) ? 'cache' : 'host');

/** The content of a file, unless it was an older copy from a cache. */
export const authorOrCopy: OwnerByEvidence = (finding) => (isCachedCopy(finding) ? 'cache' : 'author');

/** The host, unless a product that caches and converts is in front of it, even if it sent no copy this time. */
export const hostOrCache: OwnerByEvidence = (finding) =>
  isCachedCopy(finding) || CDNS.test(String(finding.evidence['servedBy'] ?? '')) ? 'cache' : 'host';

/** A page instead of a file: a sign-in page is a setting of the host; otherwise the file is missing. */
export const pageOwner: OwnerByEvidence = ({ evidence }) => {
  const { page } = evidence;
  if (page === 'portal') return 'user';
  return page === 'app-shell' || page === 'error-page' || page === 'parked' || page === 'no-site' ? 'author' : 'host';
};

/** The host, unless a portal or proxy of the checker’s network responded instead. */
export const portalOrHost: OwnerByEvidence = ({ evidence }) => (evidence['page'] === 'portal' ? 'user' : 'host');

// Issuers of the certificates that TLS-inspecting proxies and virus scanners create.
const INTERCEPTORS =
  /zscaler|netskope|forti(net|gate)|blue ?coat|palo ?alto|sophos|kaspersky|avast|\bavg\b|\beset\b|mcafee|cisco umbrella|forcepoint|websense|bitdefender|barracuda|watchguard|check ?point|untangle|mitmproxy|charles proxy|fiddler|burp|cato networks|smoothwall|lightspeed|securly/i;

/** True if the certificate was issued by a product that intercepts TLS. */
export function isIssuedByInterceptor({ evidence }: OwnedFinding): boolean {
  return INTERCEPTORS.test(String(evidence['issuer'] ?? ''));
}

/** True if the request went through a proxy of the user, which may have replaced what the host sent. */
function isProxied({ evidence }: OwnedFinding): boolean {
  return typeof evidence['proxy'] === 'string' && evidence['publicAuthority'] !== true;
}

/** A failed handshake, which is that of the proxy if there is one: the host itself was not seen. */
export const proxyOr =
  (owner: Owner): OwnerByEvidence =>
  (finding) =>
    isProxied(finding) ? 'user' : owner;

/** The certificate of a host, unless a proxy of the user or something on the network replaced it. */
export const interceptorOrHost: OwnerByEvidence = (finding) => {
  if (isProxied(finding)) return 'user';
  return isIssuedByInterceptor(finding) ? 'network' : 'host';
};

/** A certificate that is trusted only locally, unless something on the network put it there. */
export const interceptorOrService: OwnerByEvidence = (finding) =>
  isIssuedByInterceptor(finding) ? 'network' : 'service';

import type { Hop, HttpViews } from '../facts/facts.ts';
import type { Finding } from './report.ts';
import { serverEvidence } from '../http/server-identity.ts';
import { lastHop } from '../http/probe.ts';

/** The party that has to act on a finding: a first guess for support engineers, derived from observed facts only. */

/**
 * - `author`: the party that writes and uploads the registry's files
 * - `host`: the web server or object store that serves them
 * - `cache`: a CDN or cache in front of the host
 * - `network`: anything in between: DNS, proxies, firewalls, TLS interception
 * - `service`: the operator of the subscriber service
 * - `asker`: the client that requested something listed under another name
 */
export type Actor = 'author' | 'host' | 'cache' | 'network' | 'service' | 'asker';

type Attributable = Pick<Finding, 'rule' | 'cause' | 'resource' | 'evidence'>;
type Attribution = Actor | ((finding: Attributable) => Actor);

/** True if the evidence shows that the response was a cached copy (see server-identity.ts). */
function isCopy({ evidence }: Attributable): boolean {
  return typeof evidence['fromCache'] === 'string' || Number(evidence['age'] ?? 0) > 0;
}

const CDNS = /^(Cloudflare|Amazon CloudFront|Akamai|Azure Front Door|Bunny CDN|Fastly|Varnish|Squid)$/;

/**
 * True if a product that caches and converts is in front of the host, whether or not it served this response from
 * cache.
 */
function isFronted(finding: Attributable): boolean {
  return isCopy(finding) || CDNS.test(String(finding.evidence['servedBy'] ?? ''));
}

/** The host's response, unless it was an older copy from a cache. */
const hostOrCopy = (finding: Attributable): Actor => (isCopy(finding) ? 'cache' : 'host');
/** The content of a file, unless it was an older copy from a cache. */
const authorOrCopy = (finding: Attributable): Actor => (isCopy(finding) ? 'cache' : 'author');

// Issuers of the certificates that TLS-inspecting proxies and virus scanners create.
const INTERCEPTORS =
  /zscaler|netskope|forti(net|gate)|blue ?coat|palo ?alto|sophos|kaspersky|avast|\bavg\b|\beset\b|mcafee|cisco umbrella|forcepoint|websense|bitdefender|barracuda|watchguard|check ?point|untangle|mitmproxy|charles proxy|fiddler|burp|cato networks|smoothwall|lightspeed|securly/i;

/** True if the certificate was issued by a TLS-intercepting product. */
function isIntercepted({ rule, cause, evidence }: Attributable): boolean {
  if (rule !== 'tls-untrusted' && rule !== 'tls-expiring') return false;
  const unknown = cause === 'unknown-issuer' || cause === 'self-signed' || cause === 'incomplete-chain';
  return (unknown && typeof evidence['proxy'] === 'string') || INTERCEPTORS.test(String(evidence['issuer'] ?? ''));
}

const UNREACHABLE: Readonly<Record<string, Attribution>> = {
  'dns-not-found': 'network',
  'dns-temporary': 'network',
  'dns-failed': 'network',
  'no-route': 'network',
  'connect-timeout': 'network',
  'connection-failed': 'network',
  reset: 'network',
  'tls-reset': 'network',
  'tls-timeout': 'network',
  'not-http': 'network',
  failed: 'network',
  'status-407': 'network',
  'captive-portal': 'network',
  'status-404': authorOrCopy,
  'status-410': authorOrCopy,
  'status-451': 'author',
  'signature-expired': 'author',
  'partial-unasked': 'cache',
  'status-304': 'cache',
  'content-encoding-broken': (finding) => (isFronted(finding) ? 'cache' : 'host'),
};

/** A page in place of a file is attributed to the host if it is a sign-in page; otherwise the file is missing. */
const pageOrMissing = ({ evidence }: Attributable): Actor =>
  evidence['page'] === 'app-shell' || evidence['page'] === 'error-page' ? 'author' : 'host';

const MISMATCH: Readonly<Record<string, Attribution>> = {
  'decoded-bytes-match': (finding) => (isFronted(finding) ? 'cache' : 'host'),
  're-encoded': (finding) => (isFronted(finding) ? 'cache' : 'host'),
  intermittent: (finding) => (isFronted(finding) ? 'cache' : 'host'),
  'html-page': pageOrMissing,
  'json-error': 'host',
  'xml-error': 'host',
  'program-message': 'host',
  'lfs-pointer': 'host',
  // A cached copy may be older than the file and its entry.
  'other-bytes': authorOrCopy,
  truncated: authorOrCopy,
  'empty-file': authorOrCopy,
};

const UNREADABLE: Readonly<Record<string, Attribution>> = {
  'html-page': pageOrMissing,
  'git-lfs-pointer': 'host',
  'xml-error': 'host',
  empty: authorOrCopy,
  truncated: authorOrCopy,
};

/** Attribution by cause, for rules that have several. */
function byCause(causes: Readonly<Record<string, Attribution>>, otherwise: Attribution): Attribution {
  return (finding) => {
    const cause = finding.cause ?? '';
    const known = Object.hasOwn(causes, cause) ? causes[cause]! : /^(proxy|dns)-/.test(cause) ? 'network' : otherwise;
    return typeof known === 'function' ? known(finding) : known;
  };
}

/** Every rule has an entry, which test/house.test.ts checks. */
export const ACTORS: Readonly<Record<string, Attribution>> = {
  'file-missing': 'author',
  'file-name-differs': 'author',
  'document-unreadable': byCause(UNREADABLE, 'author'),
  'document-oversized': byCause({ bytes: 'host' }, 'author'),
  'schema-violation': 'author',
  'json-duplicate-key': 'author',
  'json-byte-order-mark': 'author',
  'property-unknown': 'author',
  'text-empty': 'author',
  'text-unprintable': 'author',
  'app-key-unsafe': 'author',
  'app-key-ambiguous': 'author',
  'app-key-unportable': 'author',
  'no-apps': authorOrCopy,
  'block-color-malformed': 'author',
  'metadata-url-shared': 'author',
  'url-malformed': 'author',
  'url-insecure': 'author',
  'url-port-blocked': 'author',
  'url-unusual': 'author',
  'url-unstable': 'author',
  'url-signed-expiring': 'author',
  'icon-suffix': 'author',
  'artifact-suffix': 'author',
  'version-not-semver': 'author',
  'version-not-plain': 'author',
  'version-number-too-large': 'author',
  'version-duplicate': 'author',
  'no-valid-versions': 'author',
  'checksum-malformed': 'author',
  'checksum-placeholder': 'author',
  'artifact-url-shared': 'author',
  'checksum-shared': 'author',
  'metadata-orphaned': 'author',
  'version-withdrawn': authorOrCopy,
  'artifact-changed': 'author',
  'artifact-moved': 'author',
  'app-withdrawn': authorOrCopy,
  'app-not-listed': byCause({ absent: authorOrCopy, 'no-apps': authorOrCopy }, 'asker'),
  'version-not-listed': byCause({ absent: authorOrCopy, 'no-versions': authorOrCopy }, 'author'),
  unreachable: byCause(UNREACHABLE, 'host'),
  'tls-untrusted': (finding) =>
    isIntercepted(finding) ? 'network' : finding.cause === 'private-ca' ? 'service' : 'host',
  'tls-expiring': (finding) => (isIntercepted(finding) ? 'network' : 'host'),
  'redirect-insecure': 'host',
  'redirect-excessive': 'host',
  'url-moved': 'author',
  'unsolicited-continue': 'host',
  'conditional-request-rejected': 'host',
  'head-refused': 'host',
  'rate-limited': 'host',
  'host-limits-requests': 'host',
  'host-intermittent': 'host',
  'addresses-differ': 'host',
  'cors-missing': hostOrCopy,
  'cors-invalid': hostOrCopy,
  'cors-origin-refused': hostOrCopy,
  'cors-preflight-refused': 'host',
  'cors-not-varied': 'host',
  'cors-wildcard': 'host',
  'cors-head-refused': 'host',
  'cors-revalidation-refused': hostOrCopy,
  'browser-refused': 'host',
  'compressed-copy-unreadable': hostOrCopy,
  'compressed-copy-differs': hostOrCopy,
  'compressed-copy-not-varied': 'host',
  'answers-differ': hostOrCopy,
  'content-type-wrong': 'host',
  'cache-lifetime-long': byCause({ 'stale-copy': 'cache' }, 'host'),
  'cache-lifetime-missing': 'host',
  'last-modified-only': 'host',
  'etag-unstable': 'host',
  'not-modified-incorrect': (finding) => (isFronted(finding) ? 'cache' : 'host'),
  'content-encoded': (finding) => (isFronted(finding) ? 'cache' : 'host'),
  'artifact-checksum-mismatch': byCause(MISMATCH, 'author'),
  'artifact-bomb': 'author',
  'artifact-not-tar-gz': 'author',
  'artifact-unsafe-entry': 'author',
  'artifact-no-app': 'author',
  'artifact-trailing-data': 'author',
  'icon-not-image': byCause({ html: 'host', json: 'host', xml: 'host', 'program-message': 'host' }, 'author'),
  'icon-type-wrong': 'host',
  'icon-embedding-refused': 'host',
  'icon-oversized': 'author',
  'icon-svg-active': 'author',
};

/** The party that has to act on a finding. A rule that is not part of this library is attributed to the author. */
export function actorOf(finding: Attributable): Actor {
  const attribution = Object.hasOwn(ACTORS, finding.rule) ? ACTORS[finding.rule]! : 'author';
  return typeof attribution === 'function' ? attribution(finding) : attribution;
}

/** Findings caused by a setting: a purged cache fills with bad copies again unless the setting is fixed first. */
const OF_A_SETTING = new Set([
  'content-encoded',
  'not-modified-incorrect',
  'cors-missing',
  'cors-invalid',
  'cors-origin-refused',
  'unreachable content-encoding-broken',
  'artifact-checksum-mismatch decoded-bytes-match',
  'artifact-checksum-mismatch re-encoded',
]);

const INTERCEPTED =
  'Something on this network opens TLS connections and answers in the host’s place: check from another network, or have its operator leave this host alone. Otherwise:';
const PURGE_FIRST = 'What was seen is a copy that a cache held: purge it, and ask again. If the new copy is no better:';
const PURGE_LAST = 'Then purge what caches hold of it, and check again.';

/**
 * The finding's advice, with the steps to take before or after it depending on the party that has to act.
 * @param web the responses of its resource's URL, or null
 */
export function withSteps(finding: Attributable & Pick<Finding, 'advice'>, web: HttpViews | null): string {
  const { rule, cause, advice } = finding;
  const evidence = web === null ? finding.evidence : { ...serverEvidence(answerFor(rule, web)), ...finding.evidence };
  const whole = { ...finding, evidence };
  // If a proxy was used, the rule's own advice begins with it.
  if (isIntercepted(whole) && evidence['proxy'] === undefined) return `${INTERCEPTED} ${advice}`;
  if (actorOf(whole) !== 'cache' || !isCopy(whole) || rule === 'cache-lifetime-long') return advice;
  if (OF_A_SETTING.has(rule) || OF_A_SETTING.has(`${rule} ${cause}`)) return `${sentence(advice)} ${PURGE_LAST}`;
  return `${PURGE_FIRST} ${advice}`;
}

function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}

/** A browser may get another copy than the service, so findings about the browser's response use that response. */
export function answerFor(rule: string, web: HttpViews): Hop | null {
  const asBrowser = rule.startsWith('cors-') ? web.browser[0] : undefined;
  return lastHop(asBrowser ?? web.server);
}

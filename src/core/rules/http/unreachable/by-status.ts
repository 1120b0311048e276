import { message, safe } from '../../../text/message.ts';
import type { Hop, Probe } from '../../../facts/facts.ts';
import { headerValue, retryAfter } from '../../../http/headers.ts';
import { areCredentialsRefused, hostOf, statusOf } from '../../../http/probe.ts';
import { INTERCEPTIONS, interceptionText } from '../../../http/interception-text.ts';
import { type Interception, type InterceptionKind, interceptionOf } from '../../../http/interception.ts';
import { storeError, storeErrorCode, urlInOtherRegion } from '../../../http/store-error.ts';
import { urlExpiry } from '../../../url/signed-url.ts';
import { parseUrl } from '../../../url/url.ts';
import { explain, type Explanation, type Row } from './causes.ts';
import { otherRegion, useHttps } from './response-failures.ts';
import { statusAdvice } from './status-advice.ts';

/** A response with a status other than 2xx. */
interface RefusedRequest {
  probe: Probe;
  hop: Hop;
  status: number;
  /** ISO 8601: when the signature of the URL expired; null if it has none, or did not. */
  expiredAt: string | null;
  /** The code of the error message of an object store, or null. */
  code: string | null;
  /** The product that responded instead of the host, or null. */
  intercepted: Interception | null;
  /** True for the first request of a run. */
  isFirst: boolean;
  /** Seconds that the host asks to wait; null if it names no time. */
  wait: number | null;
  /** "the host responds with 403 (AccessDenied)" */
  lead: string;
  /** " after 2 redirects", or ''. */
  where: string;
}

const INTERCEPTED_CAUSES = {
  'bot-protection': 'bot-protection',
  firewall: 'firewall',
  'origin-down': 'origin-down',
  maintenance: 'maintenance',
  'no-site': 'no-site',
  parked: 'parked-domain',
  portal: 'captive-portal',
} as const satisfies Readonly<Record<InterceptionKind, Explanation['cause']>>;

/** The texts of nginx, Apache, Go (Caddy, Traefik), Tomcat and IIS for an unencrypted request to a port for TLS. */
const EXPECTS_TLS =
  /plain HTTP request was sent to HTTPS port|plain HTTP to an SSL|HTTP request to an HTTPS server|combination of host and port requires TLS|secured with Secure Sockets Layer|viewed over a secure channel/i;

const STATUSES: readonly Row<RefusedRequest>[] = [
  {
    when: ({ status, hop }) =>
      hop.url.startsWith('http:') && (status === 497 || (status >= 400 && EXPECTS_TLS.test(hop.excerpt ?? ''))),
    cause: 'expects-tls',
    message: ({ lead, where }) =>
      message`${lead}${where}: it expects TLS on this port, and the request was plain http.`,
    advice: ({ hop }) => useHttps(hop.url),
  },
  {
    when: ({ status, expiredAt }) => expiredAt !== null && [400, 401, 403, 410].includes(status),
    cause: 'signature-expired',
    message: ({ lead, expiredAt }) => message`${lead}; the signed URL expired at ${String(expiredAt)}.`,
    advice: message`List a URL that does not expire, or sign it again.`,
  },
  {
    when: ({ probe }) => areCredentialsRefused(probe),
    cause: 'credentials-refused',
    message: ({ lead, where }) => message`${lead}${where}: it refuses the credentials that were sent.`,
    advice: message`Check the given credentials (appreg verify: --header, --header-env; the service: those of the registry): that they are valid, have not expired, and allow reading this file. Some hosts respond in the same way for missing files.`,
  },
  {
    when: ({ status, hop }) =>
      status === 496 || (status === 400 && /SSL certificate|client certificate/i.test(hop.excerpt ?? '')),
    cause: 'client-certificate-required',
    message: ({ lead }) => message`${lead}: it requires a client certificate.`,
    advice: message`The service has none: do not require one for this file, or list signed URLs.`,
  },
  {
    when: ({ intercepted }) => intercepted !== null,
    cause: ({ intercepted }) => (intercepted === null ? 'failed' : INTERCEPTED_CAUSES[intercepted.kind]),
    message: ({ lead, where, intercepted }) =>
      message`${lead}${where}: ${intercepted === null ? '' : interceptionText(intercepted)}.`,
    advice: ({ intercepted }) => (intercepted === null ? message`` : INTERCEPTIONS[intercepted.kind].advice),
    evidence: ({ intercepted }) => ({ product: intercepted?.product ?? null }),
  },
  {
    // Nothing was requested before the manifest, so this is not a limit of requests.
    when: ({ status, wait, isFirst }) => status === 503 && wait !== null && isFirst,
    cause: 'maintenance',
    message: ({ lead, wait }) =>
      message`${lead} and requests a delay of ${String(wait)} s: it is unavailable, as during maintenance.`,
    advice: message`Check the status page of the host, and check again after that time.`,
    evidence: ({ hop }) => ({ retryAfter: headerValue(hop.headers, 'retry-after') }),
  },
  {
    when: ({ status, wait }) => status === 429 || (status === 503 && wait !== null),
    cause: 'rate-limited',
    message: ({ lead, wait }) =>
      message`${lead}${wait === null ? '' : ` and requests a delay of ${wait} s`}, also when no other request was in flight.`,
    advice: message`Raise the limit of requests per client at the host, exempt static files from it, or choose a host without one.`,
    evidence: ({ hop }) => ({ retryAfter: headerValue(hop.headers, 'retry-after') }),
  },
  {
    when: ({ status }) => status === 511,
    cause: 'captive-portal',
    message: ({ hop }) =>
      message`a captive portal of this network responded with 511 (Network Authentication Required) instead of ${hostOf(hop.url)}.`,
    advice: message`Sign in to that network in a browser, or run the check from another network: the host was not reached.`,
  },
  {
    when: ({ hop }) => urlInOtherRegion(hop) !== null,
    cause: 'wrong-region',
    message: ({ lead, where, hop }) => message`${lead}${where}: ${safe(otherRegion(hop).message)}`,
    advice: ({ hop }) => otherRegion(hop).advice,
  },
  {
    when: ({ code }) => storeError(code) !== null,
    cause: ({ status }) => `status-${status}`,
    message: ({ lead, where, code }) => message`${lead}${where}: ${storeError(code)?.means ?? ''}`,
    advice: ({ code }) => storeError(code)?.advice ?? message``,
  },
  {
    when: ({ status, hop }) => status === 401 && hop.credentialsFor !== undefined,
    cause: 'status-401',
    message: ({ lead, where, hop }) =>
      message`${lead}${where}: authentication is required, and the given credentials were not sent there, since they are only for ${hop.credentialsFor ?? ''}.`,
    advice: message`Make the file public, list signed URLs, or serve it from the origin of the manifest: the service sends credentials to no other one either.`,
    evidence: ({ hop }) => ({ credentialsFor: hop.credentialsFor ?? null }),
  },
  {
    when: ({ status }) => status === 404,
    cause: 'status-404',
    message: ({ lead, where }) => message`${lead}${where}: the file does not exist.`,
    advice: message`Check the URL (it is case-sensitive), and that the file was uploaded.`,
  },
  {
    when: ({ status }) => status === 403,
    cause: 'status-403',
    message: ({ lead, where, hop: { credentialsFor } }) =>
      message`${lead}${where}: the file is not public, or does not exist (some hosts hide missing files this way)${credentialsFor === undefined ? '' : `; the given credentials were not sent there, since they are only for ${credentialsFor}`}.`,
    advice: message`Make the file public, check that it exists, and that no firewall rule blocks automated clients.`,
  },
  {
    when: ({ status }) => status === 401,
    cause: 'status-401',
    message: ({ lead, where }) => message`${lead}${where}: authentication is required.`,
    advice: message`Make the file public, list signed URLs, or give the credentials of the registry (appreg verify: --header-env).`,
  },
  {
    when: ({ status }) => status === 407,
    cause: 'status-407',
    message: ({ lead, where }) => message`${lead}${where}: a proxy requires authentication.`,
    advice: message`Give the credentials of the proxy in the URL of the proxy variable, or run the check from another network.`,
  },
  {
    when: ({ status }) => status === 410,
    cause: 'status-410',
    message: ({ lead, where }) => message`${lead}${where}: the file was removed intentionally.`,
    advice: message`Published files must keep their URLs: restore it.`,
  },
  {
    when: ({ status }) => status === 451,
    cause: 'status-451',
    message: ({ lead, where }) => message`${lead}${where}: the file is unavailable for legal reasons.`,
    advice: message`Resolve the legal demand with the host, or publish the file at another host, and list that URL.`,
  },
  {
    when: ({ status }) => status === 304,
    cause: 'status-304',
    message: ({ lead }) => message`${lead} (not modified) although the request was not conditional.`,
    advice: message`A cache in front of the host is broken: purge it.`,
  },
];

/** Explains a response whose status shows that it is not the file. */
export function explainStatus(probe: Probe, hop: Hop, now: number, isFirst = false): Explanation {
  const status = statusOf(probe);
  const code = storeErrorCode(hop);
  const intercepted = interceptionOf(hop, hop.excerpt ?? '');
  const lead = `the host responds with ${status}${code === null ? '' : ` (${code})`}`;
  const where = afterRedirects(probe);
  const wait = retryAfter(headerValue(hop.headers, 'retry-after'), now);
  const known = explain(STATUSES, {
    probe,
    hop,
    status,
    expiredAt: expiredAt(hop, now),
    code,
    intercepted,
    isFirst,
    wait,
    lead,
    where,
  });
  const found = known ?? otherStatus(status, `${lead}${where}`, probe.attempts);
  return { ...found, evidence: { ...(code === null ? {} : { hostCode: code }), ...found.evidence } };
}

function otherStatus(status: number, lead: string, attempts: number): Explanation {
  const { means, advice } = statusAdvice(status);
  const times = status >= 500 && attempts > 1 ? `, ${attempts} times in a row` : '';
  return { cause: `status-${status}`, message: message`${lead}${times}: ${means}.`, advice };
}

function expiredAt({ url }: Hop, now: number): string | null {
  const parsed = parseUrl(url);
  const expiry = parsed && urlExpiry(parsed);
  return expiry && expiry.expiresAt <= now ? new Date(expiry.expiresAt).toISOString() : null;
}

/** A phrase to append to a status; '' if the first URL responded itself, however it is spelled. */
function afterRedirects({ hops }: Probe): string {
  if (hops.length < 2) return '';
  return ` after ${hops.length === 2 ? 'a redirect' : `${hops.length - 1} redirects`}`;
}

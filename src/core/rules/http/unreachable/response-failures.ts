import type { Failure, Hop, Probe } from '../../../facts/facts.ts';
import { headerValue, headerLines } from '../../../http/headers.ts';
import { isInvalidHttp, lastHop } from '../../../http/probe.ts';
import { urlInOtherRegion } from '../../../http/store-error.ts';
import { TLS_EXPECTED } from '../../../http/failed-request.ts';
import { message, safe, type SafeText } from '../../../text/message.ts';
import { counted, printable, shorten } from '../../../text/text.ts';
import { type FailedRequest, hasCode, type Row } from './causes.ts';

/** Redirects that no client follows. */
export const REDIRECT_FAILURES: readonly Row<FailedRequest>[] = [
  {
    when: hasCode('REDIRECT_BLOCKED_PORT'),
    cause: 'redirect-port-blocked',
    message: ({ host }) =>
      message`a redirect leads to ${host}, with a port that browsers and Node.js refuse to connect to.`,
    advice: message`Serve the file on port 443, or on another port that is not blocked, such as 8443.`,
  },
  {
    when: hasCode('REDIRECT_BAD_LOCATION'),
    cause: 'redirect-malformed',
    message: (request) => message`a redirect leads to ${locationOf(request)}, which is not an http or https URL.`,
    advice: message`Correct the Location header of the redirect.`,
  },
  {
    when: hasCode('REDIRECT_SEVERAL_LOCATIONS'),
    cause: 'redirect-ambiguous',
    message: (request) =>
      message`a redirect has several different Location headers${namedLocations(request)}; browsers reject it, and other clients choose one.`,
    advice: message`Send only one Location header. Often the application and the web server, or two rules, each add one.`,
    evidence: (request) => ({ locations: locationsOf(request).slice(0, 5) }),
  },
  {
    when: ({ failure, probe }) => failure.code === 'REDIRECT_NO_LOCATION' && bucketMoved(probe) !== null,
    cause: 'wrong-region',
    message: ({ probe }) =>
      message`the store responds with a redirect without a Location: ${safe(bucketMoved(probe)?.message ?? '')}`,
    advice: ({ probe }) => bucketMoved(probe)?.advice ?? message``,
  },
  {
    when: hasCode('REDIRECT_NO_LOCATION'),
    cause: 'redirect-without-location',
    message: message`a redirect has no Location header.`,
    advice: message`Add a Location header to the redirect, or serve the file itself.`,
  },
  {
    when: hasCode('REDIRECT_CREDENTIALS'),
    cause: 'redirect-credentials',
    message: message`a redirect leads to a URL with a user name or password; browsers and other clients reject it.`,
    advice: message`Redirect to a URL without credentials.`,
  },
];

function locationOf({ probe }: FailedRequest): string {
  const location = headerValue(lastHop(probe)?.headers ?? [], 'location');
  return location === null ? 'an unknown location' : `“${printable(shorten(location, 100))}”`;
}

function locationsOf({ probe }: FailedRequest): string[] {
  return [...new Set(headerLines(lastHop(probe)?.headers ?? [], 'location'))];
}

function namedLocations(request: FailedRequest): string {
  const shown = locationsOf(request)
    .slice(0, 3)
    .map((location) => (location === '' ? 'an empty one' : shorten(location, 100)));
  return shown.length > 1 ? ` (${shown.join(' and ')})` : '';
}

/** The explanation of a redirect of a store to another region; null for other redirects. */
function bucketMoved(probe: Probe): ReturnType<typeof otherRegion> | null {
  const hop = lastHop(probe);
  return hop === null || urlInOtherRegion(hop) === null ? null : otherRegion(hop);
}

/** Explains the URL of a bucket in another region, with the URL to use. */
export function otherRegion(hop: Hop): { message: SafeText; advice: SafeText } {
  const { url = null, region = null } = urlInOtherRegion(hop) ?? {};
  const isSigned = /[?&](x-amz-signature|signature)=/i.test(hop.url);
  const place = region === null ? 'at another endpoint than the one of the URL' : `in the region ${region}`;
  if (url === null || isSigned)
    return {
      message: message`the bucket is ${place}.`,
      advice: message`List the URL of the bucket’s own region${isSigned ? ', signed for it' : ''}, as the console of the store shows it.`,
    };
  return { message: message`the bucket is ${place}.`, advice: message`List this URL instead: ${url}` };
}

/** Responses that are missing, incomplete or unreadable. */
export const RESPONSE_FAILURES: readonly Row<FailedRequest>[] = [
  {
    when: ({ failure, probe }) => failure.phase === 'time' && failure.got === null && !lastHop(probe)?.status,
    cause: 'no-answer',
    message: message`no response arrived within the time limit.`,
    advice: message`The server hangs, or a firewall or proxy drops the request: check the server’s logs. For a slow host, use --timeout <s>.`,
  },
  {
    when: ({ failure }) => failure.phase === 'time',
    cause: 'too-slow',
    message: ({ failure }) => message`it was not received completely within the time limit${received(failure)}.`,
    advice: message`Serve it from a faster host, or give it more time with --timeout <s>.`,
  },
  {
    when: ({ failure }) => failure.phase === 'size',
    cause: 'too-large',
    message: ({ failure: { expected } }) =>
      message`it is larger than the limit${expected === null ? '' : ` of ${counted(expected, 'byte')}`}.`,
    advice: message`Check whether the response ever ends, and reduce the file: it is too large for subscribers.`,
  },
  {
    when: ({ failure }) => failure.phase === 'decode',
    cause: 'content-encoding-broken',
    message: ({ failure }) => message`its Content-Encoding cannot be decoded (${failure.message}).`,
    advice: message`Remove the Content-Encoding header, or send content in that encoding.`,
  },
  {
    when: hasCode('UNSOLICITED_PARTIAL'),
    cause: 'unsolicited-partial',
    message: ({ failure }) => message`${failure.message}.`,
    advice: message`A cache in front of the host is broken: purge it, or disable its range handling.`,
  },
  {
    when: hasCode('NO_CONTENT'),
    cause: 'no-content',
    message: ({ failure }) => message`${failure.message}.`,
    advice: message`Configure the host to send the file with status 200; check that the uploaded file is not empty.`,
  },
  {
    when: hasCode('UPGRADE'),
    cause: 'not-http',
    message: message`the host switched to another protocol (101), which was not requested.`,
    advice: message`Check that a web server runs at this address.`,
  },
  {
    when: ({ failure }) => failure.phase === 'body' && failure.code === 'BODY_TIMEOUT',
    cause: 'stalled',
    message: ({ failure }) => message`the host stopped sending before the end${received(failure)}.`,
    advice: message`The server or a proxy hangs: check its logs.`,
  },
  {
    when: ({ failure: { code } }) => isInvalidHttp(code),
    cause: 'not-http',
    message: ({ failure }) => message`the response is not valid HTTP (${failure.code}).`,
    advice: message`The server sends invalid headers or chunks (two lengths, folded lines, line breaks, control characters): inspect them with curl -v.`,
  },
  {
    when: ({ failure }) => failure.phase === 'body',
    cause: 'truncated',
    message: ({ failure }) => message`the response was truncated${received(failure)}.`,
    advice: message`The host or a proxy closes the connection early, or the stored file is shorter than its Content-Length: upload it again, and check proxy timeouts.`,
  },
  {
    when: hasCode('HEADERS_TIMEOUT'),
    cause: 'no-answer',
    message: message`the connection was established, but no response arrived in time.`,
    advice: message`The server hangs, or a firewall or proxy drops the request: check the server’s logs.`,
  },
  {
    when: ({ failure: { code } }) => code.startsWith('HPE_'),
    cause: 'not-http',
    message: ({ failure }) => message`the response is not valid HTTP (${failure.code}).`,
    advice: message`The server closes the connection within its headers: check its logs.`,
  },
  {
    when: hasCode(TLS_EXPECTED),
    cause: 'expects-tls',
    message: ({ host }) => message`${host} expects TLS on this port, and the request was plain http.`,
    advice: ({ failure }) => useHttps(failure.url),
  },
  {
    when: hasCode('ECONNRESET', 'SOCKET_CLOSED', 'EPIPE'),
    cause: 'reset',
    message: message`the connection was closed before a response was received.`,
    advice: ({ probe: { attempts } }) =>
      message`Check the logs of the server, and proxies and firewalls in between: one of them closes the connection${attempts > 1 ? ` (tried ${attempts} times)` : ''}.`,
  },
];

/** Advice for an http URL whose server expects TLS. */
export function useHttps(url: string): SafeText {
  return message`Use https: ${url.replace(/^http:/, 'https:')}`;
}

/** A phrase to append: how many bytes arrived. */
function received({ got, expected }: Failure): string {
  if (got === null) return '';
  return expected === null
    ? ` (${counted(got, 'byte')} received)`
    : ` (${got} of ${counted(expected, 'byte')} received)`;
}

import { message } from '../../../text/message.ts';
import type { Failure } from '../../../facts/facts.ts';
import { lastHop } from '../../../http/probe.ts';
import { counted } from '../../../text/text.ts';
import { type FailedRequest, hasCode, type Row } from './causes.ts';

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
    when: ({ failure: { code } }) => code.startsWith('HPE_') || code === 'HEADERS_OVERFLOW',
    cause: 'not-http',
    message: ({ failure }) => message`the response is not valid HTTP (${failure.code}).`,
    advice: message`A proxy or server sends invalid headers (two lengths, line breaks, control characters): inspect them with curl -v.`,
  },
  {
    when: hasCode('ECONNRESET', 'SOCKET_CLOSED', 'EPIPE'),
    cause: 'reset',
    message: message`the connection was closed before a response was received.`,
    advice: ({ probe: { attempts } }) =>
      message`Check the logs of the server, and proxies and firewalls in between: one of them closes the connection${attempts > 1 ? ` (tried ${attempts} times)` : ''}.`,
  },
];

/** A phrase to append: how many bytes arrived. */
function received({ got, expected }: Failure): string {
  if (got === null) return '';
  return expected === null
    ? ` (${counted(got, 'byte')} received)`
    : ` (${got} of ${counted(expected, 'byte')} received)`;
}

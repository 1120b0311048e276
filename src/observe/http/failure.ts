import type { Failure } from '../../core/facts/facts.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { ConnectFailure } from './connect-failure.ts';

/** Converts errors of the client to facts. */

/** A failure that has nothing to do with the number of bytes. */
export function failureFact(phase: Failure['phase'], code: string, message: string, url: string): Failure {
  return { phase, code, message, url, got: null, expected: null };
}

/** Codes that do not depend on the client; others keep the system's code. A phase of null is that of the exchange. */
const CODES = new Map<string, readonly [phase: Failure['phase'] | null, code: string]>([
  ['UND_ERR_HEADERS_TIMEOUT', ['headers', 'HEADERS_TIMEOUT']],
  ['UND_ERR_HEADERS_OVERFLOW', ['headers', 'HEADERS_OVERFLOW']],
  ['UND_ERR_BODY_TIMEOUT', ['body', 'BODY_TIMEOUT']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['body', 'TRUNCATED']],
  ['UND_ERR_SOCKET', [null, 'SOCKET_CLOSED']],
  ['UND_ERR_CLOSED', [null, 'SOCKET_CLOSED']],
  ['UND_ERR_DESTROYED', [null, 'SOCKET_CLOSED']],
]);

/**
 * @param phase of the exchange: `headers` until the status was received, `body` after it
 * @throws the error itself if it is not a network error but a bug
 */
export function failureOf(error: unknown, phase: 'headers' | 'body', url: string): Failure {
  if (error instanceof ConnectFailure) return failureFact(error.phase, error.code, error.message, url);
  if (!(error instanceof Error)) throw error;
  const code = systemErrorCode(error) ?? '';
  if (error.name === 'HTTPParserError')
    return 'data' in error && HTTP2_FRAME.test(String(error.data))
      ? failureFact(phase, 'HTTP2_ALONE', 'the host answers with frames of HTTP/2', url)
      : failureFact(phase, parserCode(error.message), error.message, url);
  if (/bad upgrade/i.test(error.message)) return failureFact('headers', 'UPGRADE', 'the host switched protocols', url);
  // Detected with the first bytes, before the response: two length headers that disagree.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && phase === 'headers')
    return failureFact(phase, 'HPE_UNEXPECTED_CONTENT_LENGTH', 'two different lengths', url);
  const known = CODES.get(code);
  if (known) return failureFact(known[0] ?? phase, known[1], error.message, url);
  if (/^E[A-Z]+$/.test(code) || code.startsWith('ERR_SSL')) return failureFact(phase, code, error.message, url);
  throw error;
}

// SETTINGS or GOAWAY on stream 0, with which every HTTP/2 connection of a server begins (RFC 9113, sections 4.1 and 3.4).
// eslint-disable-next-line no-control-regex
const HTTP2_FRAME = /^\0[^][^][\x04\x07]\0{5}/;

/** The client's parser only names its errors in the message: `… (Invalid EOF state)`. */
function parserCode(message: string): string {
  const words = /\(([^()]+)\)\s*$/.exec(message)?.[1] ?? 'error';
  return `HPE_${words
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}`;
}

/** Whether a retry may help: true for immediate, incidental failures, false for refusals and timeouts. */
export function isTransientFailure(failure: Failure): boolean {
  const { phase, code } = failure;
  if (phase === 'dns') return code === 'EAI_AGAIN';
  return /^(ECONNREFUSED|ECONNRESET|EPIPE|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|SOCKET_CLOSED|TRUNCATED|PROXY_50[0234]|HPE_INVALID_EOF_STATE)$/.test(
    code,
  );
}

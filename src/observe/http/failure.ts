import type { Failure, TlsFacts } from '../../core/facts/facts.ts';
import { TLS_EXPECTED } from '../../core/http/failed-request.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** Converts errors of the client to facts. */

/** A failure that has nothing to do with the number of bytes. */
export function failureFact(phase: Failure['phase'], code: string, message: string, url: string): Failure {
  return { phase, code, message, url, got: null, expected: null };
}

/** A failure of the client in our terms. */
interface ClientFailure {
  /** Null for the phase of the exchange. */
  phase: Failure['phase'] | null;
  code: string;
}

/** Codes that do not depend on the client, by those of the client; others keep the system's code. */
const CODES = new Map<string, ClientFailure>([
  ['UND_ERR_HEADERS_TIMEOUT', { phase: 'headers', code: 'HEADERS_TIMEOUT' }],
  ['UND_ERR_HEADERS_OVERFLOW', { phase: 'headers', code: 'HEADERS_OVERFLOW' }],
  ['HPE_HEADER_OVERFLOW', { phase: 'headers', code: 'HEADERS_OVERFLOW' }],
  ['UND_ERR_BODY_TIMEOUT', { phase: 'body', code: 'BODY_TIMEOUT' }],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', { phase: 'body', code: 'TRUNCATED' }],
  ['UND_ERR_SOCKET', { phase: null, code: 'SOCKET_CLOSED' }],
  ['UND_ERR_CLOSED', { phase: null, code: 'SOCKET_CLOSED' }],
  ['UND_ERR_DESTROYED', { phase: null, code: 'SOCKET_CLOSED' }],
]);

/**
 * @param phase of the exchange: `headers` until the status was received, `body` after it
 * @throws the error itself if it is not a network error but a bug
 */
export function failureOf(error: unknown, phase: 'headers' | 'body', url: string): Failure {
  if (error instanceof ConnectFailure) return failureFact(error.phase, error.code, error.message, url);
  if (!(error instanceof Error)) throw error;
  const code = systemErrorCode(error) ?? '';
  if (error.name === 'HTTPParserError') return unparsable(error, 'data' in error ? String(error.data) : '', phase, url);
  if (/bad upgrade/i.test(error.message)) return failureFact('headers', 'UPGRADE', 'the host switched protocols', url);
  // Detected with the first bytes, before the response: two length headers that disagree.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && phase === 'headers')
    return failureFact(
      phase,
      'HPE_UNEXPECTED_CONTENT_LENGTH',
      'the response has two different Content-Length headers',
      url,
    );
  const known = CODES.get(code);
  if (known) return failureFact(known.phase ?? phase, known.code, error.message, url);
  // Node's own client has the errors of its parser as codes.
  if (/^(E[A-Z]+|HPE_\w+)$/.test(code) || code.startsWith('ERR_SSL'))
    return failureFact(phase, code, error.message, url);
  throw error;
}

/** The failure of a response that is not HTTP/1.1. @param data its first bytes */
function unparsable(error: Error, data: string, phase: Failure['phase'], url: string): Failure {
  if (HTTP2_FRAME.test(data)) return failureFact(phase, 'HTTP2_ALONE', 'the host responds with HTTP/2 frames', url);
  if (TLS_ALERT.test(data)) return failureFact(phase, TLS_EXPECTED, 'the host responds with a TLS alert', url);
  return failureFact(phase, parserCode(error.message), error.message, url);
}

// A record of the type alert, of any version, with two bytes (RFC 8446, sections 5.1 and 6).
// eslint-disable-next-line no-control-regex
const TLS_ALERT = /^\x15\x03[\x00-\x04]\x00\x02/;
// Every HTTP/2 connection of a server begins with SETTINGS or GOAWAY on stream 0 (RFC 9113, sections 3.4 and 4.1).
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

/** True if a retry may help: true for immediate, incidental failures, false for refusals and timeouts. */
export function isTransientFailure(failure: Failure): boolean {
  const { phase, code } = failure;
  if (phase === 'dns') return code === 'EAI_AGAIN';
  return /^(ECONNREFUSED|ECONNRESET|EPIPE|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|SOCKET_CLOSED|TRUNCATED|PROXY_50[0234]|HPE_INVALID_EOF_STATE)$/.test(
    code,
  );
}

interface ConnectFailureFields {
  phase: Failure['phase'];
  code: string;
  message: string;
  address?: string | null;
  /** The facts of a handshake that was completed. */
  tls?: TlsFacts | null;
}

/** A failed connection attempt, and the phase in which it failed. */
export class ConnectFailure extends Error {
  readonly phase: Failure['phase'];
  readonly code: string;
  readonly address: string | null;
  readonly tls: TlsFacts | null;

  constructor({ phase, code, message, address = null, tls = null }: ConnectFailureFields) {
    super(message);
    this.phase = phase;
    this.code = code;
    this.address = address;
    this.tls = tls;
  }
}

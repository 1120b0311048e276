import { redactor } from '../../core/text/redactor.ts';
import { redact } from '../../core/text/text.ts';
import type { Bytes } from '../bytes.ts';
import { failpoint } from '../failpoint.ts';
import type { FoundCredentials } from './credentials.ts';
import type { ResolvedPlace } from './place.ts';
import { AMAZON, GOOGLE, signed } from './sign.ts';
import type { SendRequest } from './web.ts';

/** Single requests with a signature. */

export interface S3Response {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
  /** The code of an error, such as `NoSuchKey`; '' if there is none. */
  code: string;
  /** True if an earlier attempt got no clear response, so that it may have been carried out. */
  uncertain: boolean;
}

/** A DELETE of a missing object succeeds. */
export type S3Method = 'GET' | 'PUT' | 'DELETE';

export interface S3Details {
  headers?: Record<string, string>;
  body?: Bytes;
  /** Creates, for each attempt, the consumer of a response body with a status below 300. */
  sink?: () => (chunk: Uint8Array) => void;
  /** True for one short check after a stop was requested. */
  isLastCheck?: boolean;
}

/** The response to one attempt, with the code of an error and the credentials that were used. */
export type Attempt = Omit<S3Response, 'uncertain'> & { used: FoundCredentials };

/** Milliseconds for one file, however large and however slow the connection. */
const TIMEOUT = 3_600_000;

interface Signed {
  /** Sends a request once, with the signature of the credentials. */
  sendOnce(
    credentials: FoundCredentials,
    method: S3Method,
    url: URL,
    details: S3Details,
    signal: AbortSignal,
  ): Promise<Attempt>;
  /** A server's message, without the secrets that were sent to it. */
  withoutSecrets(text: string): string;
}

/** Secrets that are kept to remove them from messages: requests in progress may use earlier credentials. */
const RECENT_SECRETS = 8;

export function openSigned({ region, google }: ResolvedPlace, web: SendRequest): Signed {
  let secrets: string[] = [];

  async function sendOnce(
    used: FoundCredentials,
    method: S3Method,
    url: URL,
    { headers = {}, body, sink }: S3Details,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { secretAccessKey, sessionToken = '' } = used.keys;
    const own = [secretAccessKey, sessionToken].filter((secret) => secret !== '');
    secrets = [...new Set([...own, ...secrets])].slice(0, RECENT_SECRETS);
    const content = body ?? null;
    const sent = signed({ method, url, headers, body: content, region }, used.keys, google ? GOOGLE : AMAZON);
    if (method === 'PUT') failpoint('before-send');
    const answer = await web(url, {
      method,
      headers: sent,
      body: content,
      sink: sink?.() ?? null,
      timeout: TIMEOUT,
      signal,
    });
    if (method === 'PUT') failpoint('after-send');
    return { ...answer, code: answer.status >= 300 ? codeIn(answer.bytes) : '', used };
  }

  return {
    sendOnce,
    withoutSecrets: (text) => redactor(secrets)(redact(text)),
  };
}

function codeIn(bytes: Buffer): string {
  return /<Code>(\w+)<\/Code>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '';
}

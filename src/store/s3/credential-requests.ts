import { message, type SafeText } from '../../core/text/message.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { printable, redact, safeExcerpt } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { machineLimitError } from '../../core/errors/machine-limit.ts';
import { machineLimitCode } from '../../platform/machine-limit.ts';
import { parseUrl } from '../../core/url/url.ts';
import type { SendRequest } from './web.ts';

/** Requests to providers of credentials, and what they respond with. */

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Credentials, and where they were found. */
export interface FoundCredentials {
  keys: Credentials;
  /** For messages, such as “the environment”. */
  source: string;
  /** When they end; null if that is unknown. */
  expires: Date | null;
  /** Milliseconds after which the source is read again although they have no end; null for never. */
  readAgainAfter: number | null;
}

/** What a source has: credentials, or why it has none. */
export type LookUp = FoundCredentials | { none: string };

/** Milliseconds per attempt. */
const TIMEOUT = 5000;
const ATTEMPTS = 3;
/** Milliseconds before the first retry, doubled each time. */
const RETRY_DELAY = 150;

/** The parts of credentials, as a source names them. */
interface KeyParts {
  id: string | undefined;
  secret: string | undefined;
  token?: string | undefined;
  /** ISO 8601. */
  expiration?: string | undefined;
}

/** @returns null if the pair of keys is incomplete */
export function foundIn(source: string, { id, secret, token, expiration }: KeyParts): FoundCredentials | null {
  if (!id || !secret) return null;
  const expires = expiration === undefined ? null : new Date(expiration);
  return {
    keys: { accessKeyId: id, secretAccessKey: secret, ...(token ? { sessionToken: token } : {}) },
    source,
    expires: expires === null || Number.isNaN(expires.getTime()) ? null : expires,
    readAgainAfter: null,
  };
}

/** The members of a JSON object whose values are strings; none for any other text. */
export function textFields(text: string): Readonly<Record<string, string | undefined>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, field]) => typeof field === 'string'));
  } catch {
    return {};
  }
}

/** @throws AppregError `s3-credentials` if the file cannot be read, or is empty */
export function tokenIn(file: string, variable: string): string {
  const hint = message`Check ${variable}.`;
  const read = readRegularFile(file);
  if ('failure' in read)
    throw new AppregError('s3-credentials', message`The token file ${file} ${read.failure}.`, hint);
  const token = read.bytes.toString().trim();
  if (token !== '') return token;
  throw new AppregError('s3-credentials', message`The token file ${file} is empty.`, hint);
}

interface RequestOptions {
  headers: Record<string, string>;
  content?: string | null;
  /** Milliseconds per attempt. */
  timeout?: number;
  attempts?: number;
}

/**
 * Requests a provider, again if it cannot be reached or fails.
 * @throws AppregError `s3-credentials` if it cannot be reached
 */
export async function requestProvider(
  web: SendRequest,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  { headers, content = null, timeout = TIMEOUT, attempts = ATTEMPTS }: RequestOptions,
): Promise<{ status: number; body: string }> {
  const address = parseUrl(url);
  if (address === null)
    throw providerError(
      `${printable(redact(url))} is not a valid URL.`,
      message`Check the environment variable that contains it.`,
    );
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= attempts;
    try {
      const { status, bytes } = await web(address, { method, headers, body: content, timeout });
      if (isLast || (status < 500 && status !== 429)) return { status, body: bytes.toString('utf8') };
    } catch (cause) {
      if (cause instanceof AppregError) throw cause;
      if (isLast) throw unreachable(url, cause);
    }
    await wait(RETRY_DELAY * 2 ** (attempt - 1));
  }
}

function unreachable(url: string, cause: unknown): AppregError {
  const limit = machineLimitCode(cause);
  if (limit !== null)
    return machineLimitError(limit, message`The credentials endpoint ${url} cannot be requested`, {
      cause,
    });
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppregError(
    's3-credentials',
    message`The credentials endpoint ${url} cannot be reached (${reason}).`,
    message`Check the network, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    { cause },
  );
}

/** The reason in a response, such as “status 403: AccessDenied, No role”, without the secrets that were sent. */
export function reasonIn({ status, body }: { status: number; body: string }, secrets: readonly string[]): string {
  const { code, Code, message, Message } = textFields(body);
  const words = [code ?? Code, message ?? Message].filter((text) => text !== undefined && text !== '').join(', ');
  const safe = secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, 'REDACTED')), words);
  return `status ${status}${safe === '' ? '' : `: ${safeExcerpt(safe, 200)}`}`;
}

export function providerError(summary: string, hint: SafeText): AppregError {
  return new AppregError('s3-credentials', message`${safeExcerpt(summary, 400)}`, hint);
}

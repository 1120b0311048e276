import type { Failure, Hop } from '../../core/facts/facts.ts';
import { contentCodings, headerValue, headerLines } from '../../core/http/headers.ts';
import type { BodyReader } from './body.ts';
import { type Deadline, timeoutFailure } from './deadlines.ts';
import { failureFact, failureOf } from './failure.ts';
import type { HopRequest } from './request.ts';
import type { ClientResponse } from './response.ts';

/** Receives a response: its headers as facts, and its body as far as it is needed. */

export interface ReceivedResponse {
  failure: Failure | null;
  /** The target of a redirect, null if it names none; undefined for other responses. */
  location: string | null | undefined;
}

/** An unused body is drained up to this size, which is cheaper than a new connection. */
const DRAINED = 65_536;
const DRAIN_TIME = 1000;
const EXCERPT = 2048;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** @param hop the facts about the response are put into it */
export async function receiveResponse(
  response: ClientResponse,
  hop: Hop,
  request: HopRequest,
  deadline: Deadline,
): Promise<ReceivedResponse> {
  hop.status = response.statusCode;
  if (response.hasContinue) hop.unsolicitedContinue = true;
  hop.headers = pairsOf(response.headers);
  if (REDIRECTS.has(hop.status)) {
    // The body of a redirect without a target may name it, as that of S3 does.
    if (headerValue(hop.headers, 'location') === null && request.method === 'GET') await readExcerpt(response, hop);
    else await drain(response, request, hop);
    return redirectOf(hop);
  }
  return { failure: await receiveBody(response, hop, request, deadline), location: undefined };
}

function redirectOf(hop: Hop): ReceivedResponse {
  const [location = null, other] = new Set(headerLines(hop.headers, 'location'));
  if (other === undefined) return { failure: null, location };
  // Clients differ in which of them they follow; browsers reject such a response.
  const message = 'the redirect has several different Location headers';
  return { failure: failureFact('redirect', 'REDIRECT_SEVERAL_LOCATIONS', message, hop.url), location: undefined };
}

/** @returns why the response is not usable, or ended early; or null */
async function receiveBody(
  response: ClientResponse,
  hop: Hop,
  request: HopRequest,
  deadline: Deadline,
): Promise<Failure | null> {
  const isSuccess = hop.status >= 200 && hop.status < 300;
  const rejected = (request.tolerant ? null : framingFailure(hop)) ?? proxyRefusal(hop);
  if (rejected) response.body.destroy();
  const failure = rejected ?? unrequestedRange(hop, request) ?? missingContent(hop, request);
  const body = !failure && isSuccess && request.method === 'GET' ? request.body?.(hop) : undefined;
  if (failure || request.method === 'HEAD') await drain(response, request, hop);
  else if (body) return readBody(response, body, hop, deadline);
  else if (isSuccess) await drain(response, request, hop);
  else await readExcerpt(response, hop);
  return failure;
}

/** A part of the file that was not requested, unless it is all of it. */
function unrequestedRange({ status, url, headers }: Hop, { isRange }: HopRequest): Failure | null {
  if (status !== 206 || isRange) return null;
  const range = headerValue(headers, 'content-range');
  const length = headerValue(headers, 'content-length');
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(range ?? '') ?? [];
  const isWhole = first !== undefined && Number(first) === 0 && Number(last) + 1 === Number(total);
  if (isWhole && (length === null || Number(length) === Number(total))) return null;
  const how =
    first === undefined || isWhole
      ? `the host responds with 206 (Partial Content) although no range was requested, ${range === null ? 'without a Content-Range' : `with the Content-Range “${range}”, which does not match`}`
      : `the host sent only a part of the file (206, Content-Range: ${range}), although no range was requested`;
  return failureFact('headers', 'UNSOLICITED_PARTIAL', how, url);
}

/** A response that by definition has no file. */
function missingContent({ status, url }: Hop, { method, body }: HopRequest): Failure | null {
  if (method !== 'GET' || body === null || (status !== 204 && status !== 205)) return null;
  const name = status === 204 ? 'No Content' : 'Reset Content';
  return failureFact('headers', 'NO_CONTENT', `the host responds with ${status} (${name}) instead of the file`, url);
}

/** Two framing headers that disagree: intermediaries may see different bodies. */
function framingFailure({ headers, url }: Hop): Failure | null {
  const lengths = new Set(headerLines(headers, 'content-length'));
  if (lengths.size > 1)
    return failureFact(
      'headers',
      'HPE_UNEXPECTED_CONTENT_LENGTH',
      'the response has several different Content-Length headers',
      url,
    );
  if (lengths.size === 0 || headerValue(headers, 'transfer-encoding') === null) return null;
  return failureFact(
    'headers',
    'HPE_INVALID_TRANSFER_ENCODING',
    'the response has both Content-Length and Transfer-Encoding',
    url,
  );
}

/** A proxy's response to an unencrypted request: 407, or an error page generated by Squid. */
function proxyRefusal({ url, status, headers, proxy }: Hop): Failure | null {
  const squidError = headerValue(headers, 'x-squid-error');
  if (!proxy || url.startsWith('https:') || (status !== 407 && squidError === null)) return null;
  const message = `the proxy responded with ${status}${squidError === null ? '' : ` (${squidError})`}`;
  return failureFact('proxy', `PROXY_${status}`, message, url);
}

/** Passes the body on; returns the failure that ended it early, or null. */
async function readBody(
  response: ClientResponse,
  body: BodyReader,
  hop: Hop,
  deadline: Deadline,
): Promise<Failure | null> {
  const length = headerValue(hop.headers, 'content-length');
  const expected = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
  let got = 0;
  let isTooLarge = false;
  try {
    await response.body.read((chunk) => {
      const before = got;
      got += chunk.length;
      if (got <= body.limit) return withoutDeadline(body.write(chunk), deadline);
      isTooLarge = body.over === 'fail';
      if (isTooLarge) return false;
      // One byte beyond the limit shows the consumer that the body was cut.
      const written = body.write(chunk.subarray(0, body.limit + 1 - before));
      return written ? written.then(() => false as const) : false;
    });
  } catch (error) {
    const failure = deadline.ended ? timeoutFailure(deadline.ended, hop.url) : failureOf(error, 'body', hop.url);
    return { ...failure, got, expected };
  }
  if (!isTooLarge) return null;
  const failure = failureFact('size', 'TOO_LARGE', `the body has more than ${body.limit} bytes`, hop.url);
  return { ...failure, got, expected: body.limit };
}

/** The host is not to blame for the time in which this machine processes what it received. */
function withoutDeadline(
  processed: ReturnType<BodyReader['write']>,
  deadline: Deadline,
): ReturnType<BodyReader['write']> {
  if (!(processed instanceof Promise)) return processed;
  deadline.pause();
  return processed.finally(() => deadline.resume());
}

/** The beginning of an error's body, which often names the cause. It may be truncated. */
async function readExcerpt(response: ClientResponse, hop: Hop): Promise<void> {
  const chunks: Buffer[] = [];
  let got = 0;
  try {
    await response.body.read((chunk) => {
      if (got < EXCERPT) chunks.push(chunk);
      got += chunk.length;
      return got > DRAINED ? false : undefined;
    });
  } catch {
    // The status is the result; a failing body adds nothing to it.
  }
  // Compressed bodies are not text.
  if (got > 0 && contentCodings(hop.headers).length === 0)
    hop.excerpt = Buffer.concat(chunks).toString('utf8', 0, EXCERPT);
}

/** Drains a small body so that the connection can be reused, and aborts one that is large or slow. */
async function drain({ body }: ClientResponse, { method }: HopRequest, hop: Hop): Promise<void> {
  const length = method === 'HEAD' ? null : headerValue(hop.headers, 'content-length');
  if (!body.reusable || Number(length ?? 0) > DRAINED) return body.destroy();
  let got = 0;
  const drained = body.read((chunk) => {
    got += chunk.length;
    return got > DRAINED ? false : undefined;
  });
  if (drained === undefined) return;
  const timer = setTimeout(() => body.destroy(), DRAIN_TIME);
  await drained.catch(() => {});
  clearTimeout(timer);
}

/** Header lines as pairs, names in lower case. */
function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  let name: string | null = null;
  for (const text of raw) {
    if (name === null) name = text.toLowerCase();
    else {
      pairs.push([name, text]);
      name = null;
    }
  }
  return pairs;
}

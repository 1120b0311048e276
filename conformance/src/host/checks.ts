import {
  contentCodings,
  corsFault,
  freshness,
  headerValue,
  type Hop,
  lastHop,
  mediaType,
  message,
  preflightFault,
  type SafeText,
  statusOf,
} from 'appreg';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { HostCheck } from '../case/host.ts';
import { isSuccess, outcomeOf, type HostResponse, type Responses } from './describe.ts';
import { fixtureFiles } from './fixtures.ts';
import { ruleProblem } from './rules.ts';

/** Judges the responses of a host by the checks of a case. */

type ResponseCheck = Exclude<HostCheck, { check: 'connection' }>;
type CheckOf<Name extends HostCheck['check']> = Extract<ResponseCheck, { check: Name }>;

/** Finds the fault of the responses; null if the check passes. */
export function problemOf(check: ResponseCheck, responses: Responses): SafeText | null {
  for (const response of allOf(responses, check.of)) {
    const problem = problemIn(check, response, responses);
    if (problem !== null) return problem;
  }
  return null;
}

function allOf(responses: Responses, name: string): readonly HostResponse[] {
  const all = responses.get(name);
  if (all === undefined) throw new Error(`The case has no request “${name}”.`);
  return all;
}

function firstOf(responses: Responses, name: string): HostResponse {
  const [first] = allOf(responses, name);
  if (first === undefined) throw new Error(`The case sends no request “${name}”.`);
  return first;
}

// oxlint-disable-next-line complexity -- one line for each check
function problemIn(check: ResponseCheck, response: HostResponse, responses: Responses): SafeText | null {
  const hop = lastHop(response.probe);
  const headers = hop?.headers ?? [];
  switch (check.check) {
    case 'status':
      return statusProblem(check, response);
    case 'bytes':
      return bytesProblem(check, response);
    case 'content':
      return contentProblem(check, response);
    case 'not-encoded':
      return contentCodings(headers).length === 0
        ? null
        : message`The response “${check.of}” has Content-Encoding: ${contentCodings(headers).join(', ')}.`;
    case 'header':
      return headerProblem(check, response, responses);
    case 'no-header':
      return headerValue(headers, check.name) === null
        ? null
        : message`The response “${check.of}” has the header ${check.name}.`;
    case 'length': {
      const length = headerValue(headers, 'content-length');
      const size = String(fileOf(check.file).length);
      return length === null || length === size || contentCodings(headers).length > 0
        ? null
        : message`Content-Length of “${check.of}” is ${length} instead of ${size}.`;
    }
    case 'cors':
      return corsProblem(check, response);
    case 'preflight':
      return preflightProblem(check, response);
    case 'not-redirected':
      return response.probe.hops.length === 1 && !isRedirect(statusOf(response.probe))
        ? null
        : message`The response “${check.of}” is redirected.`;
    case 'reused':
      return response.reused ? null : message`The request “${check.of}” needed a new connection.`;
    case 'not-page':
      return isSuccess(statusOf(response.probe)) && mediaType(headers)?.type === 'text/html'
        ? message`The response “${check.of}” is a web page with status ${statusOf(response.probe)}.`
        : null;
    case 'short-lived':
      return lifetimeProblem(check, hop);
    case 'embeddable': {
      const policy = headerValue(headers, 'cross-origin-resource-policy');
      return policy === null || policy === 'cross-origin'
        ? null
        : message`Cross-Origin-Resource-Policy of “${check.of}” is ${policy}.`;
    }
    case 'rule':
      return ruleProblem(check, (name) => firstOf(responses, name));
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function statusProblem({ of, is }: CheckOf<'status'>, response: HostResponse): SafeText | null {
  const status = String(statusOf(response.probe));
  const isAnswer = status !== '0';
  const isComplete = response.probe.failure === null;
  const matches = is.some((one) => one === status || one === `${status.slice(0, 1)}xx` || one === 'any');
  if (isAnswer && matches && isComplete) return null;
  const outcome = outcomeOf(response);
  return is.includes('any')
    ? message`The request “${of}” gets no complete response: ${outcome}.`
    : message`The request “${of}” gets ${outcome} instead of ${is.join(' or ')}.`;
}

/** The longest lifetime of a response that may change, in seconds: the service checks hourly. */
const HOUR = 3600;

function lifetimeProblem({ of }: CheckOf<'short-lived'>, hop: Hop | null): SafeText | null {
  const fresh = hop === null ? null : freshness(hop, Date.now());
  if (fresh === null || (!fresh.immutable && (fresh.lifetime ?? 0) <= HOUR)) return null;
  return message`Caches may keep the response “${of}” for longer than an hour.`;
}

function fileOf(path: string): Buffer {
  const bytes = fixtureFiles().get(path);
  if (bytes === undefined) throw new Error(`The tree has no file “${path}”.`);
  return bytes;
}

function bytesProblem({ of, file, from, to }: CheckOf<'bytes'>, response: HostResponse): SafeText | null {
  if (response.body === null || response.probe.failure !== null)
    return message`The request “${of}” gets no complete body: ${outcomeOf(response)}.`;
  const expected = fileOf(file).subarray(from, to);
  return response.body.equals(expected)
    ? null
    : message`The body of “${of}” is not ${partName(file, from, to)}: ${response.body.length} bytes instead of ${expected.length}${response.body.length === expected.length ? ', with other content' : ''}.`;
}

function partName(file: string, from: number | undefined, to: number | undefined): string {
  return from === undefined && to === undefined ? `the file ${file}` : `the requested part of ${file}`;
}

function contentProblem({ of, file }: CheckOf<'content'>, response: HostResponse): SafeText | null {
  if (response.body === null || response.probe.failure !== null)
    return message`The request “${of}” gets no complete body: ${outcomeOf(response)}.`;
  const applied = contentCodings(lastHop(response.probe)?.headers ?? []);
  const content = withoutCodings(response.body, applied);
  if (content === null) return message`The body of “${of}” cannot be decoded as ${applied.join(', ')}.`;
  const way = applied.length === 0 ? '' : `, decoded as ${applied.join(', ')},`;
  return content.equals(fileOf(file)) ? null : message`The body of “${of}”${way} is not the file ${file}.`;
}

function headerProblem(
  { of, name, is, matches, as }: CheckOf<'header'>,
  response: HostResponse,
  responses: Responses,
): SafeText | null {
  const value = headerValue(lastHop(response.probe)?.headers ?? [], name);
  if (value === null) return message`The response “${of}” has no header ${name} (${outcomeOf(response)}).`;
  if (is !== undefined && value !== is) return message`${name} of “${of}” is not “${is}”.`;
  if (matches !== undefined && !new RegExp(matches, 'i').test(value))
    return message`${name} of “${of}” does not have the expected form.`;
  if (as !== undefined && value !== headerValue(lastHop(firstOf(responses, as).probe)?.headers ?? [], name))
    return message`${name} of “${of}” differs from that of “${as}”.`;
  return null;
}

function corsProblem({ of }: CheckOf<'cors'>, { probe }: HostResponse): SafeText | null {
  if (statusOf(probe) === 0) return message`The request “${of}” gets no response: ${probe.failure?.code ?? 'none'}.`;
  const fault = corsFault(probe);
  if (fault === null) return null;
  return fault.value === null
    ? message`The response “${of}” has no Access-Control-Allow-Origin.`
    : message`Access-Control-Allow-Origin of “${of}” does not allow the page (${fault.cause}).`;
}

function preflightProblem({ of }: CheckOf<'preflight'>, { probe }: HostResponse): SafeText | null {
  const fault = preflightFault(probe, probe.requestedHeaders ?? [], 'GET');
  if (fault === null) return null;
  const value = fault.cause === 'status' ? ` ${fault.value ?? ''}` : '';
  const name = fault.header === null ? '' : ` for ${fault.header}`;
  return message`The preflight “${of}” is refused: ${fault.cause}${value}${name}.`;
}

const DECODERS = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };
const LARGEST_CONTENT = 16_000_000;

/**
 * Undoes content codings (RFC 9110, section 8.4.1).
 * @param codings in the order in which they were applied
 * @returns null if the bytes are not in these codings, or a coding is unknown
 */
function withoutCodings(bytes: Buffer, codings: readonly string[]): Buffer | null {
  let content = bytes;
  for (const coding of codings.toReversed()) {
    if (coding !== 'gzip' && coding !== 'deflate' && coding !== 'br') return null;
    try {
      content = DECODERS[coding](content, { maxOutputLength: LARGEST_CONTENT });
    } catch {
      return null;
    }
  }
  return content;
}

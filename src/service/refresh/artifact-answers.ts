import type { Probe } from '../../core/facts/facts.ts';
import { header } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested, originOf, statusOf } from '../../core/http/probe.ts';
import type { HttpClient } from '../../observe/http/client.ts';
import { isEntityTag } from '../../observe/registry/request-shape.ts';
import type { Validators } from '../database/tables.ts';
import { storable } from '../database/packed.ts';

/** Asks the host of an artifact whether it still serves the same bytes, without fetching them. */

/**
 * The comparison of the validators; `different` also if the host refuses the request, as for a deleted file. `failed`: an
 * error that may be temporary. `rate-limited` and `not-sent`: the host was not asked.
 */
type Verdict = Comparison | 'failed' | 'rate-limited' | 'not-sent';

interface ArtifactAnswer {
  verdict: Verdict;
  /** Those of the response; null if it had none. */
  validators: Validators | null;
}

export interface ArtifactAsker {
  ask(url: string, known: readonly Validators[]): Promise<ArtifactAnswer>;
}

/** Milliseconds per request. */
const TIMEOUT = 20_000;
const ACCEPT = '*/*';
/** Statuses of a request whose condition or range the host does not support. */
const CONDITION_REFUSED = new Set([400, 412, 416, 501]);

/** Sends HEAD, which also reports the length; and a conditional GET to hosts that do not support HEAD. */
export function openArtifactAsker(http: HttpClient): ArtifactAsker {
  /** Origins that answered GET after they had refused HEAD, or had omitted the validators. */
  const withoutHead = new Set<string>();
  return {
    async ask(url, known) {
      const origin = originOf(url);
      const head = withoutHead.has(origin) ? null : await askByHead(http, url, known);
      if (head !== null) return head;
      const answer = await askByGet(http, url, known);
      if (answer.verdict === 'same' || answer.verdict === 'same-length') withoutHead.add(origin);
      return answer;
    },
  };
}

/** @returns null if only a GET can tell */
async function askByHead(http: HttpClient, url: string, known: readonly Validators[]): Promise<ArtifactAnswer | null> {
  const probe = await http.probe({ method: 'HEAD', url, origin: null, accept: ACCEPT, total: TIMEOUT });
  if (statusOf(probe) === 429) return answerWithout('rate-limited');
  if (!isAnswered(probe)) return null;
  const answer = compared(known, probe);
  if (answer.verdict === 'same-length') return known.some(isConclusive) ? null : answer;
  return answer.verdict === 'incomparable' ? null : answer;
}

async function askByGet(http: HttpClient, url: string, known: readonly Validators[]): Promise<ArtifactAnswer> {
  const probe = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: ACCEPT,
    headers: [conditionFrom(known)],
    total: TIMEOUT,
    body: () => ({ limit: 1, over: 'cut', write: () => {} }),
  });
  if (notRequested(probe) !== null) return answerWithout('not-sent');
  if (isAnswered(probe)) return compared(known, probe);
  if (probe.failure !== null) return answerWithout('failed');
  const status = statusOf(probe);
  if (status === 304) return notModified(known, probe);
  if (status === 429) return answerWithout('rate-limited');
  if (CONDITION_REFUSED.has(status)) return answerWithout('incomparable');
  return answerWithout(status >= 400 && status < 500 && status !== 408 ? 'different' : 'failed');
}

function answerWithout(verdict: Verdict): ArtifactAnswer {
  return { verdict, validators: null };
}

function compared(known: readonly Validators[], probe: Probe): ArtifactAnswer {
  const validators = validatorsIn(probe);
  return { verdict: compareValidators(known, validators), validators };
}

/** A 304 must not carry another entity tag than the one that was sent (RFC 9110 section 15.4.5). */
function notModified(known: readonly Validators[], probe: Probe): ArtifactAnswer {
  const etag = header(lastHop(probe)?.headers ?? [], 'etag');
  const validators = etag === null ? null : { etag, lastModified: null, length: null };
  const isOther = validators !== null && compareValidators(known, validators) === 'different';
  return { verdict: isOther ? 'different' : 'same', validators: null };
}

/** The condition for the latest known validators, or a range, so that the body is not sent. */
function conditionFrom(known: readonly Validators[]): [string, string] {
  const latest = known.findLast(isConclusive);
  if (latest?.etag && isEntityTag(latest.etag)) return ['if-none-match', latest.etag];
  return latest?.lastModified ? ['if-modified-since', latest.lastModified] : ['range', 'bytes=0-0'];
}

/** The headers that describe the bytes of an artifact, and their comparison. Pure. */

/** Characters; a longer header is not a validator. */
const LONGEST = 300;
/**
 * Sets of validators kept per artifact, the latest last: the servers of one host may send different ones for the same
 * bytes.
 */
const KEPT = 4;

/** The validators of a response; null if it has none. */
export function validatorsIn(probe: Probe): Validators | null {
  const last = lastHop(probe);
  if (last === null) return null;
  const text = (name: string): string | null => {
    const value = header(last.headers, name);
    return value === null || value === '' || value.length > LONGEST ? null : storable(value);
  };
  const length = last.status === 206 ? completeLength(text('content-range')) : text('content-length');
  const validators = {
    etag: text('etag'),
    lastModified: text('last-modified'),
    length: length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null,
  };
  return Object.values(validators).every((value) => value === null) ? null : validators;
}

/** The length of the file in a Content-Range (RFC 9110 section 14.4). */
function completeLength(range: string | null): string | null {
  return /^bytes [\d-]+\/(\d+)$/.exec(range ?? '')?.[1] ?? null;
}

/** The known validators of the same bytes, with those of further responses; null if there are none. */
export function mergeValidators(
  known: readonly Validators[] | null,
  further: readonly (Validators | null)[],
): Validators[] | null {
  const merged = new Map([...(known ?? []), ...further].flatMap((one) => (one === null ? [] : [[keyOf(one), one]])));
  return merged.size === 0 ? null : [...merged.values()].slice(-KEPT);
}

function keyOf({ etag, lastModified, length }: Validators): string {
  return JSON.stringify([etag, lastModified, length]);
}

/** Whether validators identify the bytes, unlike their length. */
export function isConclusive({ etag, lastModified }: Validators): boolean {
  return etag !== null || lastModified !== null;
}

/**
 * Whether a response is about the same bytes as the known validators. `same-length`: nothing but the length could be
 * compared, and it is the same. `incomparable`: nothing could be compared.
 */
export type Comparison = 'same' | 'same-length' | 'different' | 'incomparable';

export function compareValidators(known: readonly Validators[], answer: Validators | null): Comparison {
  if (answer === null) return 'incomparable';
  // A host may omit headers in response to HEAD, or send others; they were known to be about the same bytes.
  const identical = known.find((one) => keyOf(one) === keyOf(answer));
  if (identical) return compareWith(identical, answer);
  const results = known.map((one) => compareWith(one, answer));
  return (['same', 'different', 'same-length'] as const).find((result) => results.includes(result)) ?? 'incomparable';
}

function compareWith(known: Validators, answer: Validators): Comparison {
  const length = isSame(known.length, answer.length);
  const etag = isSame(opaqueTag(known.etag), opaqueTag(answer.etag));
  // An entity tag is more precise than a time; a host that moved its files may send other times for the same tags.
  const version = etag ?? isSame(known.lastModified, answer.lastModified);
  if (length === false || version === false) return 'different';
  if (version === true) return 'same';
  return length === true ? 'same-length' : 'incomparable';
}

/** @returns null if one of them is missing */
function isSame(a: string | number | null, b: string | number | null): boolean | null {
  return a === null || b === null ? null : a === b;
}

/** Weak comparison (RFC 9110 section 8.8.3.2): hosts weaken a tag when they compress a response. */
function opaqueTag(tag: string | null): string | null {
  return tag?.replace(/^W\//, '') ?? null;
}

import { headerValue, lastHop, type Probe } from 'appreg';
import { type Validators } from './version.ts';
import { storable } from './storable.ts';

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
    const value = headerValue(last.headers, name);
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

/** True if validators identify the bytes, unlike their length. */
export function isConclusive({ etag, lastModified }: Validators): boolean {
  return etag !== null || lastModified !== null;
}

/**
 * True if a response is about the same bytes as the known validators. `same-length`: nothing but the length could be
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

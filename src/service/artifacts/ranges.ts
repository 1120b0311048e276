/** Ranges of bytes (RFC 9110 section 14). */

/** `from` is included, `to` is not. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * The range to send of a representation with `length` bytes.
 * @param range the Range header @param ifRange the If-Range header @param tag the strong entity tag
 * @returns null for all bytes, also for several ranges and for an invalid header, which may be ignored;
 * `unsatisfiable` if the range begins after the end
 */
export function rangeOf(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  tag: string,
  length: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  // Another representation, or a date, which is not known: everything is sent.
  if (ifRange !== undefined && ifRange.trim() !== tag) return null;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 || length === 0 ? 'unsatisfiable' : { from: Math.max(0, length - suffix), to: length };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return null;
  if (from >= length) return 'unsatisfiable';
  return { from, to: last === '' ? length : Math.min(Number(last) + 1, length) };
}

import type { Hop } from '../../core/facts/facts.ts';

/** Takes the bytes of a response as sent, undecoded. */
export interface BodyReader {
  /** A promise applies backpressure until it settles. Chunks are not retained. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** Maximum number of bytes to take. */
  limit: number;
  /** Behavior at the limit: `cut` ends the body there, `fail` is a failure. */
  over: 'cut' | 'fail';
}

/** Reads the body of a request that may be repeated: each attempt starts over. */
interface AttemptReader<Reader extends BodyReader> {
  /** For `ProbeRequest.body`. */
  body(hop: Hop): Reader;
  /** The reader of the last attempt that had a body; null if none had. */
  last(): Reader | null;
}

/** @param open starts to read the body of an attempt, and discards what was read of an earlier one */
export function perAttempt<Reader extends BodyReader>(
  open: (hop: Hop, earlier: Reader | null) => Reader,
): AttemptReader<Reader> {
  let last: Reader | null = null;
  return { body: (hop) => (last = open(hop, last)), last: () => last };
}

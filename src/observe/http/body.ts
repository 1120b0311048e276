/** Takes the bytes of a response as sent, undecoded. */
export interface Body {
  /** A promise applies backpressure until it settles. Chunks are not retained. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** True if a chunk may be reused when `write` returns, even if it returned a promise. */
  instant?: boolean;
  /** Maximum number of bytes to take. */
  limit: number;
  /** What to do at the limit: `cut` ends the body there, `fail` is a failure. */
  over: 'cut' | 'fail';
}

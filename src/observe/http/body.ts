/** Takes the bytes of an answer as they come over the wire, undecoded. */
export interface Body {
  /** A promise holds the sender back until it is done. Chunks are not kept. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** True where it is done with a chunk when `write` returns, even if that is a promise. */
  instant?: boolean;
  /** Bytes to take at most. */
  limit: number;
  /** What more bytes than that are: the end of what is wanted, or a failure. */
  over: 'cut' | 'fail';
}

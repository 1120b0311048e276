/** Bytes outside the heap whose memory can be returned at once, without waiting for the garbage collector. */
export interface ResizableMemory {
  bytes: Buffer;
  /** Returns the memory; the bytes are gone. */
  free(): void;
}

/** Only a resizable ArrayBuffer returns its memory on request. */
export function allocateResizable(size: number): ResizableMemory {
  const memory = new ArrayBuffer(size, { maxByteLength: size });
  return { bytes: Buffer.from(memory), free: () => memory.resize(0) };
}

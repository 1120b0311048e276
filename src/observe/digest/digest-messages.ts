import type { Inspected, InspectTask } from './digest-artifact.ts';

/** The messages between this thread and the one that digests artifacts. The memory of the bytes is transferred. */

/** To the thread; it returns a ping. */
export type ThreadMessage = Piece | 'ping';
export type ThreadReply = PieceResult | 'ping';

/** A part of an artifact. */
export interface Piece {
  /** Of the artifact. */
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** Only the first piece of an artifact has one. */
  task: InspectTask | null;
  last: 'end' | 'drop' | null;
}

/** Returns the memory of a piece. */
export interface PieceResult {
  id: number;
  memory: ArrayBuffer;
  /** With the last piece. */
  facts: Inspected | null;
}

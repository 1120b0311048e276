import { parentPort } from 'node:worker_threads';
import { digestArtifact, type Inspection } from './digest-artifact.ts';
import type { Answer, Piece } from './digest-worker-pool.ts';

/** The worker thread that digests and lists artifacts (digest-worker-pool.ts). */

const port = parentPort!;
/** The open inspections, and the promise that the next piece of each has to wait for. */
const open = new Map<number, { inspection: Inspection; busy: Promise<void> | null }>();

port.on('message', (piece: Piece) => {
  let one = open.get(piece.id);
  if (!one) open.set(piece.id, (one = { inspection: digestArtifact(piece.task!), busy: null }));
  const { inspection, busy } = one;
  one.busy = (busy === null ? take(inspection, piece) : busy.then(() => take(inspection, piece))) ?? null;
});

function take(inspection: Inspection, piece: Piece): void | Promise<void> {
  const { id, bytes, last } = piece;
  if (last !== null) open.delete(id);
  if (last === 'end') return finish(inspection, piece);
  if (last === 'drop') inspection.drop();
  const busy = last === null ? inspection.write(bytes) : undefined;
  answer(piece, null);
  return busy;
}

async function finish(inspection: Inspection, piece: Piece): Promise<void> {
  if (piece.bytes.length > 0) await inspection.write(piece.bytes);
  answer(piece, await inspection.end());
}

function answer({ id, bytes }: Piece, facts: Answer['facts']): void {
  const memory = bytes.buffer as ArrayBuffer;
  port.postMessage({ id, memory, facts } satisfies Answer, [memory]);
}

import { parentPort } from 'node:worker_threads';
import {
  digestArtifact,
  type Inspection,
  type Piece,
  type PieceResult,
  type ThreadMessage,
  type ThreadReply,
} from './digest-artifact.ts';
import { openTurns } from './turns.ts';

/** The worker thread that digests and lists artifacts (digest-thread.ts). */

if (parentPort === null) throw new Error('This program runs in a worker thread.');
const port = parentPort;

/** An artifact, and the promise that its next piece has to wait for. */
interface OpenInspection {
  inspection: Inspection;
  busy: Promise<void> | null;
}
const inspections = new Map<number, OpenInspection>();
const turns = openTurns((callback) => void setImmediate(callback));

port.on('message', (piece: ThreadMessage) => {
  if (piece === 'ping') return port.postMessage('ping' satisfies ThreadReply);
  const current = inspectionOf(piece);
  const { inspection, busy } = current;
  current.busy = (busy === null ? take(inspection, piece) : busy.then(() => take(inspection, piece))) ?? null;
});

function inspectionOf({ id, task }: Piece): OpenInspection {
  const known = inspections.get(id);
  if (known) return known;
  if (task === null) throw new Error('The first piece of an artifact has its task.');
  const opened: OpenInspection = { inspection: digestArtifact(task, () => turns.take(task.owner)), busy: null };
  inspections.set(id, opened);
  return opened;
}

function take(inspection: Inspection, piece: Piece): void | Promise<void> {
  const { id, bytes, last } = piece;
  if (last !== null) inspections.delete(id);
  if (last === 'end') return finish(inspection, piece);
  if (last === 'drop') inspection.drop();
  const written = last === null ? inspection.write(bytes) : undefined;
  sendResult(piece, null);
  return written;
}

async function finish(inspection: Inspection, piece: Piece): Promise<void> {
  if (piece.bytes.length > 0) await inspection.write(piece.bytes);
  sendResult(piece, await inspection.end());
}

function sendResult({ id, bytes }: Piece, facts: PieceResult['facts']): void {
  const memory = bytes.buffer;
  port.postMessage({ id, memory, facts } satisfies ThreadReply, [memory]);
}

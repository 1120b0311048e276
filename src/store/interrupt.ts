import { Trouble } from '../core/trouble.ts';
import { NOTHING_CHANGED } from './disk-trouble.ts';

/**
 * Ctrl-C in the middle of a write: the signal is held back until the write has either happened or been undone, locks
 * and temporary files included, and strikes then. A second signal strikes at once.
 */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let running = 0;
let pending: NodeJS.Signals | null = null;

/** Does `work` with signals held back; `work` asks `stopIfInterrupted` where it can still turn back. */
export async function shielded<T>(work: () => Promise<T>): Promise<T> {
  if (running++ === 0) for (const signal of SIGNALS) process.on(signal, hold);
  try {
    return await work();
  } finally {
    if (--running === 0) release();
  }
}

export function stopIfInterrupted(): void {
  if (pending === null) return;
  throw new Trouble('interrupted', `Interrupted. ${NOTHING_CHANGED}`, 'Run the same command again to finish.');
}

function hold(signal: NodeJS.Signals): void {
  pending = signal;
  for (const one of SIGNALS) process.off(one, hold);
}

function release(): void {
  for (const one of SIGNALS) process.off(one, hold);
  const signal = pending;
  pending = null;
  // Somebody else who listens has heard the signal too, and decides.
  if (signal !== null && process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

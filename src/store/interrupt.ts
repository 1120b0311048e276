import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppregError } from '../core/errors/error.ts';
import { interruptedError, isStopSignal, STOP_SIGNALS, type StopSignal } from '../platform/stop-signals.ts';

/**
 * Signals that ask the process to end. The command line requests a stop; stores and plans check for it while they can
 * still turn back, and end with AppregError `interrupted`. A program without its own handler gets the signal after the
 * current write was either completed or undone.
 */

interface StopState {
  requested: StopSignal | null;
  controller: AbortController;
  /** Number of writes that are deferring signals. */
  deferrals: number;
  /** A signal received while there was no handler but ours. */
  pending: StopSignal | null;
  /** The listener of the writes that defer signals. */
  listener: (signal: NodeJS.Signals) => void;
}

let state: StopState | null = null;

function stopState(): StopState {
  state ??= { requested: null, controller: stopController(), deferrals: 0, pending: null, listener: deferSignal };
  return state;
}

/** Each request in flight listens to it. */
function stopController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Asks everything that runs in this process to end. The first request counts. */
export function requestStop(signal: StopSignal): void {
  const now = stopState();
  now.requested ??= signal;
  now.controller.abort();
}

export function stopRequested(): StopSignal | null {
  return stopState().requested;
}

/** Aborted when a stop is requested. */
export function stopAbortSignal(): AbortSignal {
  return stopState().controller.signal;
}

/** True during a write that must not be interrupted. */
export function areSignalsDeferred(): boolean {
  return stopState().deferrals > 0;
}

/** @throws AppregError `interrupted` if a stop was requested; the caller has then changed nothing */
export function stopIfInterrupted(): void {
  const error = stopError();
  if (error !== null) throw error;
}

function stopError(): AppregError | null {
  const { requested, pending } = stopState();
  const signal = requested ?? pending;
  return signal === null ? null : interruptedError(signal, { effect: 'none' });
}

/** Resolves once signals that this process has received already were handled: within two turns of the event loop. */
export async function pendingSignals(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** The result of `work`, or AppregError `interrupted` as soon as a stop is requested; `work` is not awaited then. */
export async function untilStopped<T>(work: Promise<T>): Promise<T> {
  stopIfInterrupted();
  const ended = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stopAbortSignal().addEventListener('abort', () => reject(stopError()), { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    ended.abort();
  }
}

/** Runs `work` with signals deferred; `work` calls `stopIfInterrupted` while it can still turn back. */
export async function deferSignals<T>(work: () => Promise<T>): Promise<T> {
  const now = stopState();
  if (now.deferrals++ === 0) for (const signal of STOP_SIGNALS) process.on(signal, now.listener);
  try {
    return await work();
  } finally {
    if (--now.deferrals === 0) deliverPending();
  }
}

/** True if there is a handler for the signal other than `own` and ours, which then decides. */
export function isHandled(signal: NodeJS.Signals, own: (signal: NodeJS.Signals) => void): boolean {
  return process.listeners(signal).some((listener) => listener !== own && listener !== stopState().listener);
}

function deferSignal(signal: NodeJS.Signals): void {
  // Another handler, such as the command line's, decides what the signal does.
  if (process.listenerCount(signal) > 1 || !isStopSignal(signal)) return;
  stopState().pending = signal;
  for (const one of STOP_SIGNALS) process.off(one, stopState().listener);
}

function deliverPending(): void {
  for (const one of STOP_SIGNALS) process.off(one, stopState().listener);
  const now = stopState();
  const signal = now.pending;
  now.pending = null;
  if (signal !== null && process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

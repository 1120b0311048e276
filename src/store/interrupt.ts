import { setMaxListeners } from 'node:events';
import { type SignalExit, AppregError } from '../core/errors.ts';
import { NOTHING_CHANGED } from './directory/disk-error.ts';

/**
 * Signals that ask the process to end. The command line requests a stop; stores and plans look for that request where
 * they can still turn back, and end with Trouble `interrupted`. A program that has no handler of its own gets the signal
 * after the write that is under way was either done or undone.
 */

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Exit codes as shells report them: 128 and the signal's number. */
export const SIGNAL_EXIT: Readonly<Record<StopSignal, SignalExit>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

interface StopState {
  requested: StopSignal | null;
  controller: AbortController;
  /** Writes that hold signals back. */
  shields: number;
  /** A signal that came while no handler but ours was there. */
  pending: NodeJS.Signals | null;
  /** The listener of the writes that hold signals back. */
  hold: (signal: NodeJS.Signals) => void;
}

const KEY = Symbol.for('appreg.stop');

/** One state for the process: each command is bundled with its own copy of this module. */
function state(): StopState {
  const holder = globalThis as { [KEY]?: StopState };
  return (holder[KEY] ??= {
    requested: null,
    controller: stopController(),
    shields: 0,
    pending: null,
    hold: holdSignal,
  });
}

/** Each request that is under way listens to it. */
function stopController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Asks everything that runs in this process to end. The first request counts. */
export function requestStop(signal: StopSignal): void {
  const now = state();
  now.requested ??= signal;
  now.controller.abort();
}

export function stopRequested(): StopSignal | null {
  return state().requested;
}

/** Aborted when a stop is requested. */
export function stopping(): AbortSignal {
  return state().controller.signal;
}

/** True while a write that must not be cut off is under way. */
export function areSignalsDeferred(): boolean {
  return state().shields > 0;
}

/** @throws Trouble `interrupted` when a stop was requested; nothing that the caller does was done then */
export function stopIfInterrupted(): void {
  const error = stopError();
  if (error !== null) throw error;
}

function stopError(): AppregError | null {
  const { requested, pending } = state();
  if (requested === null && pending === null) return null;
  return interrupted(requested ?? (pending as StopSignal), NOTHING_CHANGED);
}

/**
 * The error of a run that a signal ended.
 * @param holds a sentence about what holds now
 */
export function interrupted(signal: StopSignal, holds: string, effect: 'none' | 'unknown' = 'none'): AppregError {
  return new AppregError('interrupted', `Interrupted (${signal}). ${holds}`, 'Run the same command again to finish.', {
    exit: SIGNAL_EXIT[signal],
    effect,
  });
}

/** What `work` gives, or Trouble `interrupted` as soon as a stop is requested; `work` is not waited for then. */
export async function untilStopped<T>(work: Promise<T>): Promise<T> {
  stopIfInterrupted();
  const over = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stopping().addEventListener('abort', () => reject(stopError()), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    over.abort();
  }
}

/** Does `work` with signals held back; `work` calls `stopIfInterrupted` where it can still turn back. */
export async function deferSignals<T>(work: () => Promise<T>): Promise<T> {
  const now = state();
  if (now.shields++ === 0) for (const signal of STOP_SIGNALS) process.on(signal, now.hold);
  try {
    return await work();
  } finally {
    if (--now.shields === 0) release();
  }
}

/** True when a handler other than `own` and ours is there for the signal: then that one decides. */
export function isHandled(signal: NodeJS.Signals, own: (signal: NodeJS.Signals) => void): boolean {
  return process.listeners(signal).some((listener) => listener !== own && listener !== state().hold);
}

function holdSignal(signal: NodeJS.Signals): void {
  // Another handler decides what the signal means, as that of the command line does.
  if (process.listenerCount(signal) > 1) return;
  state().pending = signal;
  for (const one of STOP_SIGNALS) process.off(one, state().hold);
}

function release(): void {
  for (const one of STOP_SIGNALS) process.off(one, state().hold);
  const now = state();
  const signal = now.pending;
  now.pending = null;
  if (signal !== null && process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

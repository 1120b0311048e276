import type { SignalExit } from '../../core/errors/error.ts';
import {
  interruptedError,
  isStopSignal,
  SIGNAL_EXIT,
  STOP_SIGNALS,
  type StopSignal,
} from '../../platform/stop-signals.ts';
import { pendingSignals } from '../../store/interrupt.ts';

type Signal = 'SIGINT' | 'SIGTERM';

/** Resolves at the first termination signal. A second one has its default effect. */
export function stopSignal(): { signal: Promise<Signal>; forget(): void } {
  let received: (signal: Signal) => void;
  const signal = new Promise<Signal>((resolve) => {
    received = resolve;
  });
  const listener = (name: Signal): void => {
    forget();
    received(name);
  };
  const forget = (): void => {
    process.off('SIGINT', listener);
    process.off('SIGTERM', listener);
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return { signal, forget };
}

/** Milliseconds: a signal within this time after the first is a duplicate, forwarded by npx. */
export const DUPLICATE_WITHIN = 100;

/**
 * Handles termination signals in place of Node's defaults.
 * @param first called at the first signal
 * @param again called at each later one, except duplicates forwarded by npx
 */
export function onSignals(
  first: (signal: StopSignal) => void,
  again: (signal: StopSignal) => void,
): { exit(): SignalExit; off(): void } {
  let heard: { signal: StopSignal; at: number } | null = null;
  const listener = (signal: NodeJS.Signals): void => {
    if (!isStopSignal(signal)) return;
    if (heard === null) {
      heard = { signal, at: performance.now() };
      return first(signal);
    }
    if (performance.now() - heard.at > DUPLICATE_WITHIN) again(signal);
  };
  for (const one of STOP_SIGNALS) process.on(one, listener);
  return {
    exit: () => SIGNAL_EXIT[heard?.signal ?? 'SIGINT'],
    off() {
      for (const one of STOP_SIGNALS) process.off(one, listener);
    },
  };
}

/**
 * Passes a signal on, after the caller removed its own listener: to the remaining listeners, or else to Node's default.
 * With listeners it is not sent to the process, which on Windows would end it unconditionally.
 */
export function redeliver(signal: StopSignal): void {
  if (!process.emit(signal, signal)) process.kill(process.pid, signal);
}

/**
 * Runs `work` until it ends, or until a signal aborts it. A second signal has its default effect.
 * @throws AppregError `interrupted` after a signal
 */
export async function untilSignal<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stopping = new AbortController();
  let received: StopSignal | null = null;
  const signals = onSignals(
    (signal) => {
      received = signal;
      stopping.abort();
    },
    (signal) => {
      signals.off();
      redeliver(signal);
    },
  );
  try {
    return await work(stopping.signal);
  } catch (error) {
    await pendingSignals();
    throw received === null ? error : interruptedError(received, { effect: 'none' });
  } finally {
    signals.off();
  }
}

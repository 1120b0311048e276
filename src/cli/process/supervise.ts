import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isHandled,
  areSignalsDeferred,
  requestStop,
  STOP_SIGNALS,
  stopIfInterrupted,
  type StopSignal,
} from '../../store/interrupt.ts';
import { isBlank, type Journal } from '../../store/journal.ts';
import { SAME } from './stop-signal.ts';

export interface Watch {
  journal: Journal;
  /** Says that what is under way is finished first. */
  onWaiting(): void;
  /** The last words of a process that ends at once, at a second signal. */
  onSecond(signal: StopSignal): never;
}

/**
 * Runs a command. The first signal ends it: at once while nothing was written, otherwise where its writes are complete.
 * A second signal ends the process. A command that handles signals itself (`verify`, `mirror`, `serve`) is left to it.
 * @throws what `work` throws, Trouble `interrupted`, and what no code caught
 */
export async function supervise<T>(work: () => Promise<T>, { journal, onWaiting, onSecond }: Watch): Promise<T> {
  let first = 0;
  const failure = new AbortController();
  const fail = (error: unknown): void => failure.abort(error);
  const ended = new Promise<never>((_, reject) => {
    failure.signal.addEventListener('abort', () => reject(failure.signal.reason), { once: true });
  });
  const onSignal = (signal: NodeJS.Signals): void => {
    const name = signal as StopSignal;
    if (first > 0) {
      if (performance.now() - first > SAME && !isHandled(signal, onSignal)) onSecond(name);
      return;
    }
    first = performance.now();
    if (isHandled(signal, onSignal)) return;
    requestStop(name);
    if (areSignalsDeferred() || !isBlank(journal)) return onWaiting();
    try {
      stopIfInterrupted();
    } catch (error) {
      fail(error);
    }
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', fail);
  try {
    const result = await Promise.race([work(), ended]);
    // A signal that came already is delivered by the next turn of the event loop but one.
    await nextTurn();
    await nextTurn();
    return result;
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    process.off('uncaughtException', fail);
  }
}

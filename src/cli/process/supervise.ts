import { isStopSignal, STOP_SIGNALS, type StopSignal } from '../../platform/stop-signals.ts';
import {
  areSignalsDeferred,
  isHandled,
  pendingSignals,
  requestStop,
  stopIfInterrupted,
} from '../../store/interrupt.ts';
import { isEmptyJournal, type Journal } from '../../store/journal.ts';
import { DUPLICATE_WITHIN } from '../io/stop-signal.ts';

export interface SuperviseOptions {
  journal: Journal;
  /** Reports that running writes are completed first. */
  onWaiting(): void;
  /** The last message of a process that ends immediately, at a second signal. */
  onSecond(signal: StopSignal): never;
}

/**
 * Runs a command. The first signal ends it: immediately if nothing was written, otherwise once its writes are complete.
 * A second signal ends the process. Commands that handle signals themselves (`verify`, `mirror`, `serve`) are left to
 * do so.
 * @throws what `work` throws, AppregError `interrupted`, and uncaught errors
 */
export async function superviseCommand<T>(
  work: () => Promise<T>,
  { journal, onWaiting, onSecond }: SuperviseOptions,
): Promise<T> {
  let first = 0;
  const failure = new AbortController();
  const fail = (error: unknown): void => failure.abort(error);
  const ended = new Promise<never>((_, reject) => {
    failure.signal.addEventListener('abort', () => reject(failure.signal.reason), { once: true });
  });
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!isStopSignal(signal)) return;
    if (first > 0) {
      if (performance.now() - first > DUPLICATE_WITHIN && !isHandled(signal, onSignal)) onSecond(signal);
      return;
    }
    first = performance.now();
    if (isHandled(signal, onSignal)) return;
    requestStop(signal);
    if (areSignalsDeferred() || !isEmptyJournal(journal)) return onWaiting();
    try {
      stopIfInterrupted();
    } catch (error) {
      fail(error);
    }
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', fail);
  try {
    return await Promise.race([work(), ended]);
  } finally {
    // Ctrl+C ends child processes, too: their end may be noticed before the signal.
    await pendingSignals();
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    process.off('uncaughtException', fail);
  }
}

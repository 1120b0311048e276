import { message, safe, type SafeText } from '../../core/text/message.ts';
import { isAppregError, NOTHING_CHANGED, type WriteState } from '../../core/errors/error.ts';
import { interruptedError, SIGNAL_EXIT, type StopSignal } from '../../platform/stop-signals.ts';
import { stopRequested } from '../../store/interrupt.ts';
import { describeWriteState, effectOf, isEmptyJournal, type Journal, writeStateOf } from '../../store/journal.ts';
import { errorText } from '../io/terminal.ts';
import { toStderr, hasPendingOutput } from '../io/streams.ts';

/** Messages of an interrupted run about its writes. */

/** The message of a run that was complete when the signal arrived. */
export function messageAtExit(signal: StopSignal, journal: Journal): SafeText {
  return message`Interrupted (${signal}) after the last step. ${isEmptyJournal(journal) ? 'Nothing is left to do.' : `${storeState(journal)} Nothing is left to do.`}`;
}

/** Ends the process immediately, after reporting what was written. */
export function secondSignal(journal: Journal): (signal: StopSignal) => never {
  return (signal) => {
    const summary = message`Interrupted again (${signal}): stopped immediately. ${safe(storeState(journal))}`;
    toStderr(errorText(summary, message`Run the same command again to finish.`));
    return endNow(SIGNAL_EXIT[signal]);
  };
}

/** The error extended by what was written, unless it already says so. */
export function withStoreState(error: unknown, journal: Journal): unknown {
  const signal = stopRequested();
  if (signal !== null && !(isAppregError(error) && error.exit > 128))
    return interruptedError(signal, {
      effect: effectOf(journal),
      state: isAppregError(error)
        ? message`${safe(storeState(journal))} (${safe(error.message)})`
        : storeState(journal),
    });
  if (!isAppregError(error) || error.effect !== 'none') return error;
  const holds = auxiliaryState(journal);
  if (holds === null) return error;
  return error.with({ state: holds });
}

function storeState(journal: Journal): SafeText {
  return describeWriteState(writeStateOf(journal)) || (auxiliaryState(journal) ?? NOTHING_CHANGED);
}

/** Null if "nothing was changed" is accurate. */
function auxiliaryState(journal: Journal): SafeText | null {
  const written: WriteState = writeStateOf(journal);
  if (written.stored.length > 0) return describeWriteState(written);
  if (journal.auxiliary.length === 0) return null;
  return message`No file of the registry was changed; ${journal.auxiliary.join(', ')} was written to test the store.`;
}

/** The only two cases in which the process is ended explicitly, after all output is written. */

/** Ends the process immediately, at a second signal. Errors are written synchronously, so that none are lost. */
function endNow(code: number): never {
  process.exit(code);
}

/** Ends the process once all output is written, if an abandoned command keeps it alive. */
export function endUnlessIdle(code: number): void {
  const timer = setInterval(() => {
    if (!hasPendingOutput()) process.exit(code);
  }, 200);
  timer.unref();
}

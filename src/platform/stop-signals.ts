import { type Effect, type SignalExit, AppregError } from '../core/errors/error.ts';
import { message, type SafeText } from '../core/text/message.ts';

/** Signals that ask a process to end, whether this one or a child received them. */

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** True for a signal that asks the process to end. */
export function isStopSignal(signal: string): signal is StopSignal {
  return STOP_SIGNALS.some((stop) => stop === signal);
}

/** Exit codes as shells report them: 128 plus the signal's number. */
export const SIGNAL_EXIT: Readonly<Record<StopSignal, SignalExit>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * The error of a run that a signal ended.
 * @param outcome its effect, and a sentence about the resulting state if nothing else describes it
 */
export function interruptedError(signal: StopSignal, outcome: { effect: Effect; state?: SafeText }): AppregError {
  return new AppregError(
    'interrupted',
    message`Interrupted (${signal}).`,
    message`Run the same command again to finish.`,
    {
      exit: SIGNAL_EXIT[signal],
      ...outcome,
      advisesRepeat: true,
    },
  );
}

interface ChildEnd {
  status: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * The stop signal that ended a child process; null if it ended otherwise. A terminal sends Ctrl+C to all processes of
 * its group, and the end of a child may be reported before the signal of this process. A program that runs others
 * returns their signal in its status; 129 is a usage error of git.
 */
export function stopSignalOf({ status, signal }: ChildEnd): StopSignal | null {
  if (signal !== null) return isStopSignal(signal) ? signal : null;
  if (status === 130) return 'SIGINT';
  return status === 143 ? 'SIGTERM' : null;
}

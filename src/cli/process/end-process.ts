import { hasPendingOutput } from '../io/streams.ts';

/** The only two cases in which the process is ended, after everything was written. */

/** Ends the process at once: a second signal. Errors are written synchronously, so that nothing of them is lost. */
export function endNow(code: number): never {
  process.exit(code);
}

/** Ends the process once all output is written, where a command that was given up keeps it alive. */
export function endUnlessIdle(code: number): void {
  const timer = setInterval(() => {
    if (!hasPendingOutput()) process.exit(code);
  }, 200);
  timer.unref();
}

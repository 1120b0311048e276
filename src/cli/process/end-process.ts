import { hasPendingOutput } from '../io/streams.ts';

/** The only two cases in which the process is ended explicitly, after all output is written. */

/** Ends the process immediately, at a second signal. Errors are written synchronously, so that none are lost. */
export function endNow(code: number): never {
  process.exit(code);
}

/** Ends the process once all output is written, if an abandoned command keeps it alive. */
export function endUnlessIdle(code: number): void {
  const timer = setInterval(() => {
    if (!hasPendingOutput()) process.exit(code);
  }, 200);
  timer.unref();
}

import type { Missing } from '../../core/facts/facts.ts';
import type { Progress } from '../../observe/registry/observe.ts';
import type { Limits } from '../settings.ts';

/** What one refresh of one registry may cost. What it cannot afford has its turn with the next one, soon after. */

export interface Budget {
  /** Why an artifact is not fetched this time, or null; then it is counted. */
  afford(): Missing | null;
  onProgress(progress: Readonly<Progress>): void;
  /** Aborted where nothing more is to be asked. */
  signal: AbortSignal;
  /** Whether anything was left for the next refresh. */
  left(): boolean;
  artifacts(): number;
  bytes(): number;
  /** Ends it at once. */
  stop(): void;
  close(): void;
}

/** The rest of the time is for what was begun by then, so that each refresh comes to an end with something. */
const SHARE_FOR_ARTIFACTS = 0.5;
/** The manifest alone may be large; it is no artifact. */
const DOCUMENTS = 64 * 2 ** 20;
const LATER: Missing = { missing: 'too much at once: its turn comes with the next check, which is soon' };

/** @param stopping ends it as well: the node is told to stop */
export function openBudget(limits: Limits, stopping: AbortSignal): Budget {
  const ending = new AbortController();
  const stop = (): void => ending.abort(stopping.reason);
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => ending.abort(new Error('too long')), limits.refresh);
  const last = Date.now() + limits.refresh * SHARE_FOR_ARTIFACTS;
  let artifacts = 0;
  let bytes = 0;
  let left = false;
  return {
    afford() {
      if (artifacts < limits.artifacts && bytes < limits.artifactBytes && Date.now() < last) {
        artifacts += 1;
        return null;
      }
      left = true;
      return LATER;
    },
    onProgress(progress) {
      bytes = progress.bytes;
      // What is under way has an end as well.
      if (bytes > limits.artifactBytes * 1.5 + DOCUMENTS) ending.abort(new Error('too many bytes'));
    },
    signal: ending.signal,
    left: () => left,
    artifacts: () => artifacts,
    bytes: () => bytes,
    stop: () => ending.abort(new Error('too much')),
    close() {
      clearTimeout(timer);
      stopping.removeEventListener('abort', stop);
    },
  };
}

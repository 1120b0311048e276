import { type Missing } from '../../core/facts/facts.ts';
import { type ObserveProgress } from '../../observe/registry/options.ts';
import { type Limits } from '../config/settings.ts';

/** The budget of one refresh of one registry. What exceeds it is deferred to the next refresh, soon after. */
export interface Budget {
  /** Why an artifact is not fetched this time; null if it is, which is counted. */
  afford(): Missing | null;
  onProgress(progress: Readonly<ObserveProgress>): void;
  /** Aborted when no more requests may be sent. */
  signal: AbortSignal;
  /** Whether anything was deferred to the next refresh. */
  hasDeferred(): boolean;
  artifacts(): number;
  bytes(): number;
  /** Aborts the refresh immediately. */
  stop(): void;
  close(): void;
}

/** The rest of the time is for completing artifacts already started, so that each refresh makes progress. */
const ARTIFACT_SHARE = 0.5;
/** Bytes of documents; the manifest may be large, and is not an artifact. */
const DOCUMENT_BYTES = 64 * 2 ** 20;
const OVER_BUDGET: Missing = { missing: { code: 'over-budget' } };

/** @param stopping also ends it: the node is stopping */
export function openBudget(limits: Limits, stopping: AbortSignal): Budget {
  const ending = new AbortController();
  const stop = (): void => ending.abort(stopping.reason);
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => ending.abort(new Error('the time limit was reached')), limits.refresh);
  const artifactsUntil = Date.now() + limits.refresh * ARTIFACT_SHARE;
  let artifacts = 0;
  let bytes = 0;
  let hasDeferred = false;
  return {
    afford() {
      if (artifacts < limits.artifacts && bytes < limits.artifactBytes && Date.now() < artifactsUntil) {
        artifacts += 1;
        return null;
      }
      hasDeferred = true;
      return OVER_BUDGET;
    },
    onProgress(progress) {
      bytes = progress.bytes;
      // Requests in progress are limited as well.
      if (bytes > limits.artifactBytes * 1.5 + DOCUMENT_BYTES)
        ending.abort(new Error('the limit for bytes was reached'));
    },
    signal: ending.signal,
    hasDeferred: () => hasDeferred,
    artifacts: () => artifacts,
    bytes: () => bytes,
    stop: () => ending.abort(new Error('the limit for findings was reached')),
    close() {
      clearTimeout(timer);
      stopping.removeEventListener('abort', stop);
    },
  };
}

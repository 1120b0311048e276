import type { ObserveBudget } from 'appreg/node';
import { type Limits } from '../config/settings.ts';

/** The budget of one refresh of one registry. What exceeds it is deferred to the next refresh, soon after. */
export interface Budget {
  /** Limits of the observation. */
  readonly observation: ObserveBudget;
  /** Aborted when no more requests may be sent. */
  readonly signal: AbortSignal;
  close(): void;
}

/** The rest of the time is for completing artifacts already started, so that each refresh makes progress. */
const ARTIFACT_SHARE = 0.5;
/** Bytes of documents; the manifest may be large, and is not an artifact. */
const DOCUMENT_BYTES = 64 * 2 ** 20;

/** @param stopping also ends it: the node is stopping */
export function openBudget({ refresh, artifacts, artifactBytes }: Limits, stopping: AbortSignal): Budget {
  const ending = new AbortController();
  const stop = (): void => ending.abort(stopping.reason);
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => ending.abort(new Error('the time limit was reached')), refresh);
  return {
    observation: {
      artifacts,
      artifactBytes,
      artifactsUntil: Date.now() + refresh * ARTIFACT_SHARE,
      bytes: artifactBytes * 1.5 + DOCUMENT_BYTES,
    },
    signal: ending.signal,
    close() {
      clearTimeout(timer);
      stopping.removeEventListener('abort', stop);
    },
  };
}

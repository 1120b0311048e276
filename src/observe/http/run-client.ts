import type { HttpClient } from './client.ts';
import { timeoutFailure } from './deadlines.ts';

/** The client of a run, whose requests end with the run: the client that it was given may be used further. */
export interface RunClient extends HttpClient {
  /** Ends the requests in flight; later ones are not sent. */
  end(): void;
  readonly isEnded: boolean;
}

/** @param onProbe called after each probe */
export function openRunClient(http: HttpClient, onProbe: () => void): RunClient {
  let isEnded = false;
  return {
    ...http,
    async probe(request) {
      const { method, origin, url } = request;
      if (isEnded) {
        const failure = timeoutFailure(new Error('The run has ended.'), url);
        return { method, origin, hops: [], failure, attempts: 0, retryAfterMs: 0 };
      }
      const probe = await http.probe(request);
      onProbe();
      return probe;
    },
    end() {
      isEnded = true;
      http.interrupt();
    },
    get isEnded() {
      return isEnded;
    },
  };
}

import type { Judging } from '../../../core/engine/judge.ts';
import type { HttpClient } from '../../../observe/http/client.ts';
import type { Settings } from '../../config/settings.ts';
import { type ExpiryProbe, openExpiryProbe } from './expiry-probe.ts';
import { openRecordingClient } from './recording-client.ts';
import { isStillUnchanged, type RevalidationLimits } from './revalidate.ts';
import { judgementKey, unchangedTokenIn } from './unchanged-token.ts';

/**
 * Skips observing and judging a registry of which nothing changed. A refresh stores the conditional requests that
 * confirm its outcome; the next one sends only these, and starts over if any response differs.
 */
export interface UnchangedCheck {
  /** Sends the requests of the refresh; responses of a failed revalidation are reused. */
  http: HttpClient;
  /** @returns the number of documents if all are unchanged, so that the last outcome is still valid; or null */
  revalidate(limits: RevalidationLimits): Promise<number | null>;
  /**
   * Receives what is judged, and determines the token for the next refresh.
   * @param judgingAt judges as of a given time (ISO 8601)
   */
  openExpiryProbe(judgingAt: (moment: string) => Judging): ExpiryProbe;
}

/**
 * @param storedToken of the last refresh, or null
 * @param now milliseconds since 1970
 */
export function openUnchangedCheck(
  http: HttpClient,
  storedToken: string | null,
  settings: Settings,
  now: number,
): UnchangedCheck {
  const client = openRecordingClient(http);
  const judgedBy = judgementKey(settings);
  const token = unchangedTokenIn(storedToken, judgedBy, now);
  return {
    http: client.http,
    async revalidate(limits) {
      return token !== null && (await isStillUnchanged(token, client, limits, now)) ? token.requests.length : null;
    },
    openExpiryProbe(judgingAt) {
      const timeDependentToken = token?.requests.length === 0 ? storedToken : null;
      return openExpiryProbe({ client, judgingAt, now, judgedBy, timeDependentToken });
    },
  };
}

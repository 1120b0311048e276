import type { AppFacts, DocumentFacts } from '../../../core/facts/facts.ts';
import type { Judging } from '../../../core/engine/judge.ts';
import type { Report } from '../../../core/engine/report.ts';
import { sameAddress } from '../../../core/http/url.ts';
import { reusableUntil, viewsUntil } from '../../../observe/registry/cache/expiry.ts';
import type { RecordingClient } from './recording-client.ts';
import { aged } from './response-fingerprint.ts';
import { unchangedTokenOf } from './unchanged-token.ts';

/**
 * Determines whether the outcome of a refresh stays the same until something changes, and until when: all responses
 * were "not modified", nothing had to be written, and judging the same facts at the latest time, with the responses
 * possible then, yields the same report. So no list of time-dependent rules is needed.
 */
export interface ExpiryProbe {
  /** Receives the manifest and each app as they are judged. */
  manifest(facts: DocumentFacts): void;
  app(facts: AppFacts): void;
  /** Limits the validity, in milliseconds since 1970. */
  notAfter(moment: number): void;
  /** Something had to be written, or was deferred: the next refresh will not find the same state. */
  unsettle(): void;
  /**
   * @returns the value to store (unchanged-token.ts): the conditions under which the outcome stays valid, or that it
   * depends on time
   */
  end(report: Report): string | null;
}

/**
 * @param judgingAt judges again as of a given time (ISO 8601) @param now of the refresh, in milliseconds since 1970
 * @param vain the stored value of a recent attempt without a lasting outcome; or null
 */
export function openExpiryProbe(
  asked: RecordingClient,
  judgingAt: (moment: string) => Judging,
  now: number,
  by: string,
  vain: string | null,
): ExpiryProbe {
  let judging: Judging | null = null;
  let last = now;
  let until = now;

  function agedBy(facts: DocumentFacts): DocumentFacts {
    const answer = facts.url === null ? undefined : asked.confirmed()?.get(sameAddress(facts.url));
    return answer ? aged(facts, answer.visit, now, last - now) : facts;
  }

  return {
    manifest(facts) {
      until = last = viewsUntil(facts, now);
      if (last <= now || vain !== null || asked.confirmed() === null) return;
      judging = judgingAt(new Date(last).toISOString());
      judging.manifest(agedBy(facts));
    },
    app(facts) {
      if (judging === null || asked.confirmed() === null) return void (judging = null);
      until = Math.min(until, reusableUntil(facts, now));
      judging.app({ ...facts, metadata: agedBy(facts.metadata) });
    },
    notAfter: (moment) => void (until = Math.min(until, moment)),
    unsettle: () => void (judging = vain = null),
    end(report) {
      const confirmed = asked.confirmed();
      if (confirmed !== null && vain !== null) return vain;
      if (judging === null || confirmed === null || until <= now || report.outcome === 'incomplete') return null;
      const then = judging.finish(report.summary.seconds);
      const isSame = JSON.stringify(then) === JSON.stringify(report);
      return (
        (isSame ? unchangedTokenOf(confirmed.values(), by, until, now) : null) ?? unchangedTokenOf([], by, last, now)
      );
    },
  };
}

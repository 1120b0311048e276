import type { Judging } from '../../../core/engine/judge.ts';
import type { Report } from '../../../core/engine/report.ts';
import type { AppFacts, DocumentFacts } from '../../../core/facts/facts.ts';
import { comparableUrl } from '../../../core/http/url.ts';
import { reusableUntil, viewsUntil } from '../../../observe/registry/cache/expiry.ts';
import type { RecordingClient } from './recording-client.ts';
import { atLaterTime } from './response-fingerprint.ts';
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
  invalidate(): void;
  /**
   * @returns the token to store (unchanged-token.ts): the conditions under which the outcome stays valid, or that it
   * depends on time
   */
  end(report: Report): string | null;
}

interface ExpiryProbeOptions {
  client: Pick<RecordingClient, 'confirmed'>;
  /** Judges again as of a given time (ISO 8601). */
  judgingAt(moment: string): Judging;
  /** The time of the refresh, in milliseconds since 1970. */
  now: number;
  /** `judgementKey` of the settings. */
  judgedBy: string;
  /** The token of a recent attempt that found that the outcome depends on time; or null. */
  timeDependentToken: string | null;
}

export function openExpiryProbe(options: ExpiryProbeOptions): ExpiryProbe {
  const { client, judgingAt, now, judgedBy } = options;
  let { timeDependentToken } = options;
  let judging: Judging | null = null;
  let latest = now;
  let until = now;

  function atLatestTime(facts: DocumentFacts): DocumentFacts {
    const document = facts.url === null ? undefined : client.confirmed()?.get(comparableUrl(facts.url));
    return document ? atLaterTime(facts, document.probe, now, latest - now) : facts;
  }

  return {
    manifest(facts) {
      latest = viewsUntil(facts, now);
      until = latest;
      if (latest <= now || timeDependentToken !== null || client.confirmed() === null) return;
      judging = judgingAt(new Date(latest).toISOString());
      judging.manifest(atLatestTime(facts));
    },
    app(facts) {
      if (client.confirmed() === null) judging = null;
      if (judging === null) return;
      until = Math.min(until, reusableUntil(facts, now));
      judging.app({ ...facts, metadata: atLatestTime(facts.metadata) });
    },
    notAfter(moment) {
      until = Math.min(until, moment);
    },
    invalidate() {
      judging = null;
      timeDependentToken = null;
    },
    end(report) {
      const confirmed = client.confirmed();
      if (confirmed !== null && timeDependentToken !== null) return timeDependentToken;
      if (judging === null || confirmed === null || until <= now || report.outcome === 'incomplete') return null;
      const reportThen = judging.finish(report.summary.seconds);
      const isSame = JSON.stringify(reportThen) === JSON.stringify(report);
      const token = isSame ? unchangedTokenOf(confirmed.values(), judgedBy, until, now) : null;
      return token ?? unchangedTokenOf([], judgedBy, latest, now);
    },
  };
}

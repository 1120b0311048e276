import type { AppFacts, DocumentFacts } from '../../core/facts/facts.ts';
import type { Judging } from '../../core/engine/judge.ts';
import type { Report } from '../../core/engine/report.ts';
import { sameAddress } from '../../core/http/url.ts';
import { reusableUntil, viewsUntil } from '../../observe/registry/observation-cache.ts';
import type { RecordingClient } from './recording-client.ts';
import { aged } from './response-fingerprint.ts';
import { unchangedTokenOf } from './unchanged-token.ts';

/**
 * Finds out, along a look, whether its outcome would be the same for as long as nothing changes, and until when: all was
 * answered with "not modified", nothing had to be written, and whoever judges the same facts at the last moment, with the
 * answers that there might be by then, comes to the same report. So nobody need know which rule goes by the time.
 */
export interface ExpiryProbe {
  /** The manifest and each app, as they are judged. */
  manifest(facts: DocumentFacts): void;
  app(facts: AppFacts): void;
  /** What stands only until then, in milliseconds since 1970. */
  notAfter(moment: number): void;
  /** Something had to be written, or was left: the next look does not find what this one found. */
  unsettle(): void;
  /** @returns what is to be kept (unchanged-token.ts): what has to be for the outcome to stand, or that it goes by the time */
  end(report: Report): string | null;
}

/**
 * @param judgingAt judges anew as of a moment (ISO 8601) @param now of the look, in milliseconds since 1970
 * @param vain what was kept where it was tried in vain, not long ago; or null
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

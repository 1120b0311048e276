import { aboutUrl, type AppFacts, comparableUrl, type DocumentFacts, type Judging, type Report } from 'appreg';
import { reusableUntil, viewsUntil } from 'appreg/node';
import { type ConfirmedDocument, type RecordingClient } from './recording-client.ts';
import { atLaterTime } from './response-fingerprint.ts';
import { unchangedTokenOf } from './unchanged.ts';

/**
 * Determines whether the outcome of a refresh stays the same until something changes, and until when: all responses
 * were "not modified", nothing had to be written, and judging the same facts at the latest time, with the responses
 * possible then, yields the same report. So no list of time-dependent rules is needed.
 * @param now the time of the refresh, in milliseconds since 1970
 * @param judgedBy `judgementKey` of the settings
 * @param knownAsTimeDependent the token of a recent attempt that found that the outcome depends on time; or null
 * @param judgingAt judges again as of a given time (ISO 8601)
 */
export function openExpiryProbe(
  client: RecordingClient,
  now: number,
  judgedBy: string,
  knownAsTimeDependent: string | null,
  judgingAt: (moment: string) => Judging,
) {
  let judging: Judging | null = null;
  let latest = now;
  let until = now;

  function atLatestTime(facts: DocumentFacts): DocumentFacts {
    const document = facts.url === null ? undefined : client.confirmed()?.get(comparableUrl(facts.url));
    return document ? atLaterTime(facts, document.probe, now, latest - now) : facts;
  }

  return {
    /** Receives the manifest and each app as they are judged. */
    manifest(facts: DocumentFacts): void {
      latest = viewsUntil(facts, now);
      until = latest;
      if (latest <= now || knownAsTimeDependent !== null || client.confirmed() === null) return;
      judging = judgingAt(new Date(latest).toISOString());
      judging.manifest(atLatestTime(facts));
    },
    app(facts: AppFacts): void {
      if (client.confirmed() === null) judging = null;
      if (judging === null) return;
      until = Math.min(until, reusableUntil(facts, now));
      judging.app({ ...facts, metadata: atLatestTime(facts.metadata) });
    },
    notAfter(moment: number): void {
      until = Math.min(until, moment);
    },
    /**
     * @returns the token to store, if nothing had to be written: the conditions under which the outcome stays valid, or
     * that it depends on time
     */
    finish(report: Report): string | null {
      const confirmed = client.confirmed();
      if (confirmed !== null && knownAsTimeDependent !== null) return knownAsTimeDependent;
      if (judging === null || confirmed === null || until <= now || report.outcome === 'incomplete') return null;
      const reportThen = judging.finish(report.summary.seconds);
      const isSame = JSON.stringify(reportThen) === JSON.stringify(report);
      const documents = isSame ? withAboutFiles(client, confirmed.values()) : null;
      const token = documents && unchangedTokenOf(documents, judgedBy, until, now);
      return token ?? unchangedTokenOf([], judgedBy, latest, now);
    },
  };
}

/**
 * The confirmed documents, each with the about file beside it.
 * @returns null if a metadata file was confirmed whose about file was not requested, or the reverse
 */
function withAboutFiles(client: RecordingClient, confirmed: Iterable<ConfirmedDocument>) {
  const rest = new Map(client.optional());
  const [manifest, ...metadata] = confirmed;
  if (manifest === undefined) return null;
  const documents = [manifest];
  for (const document of metadata) {
    const url = aboutUrl(document.url);
    if (url === null) {
      documents.push(document);
      continue;
    }
    const beside = rest.get(comparableUrl(url));
    if (beside === undefined) return null;
    rest.delete(comparableUrl(url));
    documents.push({ ...document, beside });
  }
  return rest.size === 0 ? documents : null;
}

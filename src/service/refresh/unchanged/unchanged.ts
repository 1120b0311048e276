import type { Judging } from '../../../core/engine/judge.ts';
import type { Report } from '../../../core/engine/report.ts';
import type { AppFacts, DocumentFacts } from '../../../core/facts/facts.ts';
import { aboutUrl } from '../../../core/about/about-url.ts';
import { comparableUrl } from '../../../core/http/url.ts';
import type { HttpClient } from '../../../observe/http/client.ts';
import { ABOUT_ACCEPT } from '../../../observe/registry/about.ts';
import { reusableUntil, viewsUntil } from '../../../observe/registry/cache/expiry.ts';
import { mapLimit } from '../../../observe/registry/concurrency.ts';
import type { Settings } from '../../config/settings.ts';
import {
  type ConfirmedDocument,
  isUnchanged,
  openRecordingClient,
  type RecordingClient,
  type RequestWithBody,
} from './recording-client.ts';
import {
  atLaterTime,
  judgementKey,
  responseFingerprint,
  type UnchangedToken,
  unchangedTokenIn,
  unchangedTokenOf,
} from './unchanged-token.ts';

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

/** Revalidates everything that a registry's last outcome depends on. */

/** Documents per connection: a small registry uses a single one. */
const DOCUMENTS_PER_CONNECTION = 8;

interface RevalidationLimits {
  connections: number;
  /** Milliseconds per document. */
  documentTimeout: number;
  /** Maximum bytes of the manifest, and of other documents. */
  bytes: { manifest: number; metadata: number };
  /** Whether no more requests may be sent. */
  isOver(): boolean;
}

/**
 * Revalidates the documents of a token, and stops at the first different response. The responses so far are reused by
 * the refresh that follows.
 * @param now milliseconds since 1970
 * @returns whether each response was the expected one; false if the token has no requests
 */
async function isStillUnchanged(
  { requests, fingerprints, accept }: UnchangedToken,
  client: RecordingClient,
  { connections, documentTimeout, bytes, isOver }: RevalidationLimits,
  now: number,
): Promise<boolean> {
  const [manifest, ...documents] = requests;
  if (manifest === undefined) return false;
  let isSame = true;

  async function revalidate([url, name, value, index, about]: UnchangedToken['requests'][number], limit: number) {
    if (isOver()) isSame = false;
    if (!isSame) return;
    const request = { method: 'GET', origin: null, total: documentTimeout } as const;
    const body: RequestWithBody['body'] = () => ({ limit, over: 'cut', write: () => {} });
    const { probe } = await client.prefetch({ ...request, url, accept, headers: [[name, value]], body });
    if (!isUnchanged(probe) || responseFingerprint(probe, value, now) !== fingerprints[index]) isSame = false;
    const beside = aboutUrl(url);
    if (!isSame || about === undefined || beside === null) return;
    const [expected, header, validator] = about;
    const headers: [string, string][] = header === undefined || validator === undefined ? [] : [[header, validator]];
    const optional = { ...request, optional: true, accept: ABOUT_ACCEPT };
    const { result } = await client.prefetch({ ...optional, url: beside, headers, body });
    if (result !== expected) isSame = false;
  }

  await revalidate(manifest, bytes.manifest);
  const concurrency = Math.min(connections, Math.ceil(documents.length / DOCUMENTS_PER_CONNECTION));
  await mapLimit(documents, (document) => revalidate(document, bytes.metadata), concurrency);
  return isSame;
}

/**
 * The confirmed documents, each with the about file beside it.
 * @returns null if a metadata file was confirmed whose about file was not requested, or the reverse
 */
function withAboutFiles(client: Pick<RecordingClient, 'optional'>, confirmed: Iterable<ConfirmedDocument>) {
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

/**
 * Determines whether the outcome of a refresh stays the same until something changes, and until when: all responses
 * were "not modified", nothing had to be written, and judging the same facts at the latest time, with the responses
 * possible then, yields the same report. So no list of time-dependent rules is needed.
 */
interface ExpiryProbe {
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
  client: Pick<RecordingClient, 'confirmed' | 'optional'>;
  /** Judges again as of a given time (ISO 8601). */
  judgingAt(moment: string): Judging;
  /** The time of the refresh, in milliseconds since 1970. */
  now: number;
  /** `judgementKey` of the settings. */
  judgedBy: string;
  /** The token of a recent attempt that found that the outcome depends on time; or null. */
  timeDependentToken: string | null;
}

function openExpiryProbe(options: ExpiryProbeOptions): ExpiryProbe {
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
      const documents = isSame ? withAboutFiles(client, confirmed.values()) : null;
      const token = documents && unchangedTokenOf(documents, judgedBy, until, now);
      return token ?? unchangedTokenOf([], judgedBy, latest, now);
    },
  };
}

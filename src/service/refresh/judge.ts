import {
  type DocumentFacts,
  type AppFacts,
  type HostFacts,
  type Failure,
  type Baseline,
  type PublishedVersion,
} from '../../core/facts/facts.ts';
import { type AppRecord } from '../domain/app-changes.ts';
import { type JudgedApp } from '../../core/engine/context.ts';
import { type Report } from '../../core/findings/report.ts';
import { type RefreshContext, type RefreshState } from './plan.ts';
import { type RecordingClient, type ConfirmedDocument } from './recording-client.ts';
import { type UnchangedToken, judgementKey, unchangedTokenOf } from './unchanged.ts';
import { startJudging, type Judging } from '../../core/engine/judge.ts';
import { redactNetworkOfDocument, redactNetworkOfApp } from '../domain/hidden-network.ts';
import { offerBefore } from '../domain/version-lifecycle.ts';
import { comparableUrl } from '../../core/url/url.ts';
import { atLaterTime } from './response-fingerprint.ts';
import { viewsUntil, reusableUntil } from '../../observe/registry/cache/keep.ts';
import { aboutUrl } from '../../core/registry/companion.ts';

/** Judges a registry in portions, now and as of the latest time at which the outcome may be the same. */
export interface Judge {
  manifest(facts: DocumentFacts): void;
  /**
   * @param record null if the app has no row
   * @param kept the checksums of the versions whose bytes the service keeps
   */
  app(facts: AppFacts, record: AppRecord | null, kept: ReadonlySet<string>): JudgedApp;
  hosts(facts: readonly HostFacts[]): void;
  /** Logs a failure of the network, which subscribers do not see. */
  logUnreached(failure: Failure): void;
  /** The number of findings so far. */
  findings(): number;
  /** Limits the validity of the outcome, in milliseconds since 1970. */
  notAfter(moment: number): void;
  /** Something was written: the next refresh will not find the same state. */
  invalidate(): void;
  /** @param incomplete why the observation is incomplete, or null */
  finish(seconds: number, incomplete: string | null): { report: Report; unchangedToken: string | null };
}

/** @param token of the last refresh, if it is still valid */
export function openJudge(
  { settings, log }: RefreshContext,
  { registry, pinnedKeys, web, now }: RefreshState,
  client: RecordingClient,
  token: UnchangedToken | null,
): Judge {
  const baseline = databaseBaseline(pinnedKeys);
  const options = {
    command: 'verify',
    target: registry.url,
    baseline,
    origins: web.origins,
    // They may be from before a subscription that sees the report.
    omitsReuseTimes: true,
  } as const;
  const judging = startJudging({ ...options, now: now.toISOString() });
  const timeDependentToken = token?.requests.length === 0 ? registry.unchangedToken : null;
  const expiry = openExpiryProbe(client, now.getTime(), judgementKey(settings), timeDependentToken, (moment) =>
    startJudging({ ...options, now: moment }),
  );
  // A resumed refresh observes the apps in a different order than the next one.
  if (registry.resumeAfter !== null) expiry.invalidate();
  const logUnreached = ({ code, url, message }: Failure): void =>
    log('debug', 'host-unreachable', { registry: registry.id, url, code, message });
  return {
    manifest(facts) {
      const redacted = redactNetworkOfDocument(facts, logUnreached);
      judging.manifest(redacted);
      expiry.manifest(redacted);
    },
    app(facts, record, kept) {
      baseline.load(facts.key, record, kept);
      const redacted = redactNetworkOfApp(facts, logUnreached);
      const judged = judging.app(redacted);
      expiry.app(redacted);
      return judged;
    },
    hosts: (facts) => judging.hosts(facts),
    logUnreached,
    findings: () => judging.foundSoFar().findings,
    notAfter: expiry.notAfter,
    invalidate: expiry.invalidate,
    finish(seconds, incomplete) {
      const report = judging.finish(seconds, incomplete);
      return { report, unchangedToken: expiry.finish(report) };
    },
  };
}

/** The baseline of the rules: all versions that were ever pinned. `load` is called before an app is judged. */
function databaseBaseline(
  keys: readonly string[],
): Baseline & { load(key: string, record: AppRecord | null, kept: ReadonlySet<string>): void } {
  let loaded: { key: string; versions: PublishedVersion[] } | null = null;
  return {
    source: 'earlier checks by this service',
    keys,
    load(key, record, kept) {
      const pinned = (record?.versions ?? []).filter(({ verifiedAt }) => verifiedAt !== null);
      const versions = pinned.map((row) => {
        const { version, artifactUrl, artifactChecksum } = row;
        return { version, artifactUrl, artifactChecksum, offer: offerBefore(row, kept) };
      });
      loaded = { key, versions };
    },
    app: (key) => (loaded?.key === key && loaded.versions.length > 0 ? loaded.versions : null),
  };
}

/**
 * Determines whether the outcome of a refresh stays the same until something changes, and until when: all responses
 * were "not modified", nothing had to be written, and judging the same facts at the latest time, with the responses
 * possible then, yields the same report. So no list of time-dependent rules is needed.
 * @param now the time of the refresh, in milliseconds since 1970
 * @param judgedBy `judgementKey` of the settings
 * @param knownAsTimeDependent the token of a recent attempt that found that the outcome depends on time; or null
 * @param judgingAt judges again as of a given time (ISO 8601)
 */
function openExpiryProbe(
  client: RecordingClient,
  now: number,
  judgedBy: string,
  knownAsTimeDependent: string | null,
  judgingAt: (moment: string) => Judging,
) {
  let timeDependentToken = knownAsTimeDependent;
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
      if (latest <= now || timeDependentToken !== null || client.confirmed() === null) return;
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
    invalidate(): void {
      judging = null;
      timeDependentToken = null;
    },
    /** @returns the token to store: the conditions under which the outcome stays valid, or that it depends on time */
    finish(report: Report): string | null {
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

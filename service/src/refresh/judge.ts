import {
  type AppFacts,
  type Baseline,
  type DocumentFacts,
  type Failure,
  type HostFacts,
  type JudgedApp,
  type PublishedVersion,
  type Report,
  startJudging,
} from 'appreg';
import { type AppRecord } from '../domain/app-changes.ts';
import { type RefreshContext, type RefreshState } from './plan.ts';
import { openExpiryProbe } from './expiry.ts';
import { type RecordingClient } from './recording-client.ts';
import { judgementKey } from './unchanged.ts';
import { redactNetworkOfDocument, redactNetworkOfApp } from '../domain/hidden-network.ts';
import { offerBefore } from '../domain/version-lifecycle.ts';

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
  /**
   * @param incomplete why the observation is incomplete, or null
   * @param isChanged whether something was written: the next refresh will not find the same state
   */
  finish(
    seconds: number,
    incomplete: string | null,
    isChanged: boolean,
  ): { report: Report; unchangedToken: string | null };
}

/** @param timeDependentToken of a recent refresh that found that the outcome depends on time; or null */
export function openJudge(
  { settings, log }: RefreshContext,
  { registry, pinnedKeys, web, now }: RefreshState,
  client: RecordingClient,
  timeDependentToken: string | null,
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
  const expiry = openExpiryProbe(client, now.getTime(), judgementKey(settings), timeDependentToken, (moment) =>
    startJudging({ ...options, now: moment }),
  );
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
    finish(seconds, incomplete, isChanged) {
      const report = judging.finish(seconds, incomplete);
      // A resumed refresh observes the apps in a different order than the next one.
      const isRepeatable = !isChanged && registry.resumeAfter === null;
      return { report, unchangedToken: isRepeatable ? expiry.finish(report) : null };
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

import { type Judging, startJudging } from '../../core/engine/judge.ts';
import type { DocumentFacts } from '../../core/facts/facts.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { ObserveProgress } from '../../observe/registry/options.ts';
import type { HttpClient } from '../../observe/http/client.ts';
import { type AppRecords, openAppRecords } from '../apps/records-store.ts';
import { unpack } from '../database/packed.ts';
import { claimRegistry } from './claim-store.ts';
import { packedManifestOf, type RegistryRecord } from './records-store.ts';
import { keysWithPinnedVersions } from '../apps/versions-store.ts';
import type { ArtifactCheck } from './artifact-checks/check-artifacts.ts';
import { type Budget, type RefreshContext, originsOf, type RequestCredentials } from './request-options.ts';
import { type CertificateChange, type EventCounts, openEventCounts } from './check-events.ts';
import { type DatabaseBaseline, databaseBaseline } from './database-baseline.ts';
import { type IconCollector, openIconCollector } from './icon-collector.ts';
import type { ReceivedArtifacts } from '../artifacts/receiving.ts';
import type { ExpiryProbe } from './unchanged/expiry-probe.ts';
import type { UnchangedCheck } from './unchanged/unchanged.ts';

/** One refresh that observes and judges. */
export interface Run {
  readonly context: RefreshContext;
  readonly registry: RegistryRecord;
  /** The stored manifest; null if there is none. */
  readonly storedManifest: DocumentFacts | null;
  /** When it started. */
  readonly now: Date;
  readonly http: HttpClient;
  readonly judging: Judging;
  readonly expiry: ExpiryProbe;
  readonly baseline: DatabaseBaseline;
  readonly records: AppRecords;
  readonly icons: IconCollector;
  readonly budget: Budget;
  readonly artifacts: ArtifactCheck;
  readonly credentials: RequestCredentials;
  /** The artifacts that were fetched, and are not kept or discarded yet. */
  readonly received: ReceivedArtifacts;
  readonly progress: RunProgress;
}

/** How far a run has got. */
interface RunProgress {
  findings: number;
  /** The manifest to store; null until it is known. */
  manifest: DocumentFacts | null;
  /** The apps of a usable manifest, by key. */
  apps: JsonObject | null;
  /** The apps in order of observation, and the number that was reached. */
  order: readonly string[];
  done: number;
  /** How far the observation has got; null until it begins. It changes meanwhile. */
  observed: Readonly<ObserveProgress> | null;
  /** Listed versions beyond the limit per app. */
  versionsBeyond: number;
  /** The events that were recorded with the apps. */
  recorded: EventCounts;
  certificates: CertificateChange | null;
  /** Whether the host refused the credentials. */
  unauthorized: boolean;
}

/** A registry with more findings is broken as a whole; further ones are of no use. */
export const FINDINGS_LIMIT = 10_000;

/** @throws Superseded if another refresh has taken over the registry */
export async function startRun(
  context: RefreshContext,
  seen: RegistryRecord,
  {
    budget,
    check,
    artifacts,
    now,
    credentials,
  }: Pick<Run, 'budget' | 'artifacts' | 'now' | 'credentials'> & { check: UnchangedCheck },
): Promise<Run> {
  const { db, settings } = context;
  const registry = await claimRegistry(db, seen);
  const [keys, packedManifest] = await Promise.all([
    keysWithPinnedVersions(db, registry.id),
    packedManifestOf(db, registry.id),
  ]);
  const baseline = databaseBaseline(keys);
  const options = {
    command: 'verify',
    target: registry.url,
    baseline,
    origins: originsOf(settings.publicUrl),
    // They may be from before a subscription that sees the report.
    omitsReuseTimes: true,
  } as const;
  const progress = newProgress();
  function onFinding(): void {
    progress.findings += 1;
  }
  const judging = startJudging({ ...options, now: now.toISOString(), onFinding });
  const expiry = check.openExpiryProbe((moment) => startJudging({ ...options, now: moment }));
  // A resumed refresh observes the apps in a different order than the next one.
  if (registry.resumeAfter !== null) expiry.invalidate();
  return {
    context,
    registry,
    storedManifest: packedManifest === null ? null : await unpack<DocumentFacts>(packedManifest),
    now,
    http: check.http,
    judging,
    expiry,
    baseline,
    records: openAppRecords(db, registry.id),
    icons: openIconCollector(),
    budget,
    artifacts,
    credentials,
    received: new Map(),
    progress,
  };
}

function newProgress(): RunProgress {
  return {
    findings: 0,
    manifest: null,
    apps: null,
    order: [],
    done: 0,
    observed: null,
    versionsBeyond: 0,
    recorded: openEventCounts(),
    certificates: null,
    unauthorized: false,
  };
}

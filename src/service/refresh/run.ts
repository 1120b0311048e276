import { isSafeKey } from '../../core/registry/app-key.ts';
import type { AppFacts, DocumentFacts, Failure, Missing } from '../../core/facts/facts.ts';
import { type JsonObject, member } from '../../core/json/json.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { type Judging, startJudging } from '../../core/engine/judge.ts';
import type { Annotate } from '../../core/engine/findings.ts';
import type { Finding } from '../../core/engine/report.ts';
import { isWholeEntry } from '../../core/engine/visibility.ts';
import type { HttpOptions } from '../../observe/http/client.ts';
import { keptApp } from '../../observe/registry/cache/keep.ts';
import type { ListedArtifact } from '../../observe/registry/options.ts';
import { observeRegistry } from '../../observe/registry/observe.ts';
import type { Service } from '../context.ts';
import { unpack } from '../storage/packed.ts';
import type { Limits } from '../config/settings.ts';
import { type AppChange, writeApp } from '../storage/app-changes.ts';
import type { RecordingClient } from './unchanged/recording-client.ts';
import type { Budget } from './budget.ts';
import { redactNetworkOfApp, redactNetworkOfDocument } from './redact-network.ts';
import { type IconShelf, openShelf } from './icon-collector.ts';
import { updateVersions, listIn } from './version-lifecycle.ts';
import { truncateFacts } from './truncate-facts.ts';
import { appsIn, writeListing } from './manifest-apps.ts';
import {
  type AppRecord,
  type DatabaseBaseline,
  databaseBaseline,
  keysInForce,
  manifestOf,
  openAppRecords,
  type AppRecords,
} from '../storage/app-records.ts';
import type { Registry } from '../storage/registries.ts';
import { openExpiryProbe, type ExpiryProbe } from './unchanged/expiry-probe.ts';
import { isPointless, judgedBy } from './unchanged/unchanged-token.ts';

/** Observes a registry with the cache of previous refreshes: each app is judged and written when it is done. */

export interface RefreshContext extends Pick<Service, 'settings' | 'db' | 'log' | 'metrics' | 'asking'> {
  /** The current time, and a random number from 0 to 1. */
  now(): Date;
  chance(): number;
}

/** A run and its state. */
export interface Run {
  context: RefreshContext;
  registry: Registry;
  /** The stored manifest, packed. */
  remembered: Buffer | null;
  now: Date;
  asked: RecordingClient;
  judging: Judging;
  settling: ExpiryProbe;
  earlier: DatabaseBaseline;
  records: AppRecords;
  shelf: IconShelf;
  budget: Budget;
  /** Errors of the app being judged. */
  errors: Finding[];
  findings: number;
  manifest: DocumentFacts | null;
  /** The apps of a usable manifest, by key. */
  apps: JsonObject | null;
  /** The apps in order of observation, and the number that was reached. */
  order: readonly string[];
  done: number;
  versionsBeyond: number;
}

/** Maximum bytes of documents: parsing a larger one would block this node. */
export const DOCUMENTS = { manifest: 12 * 2 ** 20, metadata: 4 * 2 ** 20 };
/** A registry with more findings is broken as a whole; further ones are of no use. */
export const FINDINGS = 10_000;
export const CONNECTIONS = 8;
/** Shares of the refresh time: artifacts started in its first half complete within it. */
const SHARE = { document: 0.25, artifact: 0.45 };
/** Validity of cached artifact facts (observe/registry/cache/observation-cache.ts). */
const STANDS = 30 * 86_400_000;

/** How the hosts of a registry are requested. */
export function askingOf({ settings, asking }: RefreshContext, { signal }: Budget): HttpOptions {
  return { concurrency: CONNECTIONS, ca: settings.ca, machineCa: settings.machineCa, ...asking, signal };
}

export async function begin(
  context: RefreshContext,
  registry: Registry,
  budget: Budget,
  asked: RecordingClient,
  now: Date,
): Promise<Run> {
  const { db, settings } = context;
  const [keys, remembered] = await Promise.all([keysInForce(db, registry.id), manifestOf(db, registry.id)]);
  const earlier = databaseBaseline(keys);
  const run: Omit<Run, 'judging' | 'settling'> = {
    context,
    registry,
    remembered,
    now,
    asked,
    earlier,
    records: openAppRecords(db, registry.id),
    shelf: openShelf(),
    budget,
    errors: [],
    findings: 0,
    manifest: null,
    apps: null,
    order: [],
    done: 0,
    versionsBeyond: 0,
  };
  const judgingAt = (moment: string, annotate: Annotate): Judging =>
    startJudging({
      command: 'verify',
      target: registry.url,
      now: moment,
      baseline: earlier,
      origins: originsOf(settings.publicUrl),
      annotate,
    });
  const judging = judgingAt(now.toISOString(), (finding) => {
    run.findings += 1;
    if (finding.severity === 'error') run.errors.push(finding);
    return {};
  });
  const by = judgedBy(settings);
  const vain = isPointless(registry.standing, by, now.getTime()) ? registry.standing : null;
  const settling = openExpiryProbe(asked, (moment) => judgingAt(moment, () => ({})), now.getTime(), by, vain);
  // A resumed refresh observes the apps in a different order than the next one.
  if (registry.resumeAfter !== null) settling.unsettle();
  return Object.assign(run, { judging, settling });
}

/** Milliseconds per document. */
export function totalOf({ refresh }: Limits): number {
  return refresh * SHARE.document;
}

function originsOf(publicUrl: string | null): string[] {
  return publicUrl === null ? [] : [new URL(publicUrl).origin];
}

/** @returns whether it ended before everything was observed */
export async function look(run: Run): Promise<boolean> {
  const { context, registry, remembered, budget, records, shelf } = run;
  const { settings } = context;
  const now = run.now.toISOString();
  const known = remembered === null ? null : await unpack<DocumentFacts>(remembered);
  const { interrupted } = await observeRegistry(
    registry.url,
    {
      ...askingOf(context, budget),
      http: run.asked.http,
      total: {
        small: totalOf(settings.limits),
        artifact: settings.limits.refresh * SHARE.artifact,
      },
      origins: originsOf(settings.publicUrl),
      newestFirst: true,
      limits: { ...DOCUMENTS, artifact: settings.limits.artifactBytes },
      memory: {
        now,
        daily: true,
        manifest: () => known,
        app: async (key) => (await records.of(key))?.remembered ?? null,
        keepManifest: (facts) => void (run.manifest = facts),
        keepApp: () => {},
      },
      choose: (keys) => chosen(run, keys),
      afford: (artifact) => verifiedAlready(run, artifact) ?? budget.afford(),
      onIcon: (facts, bytes) => shelf.take(facts, bytes),
      onProgress: (progress) => budget.onProgress(progress),
    },
    {
      manifest: (facts) => manifest(run, facts),
      app: (facts) => app(run, facts),
      hosts: (facts) => run.judging.hosts(facts),
    },
  );
  return interrupted;
}

/** The apps in the manifest's order, starting where the last refresh stopped. */
function chosen(run: Run, keys: readonly string[]): string[] {
  const { context, registry, records } = run;
  const bounded = keys.slice(0, context.settings.limits.apps);
  const at = registry.resumeAfter === null ? -1 : bounded.indexOf(registry.resumeAfter);
  const ordered = [...bounded.slice(at + 1), ...bounded.slice(0, at + 1)];
  records.order(ordered);
  run.order = ordered;
  return ordered;
}

/** If the facts of an artifact were too large to be stored, its row records that it was verified. */
function verifiedAlready(
  { records, now, settling }: Run,
  { app, version, url, checksum }: ListedArtifact,
): Missing | null {
  const record = records.held(app);
  const row = record?.versions.find((one) => one.version === version);
  if (row?.state !== 'verified' || row.artifactChecksum !== checksum || row.artifactUrl !== url) return null;
  const isRemembered = record?.remembered?.facts.artifacts.some((artifact) => artifact.url === url);
  const since = row.verifiedAt?.getTime() ?? 0;
  if (isRemembered || now.getTime() - since > STANDS) return null;
  settling.notAfter(since + STANDS);
  return {
    missing: `verified on ${new Date(since).toISOString().slice(0, 10)}, and not fetched again`,
    intentional: true,
  };
}

function told(run: Run, { code, url, message }: Failure): void {
  run.context.log('debug', 'host-unreached', { registry: run.registry.id, url, code, message });
}

async function manifest(run: Run, facts: DocumentFacts): Promise<void> {
  const { context, registry } = run;
  const discreet = redactNetworkOfDocument(facts, (failure) => told(run, failure));
  run.judging.manifest(discreet);
  run.settling.manifest(discreet);
  const apps = manifestAppsIn(facts.content);
  if (apps === null) return;
  run.apps = apps;
  // The rows were written from this manifest.
  if (run.remembered !== null && facts.viewsReusedFrom !== undefined) return;
  run.settling.unsettle();
  const limit = context.settings.limits.apps;
  await writeListing(context.db, registry.id, appsIn(apps, limit), limit);
}

async function app(run: Run, seen: AppFacts): Promise<void> {
  const { context, registry, records, earlier, now } = run;
  const record = await records.of(seen.key);
  earlier.load(seen.key, record);
  run.errors = [];
  const discreet = redactNetworkOfApp(seen, (failure) => told(run, failure));
  const verdict = run.judging.app(discreet);
  run.settling.app(discreet);
  run.done += 1;
  records.forget(seen.key);
  // The database cannot store the key: there is only the finding.
  if (!record) return;
  const list = listIn(seen);
  const versions =
    list &&
    updateVersions(record.versions, list, seen.artifacts, run.errors, now, context.settings.limits.versionsPerApp);
  run.versionsBeyond += versions?.beyond ?? 0;
  const kept = keptApp(seen, record.remembered, now.toISOString(), () => true);
  // Whether its manifest entry is valid, so that only its metadata file prevents its use.
  const isUsable = isSafeKey(seen.key) && isWholeEntry(member(run.apps ?? undefined, seen.key) ?? null);
  const change: AppChange = {
    visible: verdict.visible,
    because: isUnpublished(list, record) ? verdict.because.map(unpublished) : verdict.because,
    failingSince: list || !isUsable ? null : (record.failingSince ?? now),
    versions,
    icon: run.shelf.iconOf(seen.icon),
    remembered: kept && truncateFacts(kept),
  };
  if (await writeApp(context.db, registry.id, record, change)) run.settling.unsettle();
  if (run.findings > FINDINGS) run.budget.stop();
}

/** True if no version of an app was ever listed. */
function isUnpublished(list: readonly unknown[] | null, { versions }: AppRecord): boolean {
  return list !== null && list.length === 0 && versions.length === 0;
}

function unpublished(code: string): string {
  return code === 'no-valid-versions' ? 'version-unpublished' : code;
}

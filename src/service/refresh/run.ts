import { isSafeKey } from '../../core/app-key.ts';
import type { AppFacts, DocumentFacts, Failure, Unseen } from '../../core/facts.ts';
import { isUnseen } from '../../core/facts.ts';
import { isObject, type JsonObject, member, readingOf } from '../../core/json.ts';
import { type Judging, startJudging } from '../../core/judge.ts';
import type { Finding } from '../../core/report.ts';
import { isWholeEntry } from '../../core/visibility.ts';
import { keptApp } from '../../observe/memory.ts';
import { type ListedArtifact, observeRegistry } from '../../observe/web.ts';
import type { Service } from '../context.ts';
import { unpack } from '../database/packed.ts';
import { type AppChange, writeApp } from './app-rows.ts';
import type { Budget } from './budget.ts';
import { discreetApp, discreetDocument } from './discreet.ts';
import { type IconShelf, openShelf } from './icons.ts';
import { keepVersions, listIn } from './keep.ts';
import { lightened } from './lighten.ts';
import { appsIn, writeListing } from './manifest-apps.ts';
import { type DatabaseEarlier, earlierOf, keysInForce, openRecords, type Records } from './records.ts';

/** Looking at a registry with the memory of the looks before: each app is judged and written as it comes. */

export interface RefreshContext extends Pick<Service, 'settings' | 'db' | 'log' | 'metrics' | 'asking'> {
  /** The clock, and chance from 0 to 1. */
  now(): Date;
  chance(): number;
}

/** What the database knows of a registry. */
export interface Registry {
  id: number;
  url: string;
  failures: number;
  failingSince: Date | null;
  resumeAfter: string | null;
  manifest: Buffer | null;
  due: boolean;
  wanted: boolean;
}

/** A run, with what it comes across. */
export interface Run {
  context: RefreshContext;
  registry: Registry;
  now: Date;
  judging: Judging;
  earlier: DatabaseEarlier;
  records: Records;
  shelf: IconShelf;
  budget: Budget;
  /** Errors about the app that is being judged. */
  errors: Finding[];
  findings: number;
  manifest: DocumentFacts | null;
  /** The apps of a usable manifest, by key. */
  apps: JsonObject | null;
  /** The apps in the order in which they are looked at, and how many of them were come to. */
  order: readonly string[];
  done: number;
  versionsBeyond: number;
}

/** Documents read at most: whatever is larger holds up everything else on this node while it is parsed. */
export const DOCUMENTS = { manifest: 12 * 2 ** 20, metadata: 4 * 2 ** 20 };
/** After so many findings a registry is broken as a whole; nobody reads more. */
export const FINDINGS = 10_000;
const CONNECTIONS = 8;
/** Of the time that a refresh has: artifacts that are begun in the first half of it end within it. */
const SHARE = { document: 0.25, artifact: 0.45 };
/** As long as facts of artifacts are taken over (observe/memory.ts). */
const STANDS = 30 * 86_400_000;

export async function begin(context: RefreshContext, registry: Registry, budget: Budget): Promise<Run> {
  const { db, settings } = context;
  const now = context.now();
  const earlier = earlierOf(await keysInForce(db, registry.id));
  const run: Omit<Run, 'judging'> = {
    context,
    registry,
    now,
    earlier,
    records: openRecords(db, registry.id),
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
  const judging = startJudging({
    command: 'verify',
    target: registry.url,
    now: now.toISOString(),
    before: earlier,
    origins: originsOf(settings.publicUrl),
    annotate(finding) {
      run.findings += 1;
      if (finding.severity === 'error') run.errors.push(finding);
      return {};
    },
  });
  return Object.assign(run, { judging });
}

function originsOf(publicUrl: string | null): string[] {
  return publicUrl === null ? [] : [new URL(publicUrl).origin];
}

/** @returns whether it ended before everything was seen */
export async function look(run: Run): Promise<boolean> {
  const { context, registry, budget, records, shelf } = run;
  const { settings } = context;
  const now = run.now.toISOString();
  const known = registry.manifest === null ? null : await unpack<DocumentFacts>(registry.manifest);
  const { interrupted } = await observeRegistry(
    registry.url,
    {
      concurrency: CONNECTIONS,
      total: {
        small: settings.limits.refresh * SHARE.document,
        artifact: settings.limits.refresh * SHARE.artifact,
      },
      ca: settings.ca,
      machineCa: settings.machineCa,
      ...context.asking,
      origins: originsOf(settings.publicUrl),
      signal: budget.signal,
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
    { manifest: (facts) => manifest(run, facts), app: (facts) => app(run, facts) },
  );
  return interrupted;
}

/** The apps in the order of the manifest, beginning where the last refresh broke off. */
function chosen(run: Run, keys: readonly string[]): string[] {
  const { context, registry, records } = run;
  const bounded = keys.slice(0, context.settings.limits.apps);
  const at = registry.resumeAfter === null ? -1 : bounded.indexOf(registry.resumeAfter);
  const ordered = [...bounded.slice(at + 1), ...bounded.slice(0, at + 1)];
  records.order(ordered);
  run.order = ordered;
  return ordered;
}

/** Where the facts of an artifact were too heavy to be remembered, its row says that it was verified. */
function verifiedAlready({ records, now }: Run, { app, version, url, checksum }: ListedArtifact): Unseen | null {
  const record = records.held(app);
  const row = record?.versions.find((one) => one.version === version);
  if (row?.state !== 'verified' || row.artifactChecksum !== checksum || row.artifactUrl !== url) return null;
  const isRemembered = record?.remembered?.facts.artifacts.some((artifact) => artifact.url === url);
  const since = row.verifiedAt?.getTime() ?? 0;
  if (isRemembered || now.getTime() - since > STANDS) return null;
  return { unseen: `verified on ${new Date(since).toISOString().slice(0, 10)}, and not fetched again`, aside: true };
}

function told(run: Run, { code, url, message }: Failure): void {
  run.context.log('debug', 'host-unreached', { registry: run.registry.id, url, code, message });
}

async function manifest(run: Run, facts: DocumentFacts): Promise<void> {
  const { context, registry } = run;
  run.judging.manifest(discreetDocument(facts, (failure) => told(run, failure)));
  const apps = isUnseen(facts.content) ? undefined : member(readingOf(facts.content).value, 'apps');
  if (!isObject(apps)) return;
  run.apps = apps;
  // It is the one that the rows were written by.
  if (registry.manifest !== null && facts.viewsSince !== undefined) return;
  const limit = context.settings.limits.apps;
  await writeListing(context.db, registry.id, appsIn(apps, limit), limit);
}

async function app(run: Run, seen: AppFacts): Promise<void> {
  const { context, registry, records, earlier, now } = run;
  const record = await records.of(seen.key);
  earlier.load(seen.key, record);
  run.errors = [];
  const verdict = run.judging.app(discreetApp(seen, (failure) => told(run, failure)));
  run.done += 1;
  records.forget(seen.key);
  // A key that no database takes: there is nothing but the finding.
  if (!record) return;
  const list = listIn(seen);
  const versions =
    list &&
    keepVersions(record.versions, list, seen.artifacts, run.errors, now, context.settings.limits.versionsPerApp);
  run.versionsBeyond += versions?.beyond ?? 0;
  const kept = keptApp(seen, record.remembered, now.toISOString(), () => true);
  // Whether what the manifest says of it is whole, so that its metadata file alone is in the way.
  const isUsable = isSafeKey(seen.key) && isWholeEntry(member(run.apps ?? undefined, seen.key) ?? null);
  const change: AppChange = {
    visible: verdict.visible,
    because: verdict.because,
    failingSince: list || !isUsable ? null : (record.failingSince ?? now),
    versions,
    icon: run.shelf.iconOf(seen.icon),
    remembered: kept && lightened(kept),
  };
  await writeApp(context.db, registry.id, record, change);
  if (run.findings > FINDINGS) run.budget.stop();
}

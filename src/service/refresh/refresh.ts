import { sql } from 'kysely';
import type { AppFacts, DocumentFacts, Failure, Unseen } from '../../core/facts.ts';
import { isUnseen } from '../../core/facts.ts';
import { isObject, type JsonObject, member, readingOf } from '../../core/json.ts';
import { type Judging, startJudging } from '../../core/judge.ts';
import type { Finding, Report } from '../../core/report.ts';
import { keptApp, keptDocument } from '../../observe/memory.ts';
import { type ListedArtifact, observeRegistry } from '../../observe/web.ts';
import type { Service } from '../context.ts';
import { pack, unpack } from '../database/packed.ts';
import { type AppChange, writeApp } from './app-rows.ts';
import { type Budget, openBudget } from './budget.ts';
import { discreetApp, discreetDocument } from './discreet.ts';
import { type IconShelf, openShelf } from './icons.ts';
import { keepVersions, listIn } from './keep.ts';
import { appsIn, writeListing } from './manifest-apps.ts';
import { lightened } from './lighten.ts';
import { type DatabaseEarlier, earlierOf, keysInForce, openRecords, type Records } from './records.ts';
import { nextCheck } from './schedule.ts';
import { concise } from './concise.ts';

/** One look at one registry, for all of its subscribers: the same engine as `appreg verify`, with a memory. */

export interface RefreshContext extends Pick<Service, 'settings' | 'db' | 'log' | 'metrics' | 'asking'> {
  /** The clock, and chance from 0 to 1. */
  now(): Date;
  chance(): number;
}

export type Outcome =
  /** It was looked at: no errors, errors, no usable manifest, or not everything was come to. */
  | 'good'
  | 'problems'
  | 'failing'
  | 'unfinished'
  /** It was not: somebody had just looked, or nobody wants it; or the node is told to stop. */
  | 'not-due'
  | 'unwanted'
  | 'handed-back';

interface Registry {
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
interface Run {
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

/** Documents read at most; a manifest of this size has a hundred thousand apps. */
const DOCUMENTS = { manifest: 24 * 2 ** 20, metadata: 4 * 2 ** 20 };
/** After so many findings a registry is broken as a whole; nobody reads more. */
const FINDINGS = 10_000;
const CONNECTIONS = 8;
/** Of the time that a refresh has: what is begun in the first half of it, and looked at twice, ends within it. */
const SHARE_OF_A_RESOURCE = 0.25;
/** As long as facts of artifacts are taken over (observe/memory.ts). */
const STANDS = 30 * 86_400_000;

/** Refreshes a registry if it is due. Writes each app as it comes, and the registry's own row at the end. */
export async function refreshRegistry(context: RefreshContext, id: number, stopping: AbortSignal): Promise<Outcome> {
  const registry = await registryRow(context, id);
  if (!registry?.due) return 'not-due';
  if (!registry.wanted) return 'unwanted';
  const started = performance.now();
  const budget = openBudget(context.settings.limits, stopping);
  try {
    const run = await begin(context, registry, budget);
    const interrupted = await look(run);
    if (stopping.aborted) return 'handed-back';
    const took = performance.now() - started;
    const report = run.judging.finish(Math.round(took) / 1000, incompleteness(run, interrupted));
    return await end(run, report, interrupted, took);
  } finally {
    budget.close();
  }
}

async function registryRow({ db, now }: RefreshContext, id: number): Promise<Registry | null> {
  const row = await db
    .selectFrom('registries')
    .where('id', '=', id)
    .select(['id', 'url', 'failures', 'failingSince', 'resumeAfter', 'manifest'])
    .select((eb) => [
      // By the clock of the database, which all nodes share.
      eb('nextCheckAt', '<=', sql<Date>`now() + make_interval(secs => ${(now().getTime() - Date.now()) / 1000})`).as(
        'due',
      ),
      eb.exists(eb.selectFrom('subscriptions').where('registryId', '=', id).select('id')).as('wanted'),
    ])
    .executeTakeFirst();
  return row ? { ...row, due: Boolean(row.due), wanted: Boolean(row.wanted) } : null;
}

async function begin(context: RefreshContext, registry: Registry, budget: Budget): Promise<Run> {
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
async function look(run: Run): Promise<boolean> {
  const { context, registry, budget, records, shelf } = run;
  const { settings } = context;
  const now = run.now.toISOString();
  const known = registry.manifest === null ? null : await unpack<DocumentFacts>(registry.manifest);
  const { interrupted } = await observeRegistry(
    registry.url,
    {
      concurrency: CONNECTIONS,
      retries: 1,
      maxWait: 10_000,
      total: settings.limits.refresh * SHARE_OF_A_RESOURCE,
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
  await writeListing(context.db, registry.id, appsIn(apps, context.settings.limits.apps));
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
  const change: AppChange = {
    visible: verdict.visible,
    because: verdict.because,
    failingSince: list || !isEntry(run.apps!, seen.key) ? null : (record.failingSince ?? now),
    versions,
    icon: run.shelf.iconOf(seen.icon),
    remembered: kept && lightened(kept),
  };
  await writeApp(context.db, registry.id, record, change);
  if (run.findings > FINDINGS) run.budget.stop();
}

/** Whether what the manifest says of an app is whole, so that its metadata file alone is in the way. */
function isEntry(apps: JsonObject, key: string): boolean {
  const entry = apps[key];
  const style = member(entry, 'blockStyle');
  const fields = ['name', 'description', 'appMetadataUrl'].map((name) => member(entry, name));
  return (
    /^[\w-]+$/.test(key) &&
    [...fields, member(style, 'iconUrl'), member(style, 'color')].every((field) => typeof field === 'string')
  );
}

/** Why not everything was seen, in words for the report, or null. */
function incompleteness(run: Run, interrupted: boolean): string | null {
  const { limits } = run.context.settings;
  const all = run.apps === null ? 0 : Object.keys(run.apps).length;
  const parts: string[] = [];
  if (interrupted && run.findings > FINDINGS) parts.push(`there are more than ${FINDINGS} findings`);
  else if (interrupted)
    parts.push(
      `one registry has ${limits.refresh / 1000} s and ${Math.round(limits.artifactBytes / 2 ** 20)} MiB at a time, which ended after ${run.done} of ${all} apps; the others have their turn soon`,
    );
  if (all > limits.apps) parts.push(`of the ${all} apps that are listed, the first ${limits.apps} are looked at`);
  if (run.versionsBeyond > 0)
    parts.push(`${run.versionsBeyond} versions are beyond the ${limits.versionsPerApp} that are kept of one app`);
  return parts.length === 0 ? null : parts.join('; ');
}

/** Writes what became of the registry, and when it is looked at again. */
async function end(run: Run, report: Report, interrupted: boolean, took: number): Promise<Outcome> {
  const { context, registry, budget } = run;
  const { db, settings, log, metrics } = context;
  const usable = run.apps !== null;
  const unfinished = interrupted || budget.left();
  const failures = usable ? 0 : registry.failures + 1;
  const now = context.now();
  const next = nextCheck({
    now: now.getTime(),
    interval: settings.interval,
    failures,
    unfinished,
    took,
    chance: context.chance(),
  });
  const kept = usable && run.manifest ? keptDocument(run.manifest, run.now.toISOString(), () => true) : null;
  const taken = run.manifest?.viewsSince !== undefined && registry.manifest !== null;
  await db
    .updateTable('registries')
    .set({
      checkedAt: now,
      ...(usable ? { goodAt: now } : {}),
      failingSince: usable ? null : (registry.failingSince ?? now),
      failures,
      nextCheckAt: new Date(next),
      errors: report.summary.errors,
      warnings: report.summary.warnings,
      symptoms: JSON.stringify(report.symptoms),
      report: await pack(concise(report)),
      ...(kept && !taken ? { manifest: await pack(kept) } : {}),
      ...(usable ? { resumeAfter: interrupted ? (run.order[run.done] ?? null) : null } : {}),
    })
    .where('id', '=', registry.id)
    .execute();
  const outcome = !usable ? 'failing' : unfinished ? 'unfinished' : report.summary.errors > 0 ? 'problems' : 'good';
  metrics.refreshes.inc({ outcome });
  metrics.refreshSeconds.observe(took / 1000);
  metrics.artifacts.inc({ outcome: 'fetched' }, budget.artifacts());
  metrics.artifactBytes.inc(budget.bytes());
  log(outcome === 'good' ? 'debug' : 'info', 'registry-refreshed', {
    registry: registry.id,
    url: registry.url,
    outcome,
    seconds: Math.round(took) / 1000,
    apps: run.done,
    artifacts: budget.artifacts(),
    bytes: budget.bytes(),
    errors: report.summary.errors,
    warnings: report.summary.warnings,
    nextCheckAt: new Date(next).toISOString(),
  });
  return outcome;
}

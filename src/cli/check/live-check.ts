import { resolve } from 'node:path';
import type { AppFacts, DocumentFacts, Baseline, Shard, Snapshot } from '../../core/facts/facts.ts';
import { type JudgeOptions, type Judging, startJudging } from '../../core/engine/judge.ts';
import type { CheckCommand, Report, Severity } from '../../core/engine/report.ts';
import type { SignalExit } from '../../core/errors.ts';
import { baselineFromLock, baselineFromSnapshot } from '../../observe/baseline/baseline.ts';
import { baselineFromUrl } from '../../observe/baseline/from-url.ts';
import { redactor } from '../../observe/http/redact.ts';
import { observeRegistry } from '../../observe/registry/observe.ts';
import type { ObserveResult, FactsSink, WebOptions } from '../../observe/registry/options.ts';
import type { CacheFolder } from './cache-folder.ts';
import { severitiesOf } from './checks.ts';
import type { Context } from '../context.ts';
import { tuneHeap } from '../../platform/heap.ts';
import { ledgerFor } from '../lock.ts';
import { progressLine } from '../io/progress.ts';
import { readSnapshot, type SnapshotWriter } from './snapshot-file.ts';
import { onSignals } from '../process/stop-signal.ts';
import { registryUrl, type VerifyOptions, webOptionsOf } from './verify-options.ts';

/** Observes a live registry and judges it while doing so; shared by the commands that do this. */

/** What to observe and how; fully validated before the first request. */
export interface LiveCheck {
  command: CheckCommand;
  target: string;
  web: WebOptions;
  severities: Record<string, Severity | 'off'>;
  /** The entry file of an app's code, if the configuration names it. */
  appEntry: string | null;
  before: Baseline | null;
  /** ISO 8601; the time that the facts are judged at. */
  now: string;
  /** Facts of earlier runs, or null. */
  cache: CacheFolder | null;
  /** Removes the given secrets from a text. */
  conceal(text: string): string;
  /** As of performance.now(). */
  started: number;
  /** The same check at a later time. @param folder the cache folder, or null */
  renewed(folder: string | null): Promise<LiveCheck>;
}

/** Parses the command line. Throws AppregError for invalid options, and for a missing baseline. */
export async function liveCheck(
  context: Context,
  command: CheckCommand,
  url: string,
  options: VerifyOptions,
): Promise<LiveCheck> {
  const started = performance.now();
  const { config } = await context.config();
  const registry = registryUrl(url);
  const web = webOptionsOf(context, config, registry, options);
  const severities = severitiesOf(context, config);
  const before =
    options.against === undefined
      ? await ledgerFor(context, registry.href)
      : await earlierState(context, options.against, web);
  const proxy = web.proxyFor?.(registry);
  if (proxy) context.terminal.log(`Using the proxy ${proxy.facts.url} (${proxy.facts.variable})`);
  const conceal = redactor((web.secrets?.headers ?? []).map(([, value]) => value));
  const appEntry = config.artifact?.entry ?? null;
  const check = { command, target: registry.href, web, severities, appEntry, before, conceal, started };
  const renewed = async (folder: string | null): Promise<LiveCheck> => {
    const now = new Date().toISOString();
    const cache = folder === null ? null : await cacheOf(folder, registry, web, now, conceal);
    return { ...check, web: { ...web, memory: cache }, now, cache, renewed };
  };
  return renewed(options.cache === undefined ? null : resolve(context.cwd, options.cache));
}

async function cacheOf(
  folder: string,
  { href }: URL,
  { origins = [], ca = null, secrets }: WebOptions,
  now: string,
  conceal: (text: string) => string,
): Promise<CacheFolder> {
  const { openCache } = await import('./cache-folder.ts');
  return openCache(folder, { url: href, origins, ca, headers: secrets?.headers ?? [] }, now, conceal);
}

/** The header of saved facts. */
export function headOf({
  target,
  now,
  web,
  appEntry,
}: LiveCheck): Pick<Snapshot, 'target' | 'seenAt' | 'origins' | 'appEntry'> {
  return { target, seenAt: now, origins: [...(web.origins ?? [])], ...(appEntry !== null && { appEntry }) };
}

/** Receives the facts in addition to the judge. */
type Keeper = Pick<SnapshotWriter, 'manifest' | 'app' | 'hosts' | 'abandon'>;

export interface CheckResult {
  seen: ObserveResult;
  /** The exit code of an interrupted run, or null. */
  exit: SignalExit | null;
  report: Report;
  /** Why the observation is incomplete, or null. */
  incomplete: string | null;
  /** The observed shard of the apps, or null. */
  shard: Shard | null;
}

/** A listener that receives all facts. */
export interface FactsListener {
  manifest(facts: DocumentFacts): void;
  app(facts: AppFacts): void;
  unseen(): string | null;
}

/**
 * Observes and judges app by app, with progress.
 * @param keeper also receives the facts; the caller finishes or abandons it
 * @param onlooker also receives the facts, and may report why they are incomplete
 * @param start creates the judge
 */
export async function observeAndJudge(
  context: Context,
  check: LiveCheck,
  keeper: Keeper | null = null,
  onlooker: FactsListener | null = null,
  start: (options: JudgeOptions) => Judging = startJudging,
): Promise<CheckResult> {
  const { command, target, now, severities, appEntry, before, web, cache, started } = check;
  const shard = web.shard ?? null;
  const judging = start({
    command,
    target,
    now,
    severities,
    appEntry,
    baseline: before,
    origins: web.origins ?? [],
    shard,
  });
  let manifests = 0;
  let apps = 0;
  const { seen, exit } = await watch(context, check, keeper, {
    manifest(facts) {
      judging.manifest(facts);
      keeper?.manifest(facts);
      onlooker?.manifest(facts);
      manifests += 1;
    },
    app(facts) {
      judging.app(facts);
      keeper?.app(facts);
      onlooker?.app(facts);
      apps += 1;
    },
    hosts(facts) {
      judging.hosts(facts);
      keeper?.hosts(facts);
    },
  });
  const cutShort = seen.interrupted ? `interrupted after ${apps} ${apps === 1 ? 'app' : 'apps'}` : null;
  const incomplete = cutShort ?? onlooker?.unseen() ?? null;
  const report = judging.finish(Math.round(performance.now() - started) / 1000, incomplete, seen.elsewhere);
  if (cache) {
    if (apps > 0 && cutShort === null && !web.apps && !shard) cache.prune();
    const remark = cache.remark();
    if (remark !== null) context.terminal.log(remark);
  }
  // Facts without a manifest cannot be judged again.
  if (manifests === 0) keeper?.abandon();
  return { seen, exit, report, incomplete, shard: shard && { ...shard, elsewhere: seen.elsewhere } };
}

/**
 * The first signal stops the observation and reports what was observed; the second ends the process and leaves no files
 * behind.
 * @returns what was observed, and the exit code of an interrupted run, or null
 */
async function watch(
  context: Context,
  { target, web }: LiveCheck,
  keeper: Keeper | null,
  watcher: FactsSink,
): Promise<{ seen: ObserveResult; exit: SignalExit | null }> {
  const interrupt = new AbortController();
  const signals = onSignals(
    () => interrupt.abort(),
    (signal) => {
      keeper?.abandon();
      signals.off();
      process.kill(process.pid, signal);
    },
  );
  tuneHeap();
  const line = context.terminal.progress(`Asking ${new URL(target).host}`);
  try {
    const onProgress = progressLine((text) => line.update(text));
    const seen = await observeRegistry(target, { ...web, signal: interrupt.signal, onProgress }, watcher);
    return { seen, exit: seen.interrupted ? signals.exit() : null };
  } finally {
    line.stop();
    signals.off();
  }
}

/** The baseline: saved facts, or another live registry. */
async function earlierState(context: Context, where: string, web: WebOptions): Promise<Baseline> {
  if (!/^https?:\/\//i.test(where)) {
    const path = resolve(context.cwd, where);
    return baselineFromLock(path, where) ?? baselineFromSnapshot(await readSnapshot(path), where);
  }
  return baselineFromUrl(registryUrl(where).href, { ...web, secrets: null }, new Date().toISOString());
}

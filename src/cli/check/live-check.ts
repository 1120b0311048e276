import { type AttestedVersions, countAttested } from '../../core/attestation/attested-versions.ts';
import type { AttestationRequirement } from '../../core/attestation/observed.ts';
import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { counted } from '../../core/text/text.ts';
import type { AppFacts, DocumentFacts, Baseline, Missing, ServiceFacts, Shard } from '../../core/facts/facts.ts';
import type { JudgeOptions, Judging } from '../../core/engine/judge.ts';
import type { CheckCommand, Report } from '../../core/engine/report.ts';
import type { SignalExit } from '../../core/errors.ts';
import { isHttpUrl } from '../../core/http/url.ts';
import { machineLimitAdvice, machineLimitText } from '../../core/http/machine-limit.ts';
import { baselineFromLock, baselineFromSnapshot } from '../../observe/baseline/baseline.ts';
import { baselineFromUrl } from '../../observe/baseline/from-url.ts';
import { readSnapshot } from '../../observe/baseline/saved-facts.ts';
import { redactor } from '../../observe/http/redact.ts';
import { observeRegistry } from '../../observe/registry/observe.ts';
import type { FactsSink, ObserveProgress, ObserveResult, WebOptions } from '../../observe/registry/options.ts';
import { registryUrl } from '../../observe/registry/registry-url.ts';
import { advisoriesAt } from './advisories.ts';
import { attestationCheck } from './attestation-check.ts';
import type { CacheFolder } from './cache-folder.ts';
import { type CheckSettings, checkSettings } from './check-settings.ts';
import type { Context } from '../context.ts';
import { tuneHeap } from '../../platform/heap.ts';
import { lockBaseline } from '../../workspace/lock.ts';
import { describeProgress } from '../io/progress.ts';
import type { SnapshotHeader, SnapshotWriter } from './snapshot-file.ts';
import { onSignals, redeliver } from '../process/stop-signal.ts';
import { type VerifyOptions, webOptionsOf } from './verify-options.ts';

/** Observes a live registry and judges it while doing so; shared by the commands that do this. */

/** What to observe and how; fully validated before the first request. */
export interface LiveCheck extends CheckSettings {
  command: CheckCommand;
  target: string;
  web: WebOptions;
  /** The entry file of an app's code, if the configuration names it. */
  appEntry: string | null;
  baseline: Baseline | null;
  /** How attestations are judged; null if they are not. */
  attestations: AttestationRequirement | null;
  /** ISO 8601; the time that the facts are judged at. */
  now: string;
  /** Facts of earlier runs, or null. */
  cache: CacheFolder | null;
  /** Removes the given secrets from a text. */
  conceal(text: string): string;
  /** As of performance.now(). */
  started: number;
  /** The same check at a later time. @param folder the cache folder, or null */
  renew(folder: string | null): Promise<LiveCheck>;
}

/** Parses the command line. Throws AppregError for invalid options, and for a missing baseline. */
export async function liveCheck(
  context: Context,
  command: CheckCommand,
  url: string,
  options: VerifyOptions,
): Promise<LiveCheck> {
  const started = performance.now();
  const loaded = await context.config();
  const { config } = loaded;
  const registry = registryUrl(url);
  const attested = await attestationCheck(context.cwd, loaded, options);
  const web = {
    ...webOptionsOf(context, config, registry, options),
    attestations: attested?.verify ?? null,
    about: command === 'diagnose' || options.about === true,
    advisories: await advisoriesAt(context, options),
  };
  const settings = await checkSettings(context, loaded, options.baseline);
  const baseline =
    options.against === undefined
      ? lockBaseline(loaded, registry.href)
      : await baselineNamed(context, options.against, web);
  const proxy = web.proxyFor?.(registry);
  if (proxy) context.terminal.log(message`Using the proxy ${proxy.facts.url} (${proxy.facts.variable})`);
  const conceal = redactor((web.secrets?.headers ?? []).map(([, value]) => value));
  const appEntry = config.artifact?.entry ?? null;
  const attestations = attested?.requirement ?? null;
  const check = {
    command,
    target: registry.href,
    web,
    ...settings,
    appEntry,
    attestations,
    baseline,
    conceal,
    started,
  };
  const renew = async (folder: string | null): Promise<LiveCheck> => {
    const now = new Date().toISOString();
    const cache = folder === null ? null : await openRunCache(folder, registry, web, now, conceal);
    return { ...check, web: { ...web, memory: cache }, now, cache, renew };
  };
  return renew(options.cache === undefined ? null : resolve(context.cwd, options.cache));
}

/** The cache of one run, as of `now`. */
async function openRunCache(
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
export function snapshotHeader({ target, now, web, appEntry, attestations }: LiveCheck): SnapshotHeader {
  return {
    target,
    seenAt: now,
    origins: [...(web.origins ?? [])],
    ...(appEntry !== null && { appEntry }),
    ...(attestations !== null && { attestations }),
  };
}

/** Saves the facts in addition to judging them. */
type FactsWriter = Pick<SnapshotWriter, 'manifest' | 'app' | 'hosts' | 'abandon'> & {
  service?(facts: ServiceFacts | Missing): void;
};

export interface CheckResult<Judge extends Judging = Judging> {
  judging: Judge;
  observed: ObserveResult;
  /** The exit code of an interrupted run, or null. */
  exit: SignalExit | null;
  report: Report;
  /** Why the observation is incomplete, or null. */
  incomplete: string | null;
  /** The observed shard of the apps, or null. */
  shard: Shard | null;
  /** What attestations prove; empty if none were checked. */
  attested: readonly AttestedVersions[];
}

/** Receives all facts, and may say why they are incomplete. */
export interface FactsListener {
  manifest(facts: DocumentFacts): void;
  app(facts: AppFacts): void;
  incompleteReason(): string | null;
}

interface ObserveAndJudgeOptions<Judge extends Judging> {
  /** Creates the judge. */
  start(options: JudgeOptions): Judge;
  /** The caller finishes or abandons it. */
  writer?: FactsWriter | null;
  listener?: FactsListener | null;
  /** Asks the service that is compared; null for none. It is asked while the registry is observed. */
  service?: (() => Promise<ServiceFacts | Missing>) | null;
}

/** Observes and judges app by app, with progress. */
export async function observeAndJudge<Judge extends Judging>(
  context: Context,
  check: LiveCheck,
  { start, writer = null, listener = null, service = null }: ObserveAndJudgeOptions<Judge>,
): Promise<CheckResult<Judge>> {
  const { command, target, now, severities, exceptions, known, appEntry, attestations, baseline, web, cache, started } =
    check;
  const shard = web.shard ?? null;
  const attested = countAttested();
  const judging = start({
    command,
    target,
    now,
    severities,
    exceptions,
    known,
    appEntry,
    attestations,
    baseline,
    origins: web.origins ?? [],
    shard,
    joinsService: service !== null,
    onAttested: (facts) => attested.add(facts),
  });
  // Observed facts are judged even if the service does not answer.
  const joined = service?.();
  let manifests = 0;
  let apps = 0;
  const { observed, exit } = await observeUntilSignal(context, check, writer, {
    manifest(facts) {
      judging.manifest(facts);
      writer?.manifest(facts);
      listener?.manifest(facts);
      manifests += 1;
    },
    app(facts) {
      judging.app(facts);
      writer?.app(facts);
      listener?.app(facts);
      apps += 1;
    },
    hosts(facts) {
      judging.hosts(facts);
      writer?.hosts(facts);
    },
  });
  const interruption = observed.interrupted ? `interrupted after ${counted(apps, 'app')}` : null;
  const { machineLimit } = observed;
  const limited =
    machineLimit === null
      ? null
      : `${machineLimitText(machineLimit)}: some requests were not sent. ${machineLimitAdvice(machineLimit)}`;
  const incomplete = interruption ?? limited ?? listener?.incompleteReason() ?? null;
  if (joined) await joinService(joined, judging, writer);
  const report = judging.finish(Math.round(performance.now() - started) / 1000, incomplete, observed.elsewhere);
  if (cache) {
    if (apps > 0 && interruption === null && !web.apps && !shard) cache.prune();
    const remark = cache.remark();
    if (remark !== null) context.terminal.log(remark);
  }
  // Facts without a manifest cannot be judged again.
  if (manifests === 0) writer?.abandon();
  return {
    judging,
    observed,
    exit,
    report,
    incomplete,
    shard: shard && { ...shard, elsewhere: observed.elsewhere },
    attested: attested.all(),
  };
}

/** Judges and saves what the service knows. */
async function joinService(
  joined: Promise<ServiceFacts | Missing>,
  judging: Judging,
  writer: FactsWriter | null,
): Promise<void> {
  const facts = await joined;
  judging.service(facts);
  writer?.service?.(facts);
}

/**
 * The first signal stops the observation and reports what was observed; the second ends the process and leaves no files
 * behind.
 * @returns what was observed, and the exit code of an interrupted run, or null
 */
async function observeUntilSignal(
  context: Context,
  { target, web }: LiveCheck,
  writer: FactsWriter | null,
  sink: FactsSink,
): Promise<{ observed: ObserveResult; exit: SignalExit | null }> {
  const interrupt = new AbortController();
  const signals = onSignals(
    () => interrupt.abort(),
    (signal) => {
      writer?.abandon();
      signals.off();
      redeliver(signal);
    },
  );
  tuneHeap();
  const line = context.terminal.progress(message`Requesting ${new URL(target).host}`);
  try {
    const since = performance.now();
    const onProgress = (progress: Readonly<ObserveProgress>): void =>
      line.update(() => message`${describeProgress(progress, (performance.now() - since) / 1000)}`);
    const observed = await observeRegistry(target, { ...web, signal: interrupt.signal, onProgress }, sink);
    return { observed, exit: observed.interrupted ? signals.exit() : null };
  } finally {
    line.stop();
    signals.off();
  }
}

/** The baseline that --against names: a lock file, saved facts, or another live registry. */
async function baselineNamed(context: Context, where: string, web: WebOptions): Promise<Baseline> {
  if (!isHttpUrl(where)) {
    const path = resolve(context.cwd, where);
    return baselineFromLock(path, where) ?? baselineFromSnapshot(await readSnapshot(path), where);
  }
  return baselineFromUrl(registryUrl(where).href, { ...web, secrets: null }, new Date().toISOString());
}

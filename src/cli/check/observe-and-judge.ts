import { type AttestedVersions, countAttested } from '../../core/attestation/attested-versions.ts';
import type { JudgeOptions, Judging } from '../../core/engine/judge.ts';
import type { Report } from '../../core/findings/report.ts';
import type { SignalExit } from '../../core/errors/error.ts';
import type { AppFacts, DocumentFacts, Missing, ServiceFacts, Shard } from '../../core/facts/facts.ts';
import { machineLimitAdvice, machineLimitText } from '../../core/errors/machine-limit.ts';
import { message } from '../../core/text/message.ts';
import { counted, shorten } from '../../core/text/text.ts';
import { observeRegistry } from '../../observe/registry/observe.ts';
import type { FactsSink, ObserveProgress, ObserveResult } from '../../observe/registry/options.ts';
import type { Context } from '../config/context.ts';
import { onSignals, redeliver } from '../io/stop-signal.ts';
import type { LiveCheck } from './live-check.ts';
import type { SnapshotWriter } from './facts-file.ts';
import { isSafeKey } from '../../core/registry/app-key.ts';

/** Observes a live registry and judges it while doing so. */

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

/**
 * The progress of an observation in one line. It contains no URL, since a URL may hold secrets.
 * @param seconds since the observation began
 */
export function describeProgress(
  { done, known, bytes, announced, host, app }: Readonly<ObserveProgress>,
  seconds: number,
): string {
  const rate = bytes / Math.max(0.1, seconds);
  const size = announced > bytes ? `${megabytes(bytes)} of ${megabytes(announced)} MB` : `${megabytes(bytes)} MB`;
  return [
    `${done} of ${known} files`,
    `${size} at ${megabytes(rate)} MB/s`,
    ...(host === null ? [] : [host]),
    // Other keys may contain workflow commands of a CI system.
    ...(app === null || !isSafeKey(app) ? [] : [shorten(app, 60)]),
  ].join(', ');
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}

import type { AttestedVersions } from '../../core/attestation/attested-versions.ts';
import type { JudgeOptions, Judging } from '../../core/engine/judge.ts';
import type { Report } from '../../core/findings/report.ts';
import type { SignalExit } from '../../core/errors/error.ts';
import type { Missing, ServiceFacts, Shard } from '../../core/facts/facts.ts';
import type { FactsPart } from '../../core/facts/part.ts';
import { machineLimitAdvice, machineLimitText } from '../../core/errors/machine-limit.ts';
import { message } from '../../core/text/message.ts';
import { counted, shorten } from '../../core/text/text.ts';
import { observe } from '../../observe/registry/observe.ts';
import type { Figures, ManifestPart, Part } from '../../observe/registry/part.ts';
import type { Context } from '../config/context.ts';
import { onSignals, redeliver } from '../io/stop-signal.ts';
import type { CheckRun } from './live-check.ts';
import { isSafeKey } from '../../core/registry/app-key.ts';

/** Observes a live registry and judges it while doing so. */

export interface CheckResult<Judge extends Judging = Judging> {
  judging: Judge;
  /** The exit code of an interrupted run, or null. */
  exit: SignalExit | null;
  report: Report;
  /** The reason why the observation is incomplete, or null. */
  incomplete: string | null;
  /** The observed shard of the apps, or null. */
  shard: Shard | null;
  /** Facts that attestations prove; empty if none were checked. */
  attested: readonly AttestedVersions[];
  /** Requested apps that are not in the manifest, and the most similar keys as a sentence. */
  unknownApps: readonly string[];
  nearApps: string;
}

interface ObserveAndJudgeOptions<Judge extends Judging> {
  start(options: JudgeOptions): Judge;
  /**
   * Saves the facts in addition to judging them. It is abandoned without a manifest, and when a second signal ends the
   * process; otherwise the caller finishes or abandons it.
   */
  writer?: { add(part: FactsPart): void; abandon(): void } | null;
  /** Receives all parts, and may say why they are incomplete. */
  goal?: { add(part: Part): void; incompleteReason(): string | null } | null;
  /** Asks the service that is compared; null for none. It is asked while the registry is observed. */
  service?: (() => Promise<ServiceFacts | Missing>) | null;
}

/** Of a run that was interrupted before the manifest was received. */
const NOTHING_SELECTED: Pick<ManifestPart, 'unknownApps' | 'nearApps' | 'elsewhere'> = {
  unknownApps: [],
  nearApps: '',
  elsewhere: 0,
};

/**
 * Observes and judges app by app, with progress. The first signal stops the observation and reports what was observed;
 * the second ends the process and leaves no files behind.
 */
export async function observeAndJudge<Judge extends Judging>(
  context: Context,
  run: CheckRun,
  { start, writer = null, goal = null, service = null }: ObserveAndJudgeOptions<Judge>,
): Promise<CheckResult<Judge>> {
  const { target, web, cache, started } = run;
  const shard = web.shard ?? null;
  const judging = start({ ...judgeOptionsOf(run), joinsService: service !== null });
  const joined = service?.() ?? null;
  const compared = run.comparison === null ? null : (await import('./comparison.ts')).openComparison(run.comparison);
  const interrupt = stoppedBySignals(writer);
  const parts = observe(target, { ...web, signal: interrupt.signal });
  const line = showFigures(context, target, parts.figures);
  const observed = await passOn(parts, [judging, writer, cache, goal, compared]).finally(() => {
    line.stop();
    interrupt.off();
  });
  // Observed facts are judged even if the service does not answer.
  if (joined !== null) addTo([judging, writer], { kind: 'service', facts: await joined });
  if (compared !== null) addTo([judging, writer], { kind: 'against', facts: compared.finish() });
  const { isInterrupted, apps, manifest } = observed;
  const { unknownApps, nearApps, elsewhere } = manifest ?? NOTHING_SELECTED;
  const interruption = isInterrupted ? `interrupted after ${counted(apps, 'app')}` : null;
  const incomplete = interruption ?? limitText(parts.figures) ?? goal?.incompleteReason() ?? null;
  const report = judging.finish(Math.round(performance.now() - started) / 1000, incomplete, elsewhere);
  if (cache !== null) endCache(context, cache, apps > 0 && !isInterrupted && !web.apps && !shard);
  // Facts without a manifest cannot be judged again.
  if (manifest === null) writer?.abandon();
  return {
    judging,
    exit: isInterrupted ? interrupt.exit() : null,
    report,
    incomplete,
    shard: shard && { ...shard, elsewhere },
    attested: judging.attested(),
    unknownApps,
    nearApps,
  };
}

/** Receives facts; null for a receiver that is not wanted. */
type Receiver<AnyPart> = { add(part: AnyPart): void } | null;

function addTo<AnyPart>(receivers: readonly Receiver<AnyPart>[], part: AnyPart): void {
  for (const receiver of receivers) receiver?.add(part);
}

interface Observed {
  /** Null if none was received. */
  manifest: ManifestPart | null;
  /** Number of observed apps. */
  apps: number;
  isInterrupted: boolean;
}

/** Passes each part on as soon as it is observed. */
async function passOn(parts: AsyncIterable<Part>, receivers: readonly Receiver<Part>[]): Promise<Observed> {
  const observed: Observed = { manifest: null, apps: 0, isInterrupted: true };
  for await (const part of parts) {
    addTo(receivers, part);
    if (part.kind === 'manifest') observed.manifest = part;
    else if (part.kind === 'app') observed.apps += 1;
    else if (part.kind === 'end') observed.isInterrupted = part.interrupted;
  }
  return observed;
}

/** The first signal aborts; a second one ends the process, and leaves no saved facts behind. */
function stoppedBySignals(writer: { abandon(): void } | null): ReturnType<typeof onSignals> & { signal: AbortSignal } {
  const interrupt = new AbortController();
  const signals = onSignals(
    () => interrupt.abort(),
    (signal) => {
      writer?.abandon();
      signals.off();
      redeliver(signal);
    },
  );
  return { ...signals, signal: interrupt.signal };
}

/** @param isWhole true if all apps were observed, so that what the cache has of others is removed */
function endCache({ terminal }: Context, cache: NonNullable<CheckRun['cache']>, isWhole: boolean): void {
  if (isWhole) cache.prune();
  const remark = cache.remark();
  if (remark !== null) terminal.log(remark);
}

function judgeOptionsOf({ web, ...run }: CheckRun): JudgeOptions {
  const { command, target, now, severities, exceptions, known, appEntry, attestations, baseline } = run;
  const { origins = [], shard = null } = web;
  return {
    command,
    target,
    now,
    severities,
    exceptions,
    known,
    appEntry,
    attestations,
    baseline,
    origins,
    shard,
  };
}

function showFigures({ terminal }: Context, target: string, figures: Readonly<Figures>): { stop(): void } {
  const line = terminal.progress(message`Requesting ${new URL(target).host}`);
  const since = performance.now();
  line.update(() => message`${describeProgress(figures, (performance.now() - since) / 1000)}`);
  return line;
}

function limitText({ machineLimit }: Readonly<Figures>): string | null {
  if (machineLimit === null) return null;
  return `${machineLimitText(machineLimit)}: some requests were not sent. ${machineLimitAdvice(machineLimit)}`;
}

/**
 * The progress of an observation in one line. It contains no URL, since a URL may hold secrets.
 * @param seconds since the observation began
 */
export function describeProgress(
  {
    done,
    known,
    bytes,
    announced,
    host,
    app,
  }: Pick<Figures, 'done' | 'known' | 'bytes' | 'announced' | 'host' | 'app'>,
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

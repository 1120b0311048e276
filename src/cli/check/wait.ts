import { message, type SafeText } from '../../core/text/message.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLifetimes, type PropagationDeadline } from '../../core/http/propagation-deadline.ts';
import { type SignalExit, AppregError } from '../../core/errors/error.ts';
import { endCheck } from './end-check.ts';
import { whyNotUsable } from '../../platform/make-folder.ts';
import type { Context } from '../config/context.ts';
import { type CheckRun, type LiveCheck, startRun } from './live-check.ts';
import { type CheckResult, observeAndJudge } from './observe-and-judge.ts';
import type { Part } from '../../observe/registry/part.ts';
import { startJudging } from '../../core/engine/judge.ts';
import { openSavedFacts, type SnapshotWriter } from './facts-file.ts';
import { onSignals } from '../io/stop-signal.ts';
import type { VerifyOptions } from './verify-options.ts';
import { trackGoal, type WaitGoal } from './wait-goal.ts';

/** Seconds between two observations: short at first, then increasing, to limit the load on the host. */
const PAUSE = { first: 1, growth: 1.5, max: 60 };

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
]);

/** The seconds of --wait. Throws AppregError for an invalid duration. */
export function waitSeconds(options: VerifyOptions): number {
  const found = /^(\d{1,6}(?:\.\d{1,3})?)(s|m|h)$/.exec(options.wait ?? '');
  const seconds = Number(found?.[1]) * (SECONDS.get(found?.[2] ?? '') ?? Number.NaN);
  if (!found || seconds <= 0 || seconds > 86_400)
    throw new AppregError(
      'option-invalid',
      message`Invalid duration “${options.wait ?? ''}” in --wait.`,
      message`Use a number with s, m or h, of at most one day, such as --wait 10m.`,
    );
  if (options.shard !== undefined)
    throw new AppregError(
      'option-conflict',
      message`--wait and --shard cannot be combined.`,
      message`Wait for the registry first, then verify it in shards.`,
    );
  return seconds;
}

/** One observation, judged and compared with the goal. */
interface Attempt {
  result: CheckResult;
  missing: string[];
  writer: SnapshotWriter | null;
}

/**
 * Observes repeatedly until the goal is listed and verified, or the deadline has passed (exit 1). Requests are
 * conditional. The report is that of the last observation.
 * @param seconds from `waitSeconds`; an observation in progress at the deadline is completed
 */
export async function verifyWhenReady(
  context: Context,
  check: LiveCheck,
  options: VerifyOptions,
  seconds: number,
): Promise<number> {
  const end = Date.now() + seconds * 1000;
  const goal: WaitGoal = {
    apps: check.web.apps ?? null,
    named: options.versions ?? 'all',
    versions: check.web.versions,
  };
  const lifetimes = openLifetimes();
  const cacheFolder = check.cacheFolder ?? temporaryFolder();
  let attempt: Attempt | null = null;
  let pause = PAUSE.first;
  let lastText = '';
  try {
    for (;;) {
      const run = await startRun({ ...check, cacheFolder });
      attempt = await observeOnce(context, run, goal, lifetimes, options.save);
      const { result, missing, writer } = attempt;
      if (result.exit !== null) return endCheck(context, run, result, writer);
      if (missing.length === 0) {
        const code = endCheck(context, run, result, writer);
        context.terminal.log(describeDeadline(lifetimes.visibleBy(new Date().toISOString())));
        return code;
      }
      const left = end - Date.now();
      if (left <= 0) {
        context.terminal.log(message`Timed out after ${String(options.wait)}. Still missing: ${missing.join('; ')}.`);
        return endCheck(context, run, result, writer, 1);
      }
      const text = missing.join('; ');
      if (text !== lastText) context.terminal.log(message`Waiting until ${shownTime(end)}: ${text}.`);
      lastText = text;
      const exit = await pauseFor(context, Math.min(pause * 1000, left), text);
      if (exit !== null) return endCheck(context, run, result, writer, exit);
      pause = Math.min(pause * PAUSE.growth, PAUSE.max);
      writer?.abandon();
    }
  } finally {
    attempt?.writer?.abandon();
    if (check.cacheFolder === null) rmSync(cacheFolder, { recursive: true, force: true });
  }
}

async function observeOnce(
  context: Context,
  run: CheckRun,
  goal: WaitGoal,
  lifetimes: ReturnType<typeof openLifetimes>,
  save: string | undefined,
): Promise<Attempt> {
  const writer = openSavedFacts(context, save, run);
  const progress = trackGoal(goal);
  try {
    const reached = {
      add(part: Part) {
        progress.add(part);
        if (part.kind === 'manifest') lifetimes.note(part.facts);
        else if (part.kind === 'app') lifetimes.note(part.facts.metadata);
      },
      incompleteReason() {
        const unlisted = progress.unlisted();
        return unlisted.length === 0 ? null : `not available yet: ${unlisted.join('; ')}`;
      },
    };
    const result = await observeAndJudge(context, run, { start: startJudging, writer, goal: reached });
    return { result, missing: progress.missing(result.report), writer };
  } catch (error) {
    writer?.abandon();
    throw error;
  }
}

/** Waits the given milliseconds. @returns the exit code of an interrupted run, or null */
async function pauseFor(context: Context, milliseconds: number, text: string): Promise<SignalExit | null> {
  const interrupt = new AbortController();
  const stop = (): void => interrupt.abort();
  const signals = onSignals(stop, stop);
  const line = context.terminal.progress(message`Waiting: ${text}`);
  try {
    await sleep(milliseconds, undefined, { signal: interrupt.signal });
    return null;
  } catch {
    return signals.exit();
  } finally {
    line.stop();
    signals.off();
  }
}

function describeDeadline({ at, seconds, cached, withoutLifetime }: PropagationDeadline): SafeText {
  const caches =
    cached === 0 ? 'no cache can hold an older copy' : `caches may hold an older copy for ${roundedUp(cached)}`;
  const more =
    withoutLifetime === 0
      ? ''
      : ` ${withoutLifetime} of the files do not state how long they may be cached; some caches may take longer.`;
  return message`All subscribers will receive this by ${at}, in ${roundedUp(seconds)} at the latest: ${caches}, and the service checks hourly.${more}`;
}

/** `45 s`, `5 min`, `1 h 5 min`, `2 d 3 h`; rounded up. */
function roundedUp(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
  return `${Math.floor(hours / 24)} d${hours % 24 === 0 ? '' : ` ${hours % 24} h`}`;
}

function shownTime(moment: number): string {
  return new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z');
}

function temporaryFolder(): string {
  const parent = tmpdir();
  try {
    return mkdtempSync(join(parent, 'appreg-wait-'));
  } catch (cause) {
    throw new AppregError(
      'temporary-folder-unusable',
      message`Cannot create a folder in ${parent}: ${whyNotUsable(cause)}.`,
      message`Set TMPDIR to a writable folder, or give one: --cache <dir>.`,
      { cause },
    );
  }
}

import { join } from 'node:path';
import { AttestedCounter, type AttestedVersions } from '../../core/attestation/attested-versions.ts';
import type { Judging } from '../../core/engine/judge.ts';
import { mergeReports, type PartReport } from '../../core/engine/merge-reports.ts';
import { AppregError } from '../../core/errors/error.ts';
import { isCountedFinding, type Report } from '../../core/findings/report.ts';
import { isFixable } from '../../core/rules/lookup.ts';
import { message } from '../../core/text/message.ts';
import { observeMetadataFile, observeWorkspace } from '../../observe/workspace/observe-workspace.ts';
import type { Progress } from '../../workspace/listener.ts';
import { checked } from '../check/checked.ts';
import { unusable, useEach, whyIncomplete } from '../check/inputs.ts';
import { logEndedExceptions, printReport, suggestExplanation } from '../check/report.ts';
import type { Context } from '../config/context.ts';
import { defaultFolder } from '../config/stored-state.ts';
import { shownPath } from '../io/shown-path.ts';
import { fixTargets } from './lint/fix.ts';
import { judgingOf } from './lint/judging.ts';
import { type LintOptions, lintTarget, type ReadyTarget, withSettings } from './lint/targets.ts';

/** `appreg lint [path...]`: checks files without the network. Exit codes: docs/commands.md. */
export async function runLint(context: Context, paths: readonly string[], options: LintOptions): Promise<number> {
  return checked(context, 'lint', paths.length === 0 ? '.' : paths.join(', '), async () => {
    const started = performance.now();
    const named = paths.length === 0 ? [await defaultFolder(context)] : paths;
    refuseOneBaselineOfSeveral(named, options);
    const { used, failed } = await useEach(named, (name) => lintTarget(context, name));
    if (options.fix === true && failed.length > 0) throw unusable(failed);
    const targets = await withSettings(context, used, options);
    if (options.fix === true) await fixTargets(context.terminal, targets);

    const run = { target: named.join(', '), source: options.against };
    const toJudge = await Promise.all(
      targets.map(async (ready) => ({ ...ready, judging: await judgingOf(context, ready, run) })),
    );
    const unreadable = await judgeTargets(context, toJudge);
    const leftOut = [...failed, ...unreadable];
    for (const error of leftOut) context.terminal.error(error.message, error.hint);
    const seconds = Math.round(performance.now() - started) / 1000;
    const result = reportOn(toJudge, seconds, whyIncomplete(leftOut));
    return print(context, targets, { ...result, attested: attestedIn(toJudge), isFixed: options.fix === true });
  });
}

function refuseOneBaselineOfSeveral(named: readonly string[], { against }: LintOptions): void {
  if (against === undefined || named.length <= 1) return;
  throw new AppregError(
    'option-conflict',
    message`--against can only be used with one path.`,
    message`Run appreg lint once per registry.`,
  );
}

interface TargetToJudge extends ReadyTarget {
  judging: Judging;
}

/** Reads and judges the targets, one after the other. @returns the errors of those that cannot be read */
async function judgeTargets(context: Context, targets: readonly TargetToJudge[]): Promise<readonly AppregError[]> {
  const progress = context.terminal.progress(message`Reading`);
  try {
    return (await useEach(targets, (target) => judgeTarget(context, target, progress))).failed;
  } finally {
    progress.stop();
  }
}

async function judgeTarget(
  context: Context,
  { target, against, attestations: check, judging }: TargetToJudge,
  progress: Progress,
): Promise<void> {
  const { workspace } = target;
  const nameOf = namesBelow(workspace.root, context.cwd);
  const attestations = check?.local ?? null;
  if (target.kind === 'metadata') {
    const { metadata, artifacts, about } = await observeMetadataFile(workspace, target.path, {
      nameOf,
      attestations,
    });
    judging.metadata(metadata, artifacts, against.versions, about);
    return;
  }
  if (target.inferred)
    context.terminal.detail(message`Using ${workspace.baseUrl ?? ''} as the base URL of this folder.`);
  await observeWorkspace(workspace, judging, {
    nameOf,
    attestations,
    onApp: (done, all) => progress.update(() => message`Reading apps: ${done} of ${all}`),
  });
}

/** Maps paths below the root to paths relative to `cwd`. */
function namesBelow(root: string, cwd: string): (path: string) => string {
  if (shownPath(cwd, root) === '') return (path) => path;
  return (path) => shownPath(cwd, join(root, path));
}

/** The report about all targets, and the severities used. */
function reportOn(
  targets: readonly TargetToJudge[],
  seconds: number,
  incomplete: string | null,
): Pick<PartReport, 'report' | 'severities'> {
  const [first, ...others] = targets.map(({ target, config, settings, judging }): PartReport => {
    return {
      report: judging.finish(seconds, incomplete),
      severities: settings.severities,
      config: config.file,
      judgesExceptions: target.kind === 'workspace',
    };
  });
  if (first === undefined) throw new Error('No path to lint was given.');
  if (others.length === 0) return first;
  return mergeReports([first, ...others]);
}

function attestedIn(targets: readonly TargetToJudge[]): AttestedVersions[] {
  const counter = new AttestedCounter();
  for (const versions of targets.flatMap(({ judging }) => judging.attested())) counter.addVersions(versions);
  return counter.all();
}

interface LintResult extends Pick<PartReport, 'report' | 'severities'> {
  attested: readonly AttestedVersions[];
  isFixed: boolean;
}

/** Prints the report, and what to do next. @returns the exit code */
function print(
  context: Context,
  targets: readonly ReadyTarget[],
  { report, severities, attested, isFixed }: LintResult,
): number {
  const code = printReport(context, report, { severities, attested });
  for (const { exceptions, now } of new Set(targets.map(({ settings }) => settings)))
    logEndedExceptions(context.terminal, report, exceptions, now);
  if (code === 0) context.terminal.next(message`publish the files, then appreg verify <registry-url>`);
  else if (!isFixed && hasFixable(report))
    context.terminal.next(message`appreg lint --fix corrects what has only one possible correction`);
  else suggestExplanation(context, code, report);
  return code;
}

function hasFixable({ findings }: Report): boolean {
  return findings.some((finding) => isCountedFinding(finding) && isFixable(finding));
}

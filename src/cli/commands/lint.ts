import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { message } from '../../core/text/message.ts';
import { type JudgeOptions, startJudging, type Judging } from '../../core/engine/judge.ts';
import type { PartReport } from '../../core/engine/merge-reports.ts';
import { counts, type Report } from '../../core/findings/report.ts';
import { baselineInLock, LOCK_FILE } from '../../core/registry/lock-file.ts';
import { isFixable } from '../../core/rules/lookup.ts';
import { AppregError } from '../../core/errors/error.ts';
import { observeMetadataFile, observeWorkspace } from '../../observe/workspace/observe-workspace.ts';
import { type LintTarget, targetAt } from '../../observe/workspace/target.ts';
import { readLock } from '../../workspace/lock.ts';
import { countAttested } from '../../core/attestation/attested-versions.ts';
import type { AttestationFacts } from '../../core/facts/attestation.ts';
import { type CheckSettings, checkSettings } from '../check/check-settings.ts';
import { type LocalAttestationCheck, localAttestations } from '../check/attestation-check.ts';
import type { BaselineOption } from '../check/baseline-option.ts';
import { checked } from '../check/checked.ts';
import { unusable, useEach, whyIncomplete } from '../check/inputs.ts';
import { logEndedExceptions, printReport, suggestExplanation } from '../check/report.ts';
import { type LoadedConfig, workspaceSettings } from '../config/config.ts';
import type { Progress } from '../../workspace/listener.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { shownPath } from '../io/shown-path.ts';
import type { Terminal } from '../io/terminal.ts';
import { defaultFolder, refuseStored } from '../config/stored-state.ts';
import type { lintCommand } from '../define/lint.ts';

type LintOptions = OptionsOf<typeof lintCommand>;

/** `appreg lint [path...]`: checks files without the network. Exit codes: docs/commands.md. */
export async function runLint(context: Context, paths: readonly string[], options: LintOptions): Promise<number> {
  return checked(context, 'lint', paths.length === 0 ? '.' : paths.join(', '), async () => {
    const named = paths.length === 0 ? [await defaultFolder(context)] : paths;
    const started = performance.now();
    const { cwd, terminal } = context;
    if (options.against !== undefined && named.length > 1)
      throw new AppregError(
        'option-conflict',
        message`--against can only be used with one path.`,
        message`Run appreg lint once per registry.`,
      );
    const { used: found, failed } = await useEach(named, (name) => lintTarget(context, resolve(cwd, name)));
    if (options.fix === true && failed.length > 0) throw unusable(failed);
    const targets = await withSettings(context, found, options);
    if (options.fix === true) await fixTargets(terminal, targets);
    const attested = countAttested();
    const now = new Date().toISOString();
    const run = { now, target: named.join(', '), onAttested: (facts: AttestationFacts) => void attested.add(facts) };
    const judged = await Promise.all(
      targets.map(async (ready) => {
        const judging = judgingOf(ready, run);
        return { ready, judging, other: await otherJudging(context, ready, run, options.against) };
      }),
    );
    const progress = terminal.progress(message`Reading`);
    try {
      const observed = await useEach(judged, ({ ready, judging, other }) =>
        observeTarget(context, ready, other === null ? judging : both(judging, other.judging), {
          progress,
        }),
      );
      failed.push(...observed.failed);
    } finally {
      progress.stop();
    }
    for (const { message, hint } of failed) terminal.error(message, hint);
    const seconds = Math.round(performance.now() - started) / 1000;
    const { report, severities } = await reportOn(
      judged.map(({ ready: { target, config, settings }, judging, other }) => ({
        report: (other?.reportOn ?? unchanged)(judging.finish(seconds, whyIncomplete(failed))),
        severities: settings.severities,
        config: config.file,
        judgesExceptions: target.kind === 'workspace',
      })),
    );
    const code = printReport(context, report, { severities, attested: attested.all() });
    for (const { exceptions } of new Set(targets.map(({ settings }) => settings)))
      logEndedExceptions(terminal, report, exceptions, now);
    if (code === 0) terminal.next(message`publish the files, then appreg verify <registry-url>`);
    else if (options.fix !== true && report.findings.some((finding) => counts(finding) && isFixable(finding)))
      terminal.next(message`appreg lint --fix corrects what has only one possible correction`);
    else suggestExplanation(context, code, report);
    return code;
  });
}

interface ConfiguredTarget {
  target: LintTarget;
  config: LoadedConfig;
}

/** What a path names. @throws AppregError if it cannot be checked */
async function lintTarget(context: Context, path: string): Promise<ConfiguredTarget> {
  const config = await configFor(context, path);
  const target = targetAt(path, workspaceSettings(config));
  const { root, manifest } = target.workspace;
  if (target.kind === 'workspace') refuseStored(config, root, manifest);
  return { target, config };
}

/** A target with all that it is checked with: the settings of its own configuration, and its own baseline. */
interface ReadyTarget extends ConfiguredTarget {
  settings: CheckSettings;
  attestations: LocalAttestationCheck | null;
  against: BaselineOption;
}

/** Reads each configuration's settings once. @throws AppregError for an invalid setting or baseline */
async function withSettings(
  context: Context,
  targets: readonly ConfiguredTarget[],
  { against, baseline }: LintOptions,
): Promise<ReadyTarget[]> {
  const read = new Map<string | null, Pick<ReadyTarget, 'settings' | 'attestations'>>();
  const ready: ReadyTarget[] = [];
  for (const { target, config } of targets) {
    const known = read.get(config.file) ?? {
      settings: await checkSettings(context, config, baseline),
      attestations: await localAttestations(context.cwd, config),
    };
    read.set(config.file, known);
    const compared =
      against === undefined ? await defaultBaseline(target) : await requestedBaseline(against, target, context);
    ready.push({ target, config, ...known, against: compared });
  }
  return ready;
}

/** The workspace's lock file, the default baseline. @throws AppregError for an invalid file */
async function defaultBaseline(target: LintTarget): Promise<BaselineOption> {
  const { root } = target.workspace;
  const lock = readLock(root);
  if (lock === null) return { registry: null, versions: null };
  const source = join(root, LOCK_FILE);
  if (target.kind === 'workspace') return { registry: baselineInLock(lock, source), versions: null };
  const { lockedOption } = await import('../check/baseline-option.ts');
  return lockedOption(lock, source, target);
}

/** The baseline of --against, whose code is loaded on demand: it can be in git or on a server. */
async function requestedBaseline(where: string, target: LintTarget, context: Context): Promise<BaselineOption> {
  const { readBaselineOption } = await import('../check/baseline-option.ts');
  return readBaselineOption(where, target, context);
}

/** Corrects what has only one possible correction. */
async function fixTargets(terminal: Terminal, targets: readonly ReadyTarget[]): Promise<void> {
  const { fixFiles } = await import('../../workspace/fix.ts');
  const { printFixed } = await import('../check/baseline-option.ts');
  for (const { target, against } of targets) await fixFiles(target, (file) => printFixed(terminal, file, against));
}

/** Judges with the settings of the baseline, and adds to a report what only they would report. */
interface OtherJudging {
  judging: Judging;
  reportOn(report: Report): Report;
}

/** Null if there is no baseline with other settings. Its code is loaded on demand. */
async function otherJudging(
  context: Context,
  ready: ReadyTarget,
  run: Pick<JudgeOptions, 'now' | 'target'>,
  source: string | undefined,
): Promise<OtherJudging | null> {
  const settings = ready.against.settings ?? null;
  if (settings === null || source === undefined) return null;
  const { judgingWithBase, reportRelaxed } = await import('../check/settings-of-base.ts');
  const judging = await judgingWithBase(
    context,
    { current: ready.config, settings, source },
    optionsOf(ready, { now: run.now, target: run.target }),
  );
  return judging && { judging, reportOn: (report) => reportRelaxed(context, report, judging.finish(0), source) };
}

function unchanged(report: Report): Report {
  return report;
}

/** Passes the facts of a workspace to both. */
function both(first: Judging, second: Judging): Judging {
  return {
    ...first,
    manifest(facts) {
      first.manifest(facts);
      second.manifest(facts);
    },
    app(facts) {
      second.app(facts);
      return first.app(facts);
    },
    orphans(files) {
      first.orphans(files);
      second.orphans(files);
    },
  };
}

function judgingOf(ready: ReadyTarget, run: Pick<JudgeOptions, 'now' | 'target' | 'onAttested'>): Judging {
  return startJudging(optionsOf(ready, run));
}

function optionsOf(
  { config, settings, against, attestations }: ReadyTarget,
  run: Pick<JudgeOptions, 'now' | 'target' | 'onAttested'>,
): JudgeOptions {
  return {
    command: 'lint',
    ...run,
    ...settings,
    appEntry: config.config.artifact?.entry ?? null,
    baseline: against.registry,
    attestations: attestations?.requirement ?? null,
  };
}

/** How targets are observed. */
interface Observing {
  progress: Progress;
}

async function observeTarget(
  context: Context,
  { target, against, attestations: check }: ReadyTarget,
  judging: Judging,
  { progress }: Observing,
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

/** The report about all targets, and the severities used. The code that merges reports is loaded on demand. */
async function reportOn([first, ...others]: readonly PartReport[]): Promise<Pick<PartReport, 'report' | 'severities'>> {
  if (first === undefined) throw new Error('No path to lint was given.');
  if (others.length === 0) return first;
  const { mergeReports } = await import('../../core/engine/merge-reports.ts');
  return mergeReports([first, ...others]);
}

/** Maps paths below the root to paths relative to `cwd`. */
function namesBelow(root: string, cwd: string): (path: string) => string {
  if (shownPath(cwd, root) === '') return (path) => path;
  return (path) => shownPath(cwd, join(root, path));
}

async function configFor(context: Context, path: string): Promise<LoadedConfig> {
  const from = existsSync(path) && statSync(path).isDirectory() ? path : resolve(path, '..');
  return context.config(existsSync(from) ? from : context.cwd);
}

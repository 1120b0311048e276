import { message } from '../../../core/text/message.ts';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startJudging, type Judging } from '../../../core/engine/judge.ts';
import { counts } from '../../../core/engine/report.ts';
import { baselineInLock, LOCK_FILE } from '../../../core/registry/lock-file.ts';
import { isFixable } from '../../../core/rules/lookup.ts';
import { AppregError } from '../../../core/errors.ts';
import { observeMetadataFile, observeWorkspace } from '../../../observe/workspace/observe-workspace.ts';
import { type LintTarget, targetAt } from '../../../observe/workspace/target.ts';
import { readLock } from '../../../workspace/lock.ts';
import type { AdvisoryFolder } from '../../../observe/advisories/advisory-folder.ts';
import { countAttested } from '../../../core/attestation/attested-versions.ts';
import type { LocalAttestations } from '../../../observe/workspace/workspace-context.ts';
import { advisoriesAt, checkSettings, logEndedExceptions } from '../../check/check-settings.ts';
import { localAttestations } from '../../check/attestation-check.ts';
import type { BaselineOption } from '../../check/baseline-option.ts';
import { checked, printReport, suggestExplanation, unusable, useEach, whyIncomplete } from '../../check/checks.ts';
import { type LoadedConfig, workspaceSettings } from '../../config/config.ts';
import type { Progress } from '../../../workspace/listener.ts';
import type { Context, OptionsOf } from '../../context.ts';
import { shownPath } from '../../io/shown-path.ts';
import { refuseStored } from '../../stored-state.ts';
import type { lintCommand } from './options.ts';

type LintOptions = OptionsOf<typeof lintCommand>;

/** `appreg lint [path...]`: checks files without the network. Exit codes: docs/commands.md. */
export async function runLint(context: Context, paths: readonly string[], options: LintOptions): Promise<number> {
  const named = paths.length === 0 ? ['.'] : paths;
  return checked(context, 'lint', named.join(', '), async () => {
    const started = performance.now();
    const { cwd, terminal } = context;
    if (options.against !== undefined && named.length > 1)
      throw new AppregError(
        'option-conflict',
        message`--against can only be used with one path.`,
        message`Run appreg lint once per registry.`,
      );
    const { used: targets, failed } = await useEach(named, (name) => lintTarget(context, resolve(cwd, name)));
    if (options.fix === true && failed.length > 0) throw unusable(failed);
    const [first] = targets;
    if (first === undefined) throw new Error('No path to lint was given.');
    const { config } = first.config;
    const settings = await checkSettings(context, first.config, options.baseline);
    const advisories = await advisoriesAt(context, options);
    const attested = countAttested();
    const attestations = await localAttestations(cwd, first.config);
    const against =
      options.against === undefined
        ? defaultBaseline(first.target)
        : await requestedBaseline(options.against, first.target, context);
    if (options.fix === true) {
      const { fixFiles } = await import('../../../workspace/fix.ts');
      const { printFixed } = await import('../../check/baseline-option.ts');
      for (const { target } of targets) await fixFiles(target, (file) => printFixed(terminal, file, against));
    }
    const now = new Date().toISOString();
    const judging = startJudging({
      command: 'lint',
      target: named.join(', '),
      now,
      ...settings,
      appEntry: config.artifact?.entry ?? null,
      baseline: against.registry,
      attestations: attestations?.requirement ?? null,
      onAttested: (facts) => attested.add(facts),
    });
    const progress = terminal.progress(message`Reading`);
    try {
      const observed = await useEach(targets, ({ target }) =>
        observeTarget(context, target, judging, {
          against,
          advisories,
          attestations: attestations?.local ?? null,
          progress,
        }),
      );
      failed.push(...observed.failed);
    } finally {
      progress.stop();
    }
    for (const { message, hint } of failed) terminal.error(message, hint);
    const report = judging.finish(Math.round(performance.now() - started) / 1000, whyIncomplete(failed));
    const code = printReport(context, report, { severities: settings.severities, attested: attested.all() });
    logEndedExceptions(terminal, report, settings.exceptions, now);
    if (code === 0) terminal.next(message`publish the files, then appreg verify <registry-url>`);
    else if (options.fix !== true && report.findings.some((finding) => counts(finding) && isFixable(finding)))
      terminal.next(message`appreg lint --fix fixes some of these`);
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

/** The workspace's lock file, the default baseline. @throws AppregError for an invalid file */
function defaultBaseline({ kind, workspace }: LintTarget): BaselineOption {
  const lock = kind === 'workspace' ? readLock(workspace.root) : null;
  if (lock === null) return { registry: null, versions: null };
  return { registry: baselineInLock(lock, join(workspace.root, LOCK_FILE)), versions: null };
}

/** The baseline of --against, whose code is loaded on demand: it can be in git or on a server. */
async function requestedBaseline(where: string, target: LintTarget, context: Context): Promise<BaselineOption> {
  const { readBaselineOption } = await import('../../check/baseline-option.ts');
  return readBaselineOption(where, target, context);
}

/** How targets are observed. */
interface Observing {
  against: BaselineOption;
  /** Null if bills of materials are not read. */
  advisories: AdvisoryFolder | null;
  /** Null if attestations are not verified. */
  attestations: LocalAttestations | null;
  progress: Progress;
}

async function observeTarget(
  context: Context,
  target: LintTarget,
  judging: Judging,
  { against, advisories, attestations, progress }: Observing,
): Promise<void> {
  const { workspace } = target;
  const nameOf = namesBelow(workspace.root, context.cwd);
  if (target.kind === 'metadata') {
    const { metadata, artifacts, about } = await observeMetadataFile(workspace, target.path, {
      nameOf,
      advisories,
      attestations,
    });
    judging.metadata(metadata, artifacts, against.versions, about);
    return;
  }
  if (target.inferred)
    context.terminal.detail(message`Using ${workspace.baseUrl ?? ''} as the base URL of this folder.`);
  await observeWorkspace(workspace, judging, {
    nameOf,
    advisories,
    attestations,
    onApp: (done, all) => progress.update(() => message`Reading apps: ${done} of ${all}`),
  });
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

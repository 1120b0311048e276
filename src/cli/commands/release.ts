import { type SafeText, message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { ReleaseReport } from '../../core/release/report.ts';
import { release, type ReleaseOptions } from '../../release/release.ts';
import { releaseAsMarkdown, releaseAsText, releaseSummary } from '../../report/release.ts';
import { describeWriteState, newJournal, writeStateOf } from '../../store/journal.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { attesterOf } from '../check/attester.ts';
import { allowedSecrets } from '../check/allowed-secrets.ts';
import { settings } from '../check/settings.ts';
import type { LoadedConfig } from '../config/config.ts';
import { wantsLoadTest } from '../../release/repository.ts';
import { openStore } from '../config/open-store.ts';
import { workspaceMissing } from '../config/workspace.ts';
import { asBase } from '../../observe/workspace/places.ts';
import { hasLock } from '../../workspace/lock.ts';
import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { printResult } from '../io/results.ts';
import { planText, printFindings } from '../check/remarks.ts';
import { stateOptions } from '../check/state-options.ts';
import type { releaseCommand } from '../define/release.ts';

type Options = OptionsOf<typeof releaseCommand>;

/**
 * `appreg release`: builds every app of the repository, compares the bytes with the published versions, and publishes
 * what is new; with --check it only reports, with --bump it raises versions. Exit 1 if an app needs attention.
 */
export async function runRelease(context: Context, options: Options): Promise<number> {
  checkOptions(options);
  const allowed = allowedSecrets(options);
  const loaded = withOptions(await context.config(), options);
  if (loaded.file === null) throw workspaceMissing(context.cwd);
  const { config, file, root } = loaded;
  const isPublishing = options.check !== true && options.bump !== true;
  const attester = isPublishing ? await attesterOf(context, loaded, options) : undefined;
  const { report, plan } = await release(
    {
      ...stateOptions(context),
      root,
      file,
      config,
      positions: await loaded.positions(),
      env: context.env,
      openStore: () => openStore(context, config.store, root),
      severities: async () => (await settings(context)).severities,
    },
    { ...requested(context, loaded, options), allowedSecrets: allowed, attester },
  );
  printResult<'release'>(context, {
    pretty(style) {
      const text = releaseAsText(report, style, context.options.verbose === true);
      return plan === null ? text : `${text}\n${planText(style, plan)}`;
    },
    json: () => report,
    markdown: () => releaseAsMarkdown(report),
    summary: () => message`${releaseSummary(report)}`,
  });
  const stored = describeWriteState(writeStateOf(context.journal ?? newJournal()));
  // Such as the lock file alone: the report names only versions.
  if (report.summary.published === 0 && stored !== '') context.terminal.log(stored);
  if (report.outcome === 'clean')
    context.terminal.next(nextStep(report, options, { hasStored: stored !== '', ...loaded }));
  return report.outcome === 'clean' ? 0 : 1;
}

/** Translates the options of the command into those of a release. */
function requested(context: Context, { config }: LoadedConfig, options: Options): ReleaseOptions {
  const { check = false, bump = false, dryRun = false, app: keys, against, jobs } = options;
  const writing = bump ? 'bump' : 'publish';
  return {
    action: check ? 'check' : writing,
    dryRun,
    keys,
    against,
    jobs,
    loadTest: !bump && wantsLoadTest(config.bundle, options, !check && !bump && !dryRun),
    allowDirty: options.allowDirty === true,
    allow: { prerelease: options.allowPrerelease === true, same: options.allowSame ?? [] },
    async readBack(entry) {
      const { readBack, READ_BACK_SECONDS } = await import('../check/download.ts');
      await readBack(context, entry, READ_BACK_SECONDS[config.store?.type ?? 'directory']);
    },
    onFindings: (_, findings) => printFindings(context.terminal, findings),
  };
}

/** The configuration with the options that replace its settings. */
function withOptions(loaded: LoadedConfig, { notices, sbom }: Options): LoadedConfig {
  const { config } = loaded;
  const replaced = {
    ...(notices === false && { bundle: { ...config.bundle, notices } }),
    ...(sbom === true && { evidence: { ...config.evidence, sbom } }),
  };
  return { ...loaded, config: { ...config, ...replaced } };
}

/** @throws AppregError (exit 2) for options that exclude each other */
function checkOptions({ check, bump, against, jobs }: Options): void {
  if (check && bump)
    throw new AppregError(
      'option-conflict',
      message`--check and --bump cannot be combined: --check writes nothing, --bump writes versions.`,
      message`Omit one of them.`,
    );
  if (against !== undefined && !check && !bump)
    throw new AppregError(
      'option-conflict',
      message`--against is only valid with --check or --bump: without them, the apps are compared with the store that they are published to.`,
      message`Add --check, or omit --against.`,
    );
  if (jobs === 0)
    throw new AppregError('option-invalid', message`--jobs is 0, so nothing would be built.`, message`Use 1 or more.`);
}

/** @param run.hasStored whether the store was written to */
function nextStep(
  { summary }: ReleaseReport,
  { check, bump, dryRun }: Options,
  { hasStored, root, config }: LoadedConfig & { hasStored: boolean },
): SafeText {
  if (bump) return message`commit the version files; then appreg release`;
  if (summary.new > 0 && (check || dryRun)) return message`appreg release`;
  if (summary.new > 0 || hasStored)
    return hasLock(root)
      ? message`commit ${LOCK_FILE}`
      : // The lock file is in the store.
        message`appreg verify ${asBase(config.baseUrl ?? '')}${encodeURIComponent(config.manifest ?? 'registry.json')} --wait 10m`;
  return message`change an app; appreg release --check then shows what to release`;
}

import { type SafeText, message } from '../../../core/text/message.ts';
import { availableParallelism } from 'node:os';
import { AppregError } from '../../../core/errors.ts';
import { releaseReport } from '../../../core/release/report.ts';
import { VERSION } from '../../../core/tool-version.ts';
import type { Plan } from '../../../publish/plan.ts';
import { findApps } from '../../../release/find-apps.ts';
import { releaseAsMarkdown, releaseAsText, releaseSummary } from '../../../report/release.ts';
import type { OptionValues } from '../../command-definition.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { allowedSecrets, allowSecretsIn } from '../../allowed-secrets.ts';
import { printResult } from '../../io/results.ts';
import { workspaceMissing } from '../../config/workspace.ts';
import { bumpApps } from '../../release/bump.ts';
import { evaluateApps, type EvaluatedApp, selectedApps } from '../../release/evaluate.ts';
import { publishedVersions } from '../../release/published.ts';
import { refuseUncommitted } from '../../release/refuse-uncommitted.ts';
import { planText } from '../../remarks.ts';
import { planEvaluated, publishEvaluated } from '../../release/publish-evaluated.ts';
import type { releaseCommand } from './options.ts';

type Options = GlobalOptions & OptionValues<typeof releaseCommand.options>;

/**
 * `appreg release`: builds every app of the repository, compares the bytes with the published versions, and publishes
 * what is new; with --check it only reports, with --bump it raises versions. Exit 1 if an app needs attention.
 */
export async function runRelease(context: Context, options: Options): Promise<number> {
  checkOptions(options);
  const allowed = allowedSecrets(options);
  const loaded = await context.config();
  if (loaded.file === null) throw workspaceMissing(context.cwd);
  const { check = false, bump = false, dryRun = false, app: keys, jobs = availableParallelism() } = options;
  const apps = selectedApps(await findApps(loaded.root, loaded.config.release ?? []), keys);
  const published = await publishedVersions(context, loaded, options.against);
  let evaluated = await evaluateApps(context, loaded, apps, published, jobs);
  let failed = new Set<string>();
  let plan: Plan | null = null;
  if (bump) evaluated = await bumpApps(context, loaded, evaluated, published, { dryRun, jobs });
  else {
    evaluated = allowSecretsIn(context, evaluated, allowed);
    if (options.allowDirty !== true) evaluated = refuseUncommitted(context, loaded, evaluated);
    const allow = { prerelease: options.allowPrerelease === true, same: options.allowSame === true };
    const settings = { published, jobs, allow };
    if (check || dryRun) ({ evaluated, plan } = await planEvaluated(context, evaluated, settings));
    else ({ evaluated, failed } = await publishEvaluated(context, evaluated, settings));
  }
  const isPlan = dryRun && !check && plan !== null;
  const report = releaseReport(
    VERSION,
    evaluated.map(({ result }) => result),
    failed,
    isPlan ? (plan?.steps ?? []) : null,
  );
  printResult<'release'>(context, {
    pretty(style) {
      const text = releaseAsText(report, style, context.options.verbose === true);
      return isPlan && plan !== null ? `${text}\n${planText(style, plan)}` : text;
    },
    json: () => report,
    markdown: () => releaseAsMarkdown(report),
    summary: () => message`${releaseSummary(report)}`,
  });
  if (report.outcome === 'clean') context.terminal.next(nextStep(evaluated, options));
  return report.outcome === 'clean' ? 0 : 1;
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

function nextStep(apps: readonly EvaluatedApp[], { check, bump, dryRun }: Options): SafeText {
  const isNew = apps.some(({ result }) => result.state === 'new');
  if (bump) return message`commit the version files; then appreg release`;
  if (isNew && (check || dryRun)) return message`appreg release`;
  return isNew
    ? message`commit appreg.lock.json`
    : message`change an app; appreg release --check then shows what to release`;
}

import { availableParallelism } from 'node:os';
import { printable } from '../../../core/text/text.ts';
import { AppregError } from '../../../core/errors.ts';
import { type ReleaseReport, releaseReport } from '../../../core/release/report.ts';
import { VERSION } from '../../../core/tool-version.ts';
import { findApps } from '../../../release/find-apps.ts';
import { releaseAsJson, releaseAsMarkdown, releaseAsText } from '../../../report/release.ts';
import { isOneOf } from '../../choices.ts';
import type { OptionValues } from '../../command-definition.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { allowedSecrets, allowSecretsIn } from '../../allowed-secrets.ts';
import { workspaceMissing } from '../../config/workspace.ts';
import { bumpApps } from '../../release/bump.ts';
import { evaluateApps, type EvaluatedApp, selectedApps } from '../../release/evaluate.ts';
import { publishedVersions } from '../../release/published.ts';
import { publishEvaluated, withRefusals } from '../../release/publish-evaluated.ts';
import type { releaseCommand } from './options.ts';

type Options = GlobalOptions & OptionValues<typeof releaseCommand.options>;

const FORMATS = ['pretty', 'json', 'markdown'] as const;
type Format = (typeof FORMATS)[number];

/**
 * `appreg release`: builds every app of the repository, compares the bytes with the published versions, and publishes
 * what is new; with --check it only reports, with --bump it raises versions. Exit 1 if an app needs attention.
 */
export async function runRelease(context: Context, options: Options): Promise<number> {
  const format = checkOptions(options);
  const allowed = allowedSecrets(options);
  const loaded = await context.config();
  if (loaded.file === null) throw workspaceMissing(context.cwd);
  const { check = false, bump = false, dryRun = false, app: keys, jobs = availableParallelism() } = options;
  const apps = selectedApps(await findApps(loaded.root, loaded.config.release ?? []), keys);
  const published = await publishedVersions(context, loaded, options.against);
  const { store } = published;
  let evaluated = await evaluateApps(context, loaded, apps, published, jobs);
  // Without the store, what it would refuse is unknown.
  if (check && options.against === undefined)
    evaluated = await withRefusals(context, allowSecretsIn(context, evaluated, allowed), { store, jobs });
  let failed = new Set<string>();
  if (bump) evaluated = await bumpApps(context, loaded, evaluated, published, { dryRun, jobs });
  else if (!check)
    ({ evaluated, failed } = await publishEvaluated(context, allowSecretsIn(context, evaluated, allowed), {
      store,
      dryRun,
      jobs,
    }));
  const report = releaseReport(
    VERSION,
    evaluated.map(({ result }) => result),
    failed,
  );
  print(context, report, format);
  if (report.outcome === 'clean') context.terminal.next(nextStep(evaluated, options));
  return report.outcome === 'clean' ? 0 : 1;
}

/** The format. @throws AppregError (exit 2) for options that exclude each other */
function checkOptions({ format = 'pretty', check, bump, against, jobs }: Options): Format {
  if (!isOneOf(FORMATS, format))
    throw new AppregError(
      'format-unknown',
      `release has no format “${printable(format)}”.`,
      `Use one of: ${FORMATS.join(', ')}`,
    );
  if (check && bump)
    throw new AppregError(
      'option-conflict',
      '--check and --bump cannot be combined: --check writes nothing, --bump writes versions.',
      'Omit one of them.',
    );
  if (against !== undefined && !check && !bump)
    throw new AppregError(
      'option-conflict',
      '--against is only valid with --check or --bump: without them, the apps are compared with the store that they are published to.',
      'Add --check, or omit --against.',
    );
  if (jobs === 0) throw new AppregError('option-invalid', '--jobs is 0, so nothing would be built.', 'Use 1 or more.');
  return format;
}

function print({ terminal }: Context, report: ReleaseReport, format: Format): void {
  if (format === 'json') terminal.out(releaseAsJson(report));
  else terminal.out(format === 'markdown' ? releaseAsMarkdown(report) : releaseAsText(report, terminal.style));
}

function nextStep(apps: readonly EvaluatedApp[], { check, bump, dryRun }: Options): string {
  const isNew = apps.some(({ result }) => result.state === 'new');
  if (bump) return 'commit the version files; then appreg release';
  if (isNew && (check || dryRun)) return 'appreg release';
  return isNew ? 'commit appreg.lock.json' : 'change an app; appreg release --check then shows what to release';
}

import { message } from '../../core/text/message.ts';
import { capitalized, printable } from '../../core/text/text.ts';
import { type AppPlan, type NewApp, planApp } from '../../publish/add-app.ts';
import { checkNewKey } from '../../publish/check-key.ts';
import { run } from '../../publish/run.ts';
import { severitiesOf } from '../config/rules.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { checkUrl } from '../io/input-file.ts';
import { printResult } from '../io/results.ts';
import { iconFrom } from '../check/icon-source.ts';
import { resolveInputs } from '../io/prompts.ts';
import { planText, printFindings, planStatus } from '../check/remarks.ts';
import { openWorkspace } from '../config/workspace.ts';
import { addAppCommand } from '../define/add-app.ts';

type Options = OptionsOf<typeof addAppCommand>;

/** `appreg add-app <key>`: an icon, a metadata file and an entry in the manifest. */
export async function runAddApp(context: Context, key: string, options: Options): Promise<number> {
  checkNewKey(key);
  const { terminal } = context;
  const { place, rules } = await openWorkspace(context);
  const { metadataUrl = null } = options;
  if (metadataUrl !== null) checkUrl(metadataUrl, '--metadata-url');
  const flags = addAppCommand.options;
  const inputs = await resolveInputs(context, {
    name: { option: flags.name, given: options.name, initial: titleOf(key) },
    description: { option: flags.description, given: options.description },
    color: { option: flags.blockColor, given: options.blockColor },
    icon: { option: flags.icon, given: options.icon },
  });
  if (inputs === null) return 130;
  const { name, description, color, icon } = inputs;

  const app: NewApp = { key, name, description, color, icon: iconFrom(context, key, color, icon), metadataUrl };
  const judgeSettings = { now: new Date().toISOString(), severities: await severitiesOf(context, { rules }) };
  const written = [place.manifest, `apps/${key}/versions.json`];
  const make = async (): Promise<AppPlan & { files: string[] }> => ({
    ...(await planApp(place, app, judgeSettings)),
    files: written,
  });
  const { planned } = await run(place.store, make, { dryRun: options.dryRun });
  const { entry, plan, lines, findings } = planned;
  const status = planStatus(plan, options.dryRun === true, 'added');
  printFindings(terminal, findings);

  const files = plan.steps.map(({ path }) => path);
  printResult<'add-app'>(context, {
    pretty(style) {
      if (status === 'unchanged') return `${key} is already in ${printable(place.manifest)}; nothing to do`;
      if (status === 'planned') return planText(style, plan, lines);
      return `added ${style.bold(key)}: ${printable(files.join(', '))}`;
    },
    json: () => ({ key, status, entry, files }),
  });
  if (status === 'planned') terminal.next(message`the same command without --dry-run`);
  else terminal.next(message`appreg publish-version ${key} 1.0.0 --entry <file>`);
  return 0;
}

/** `Feed Watch` for `feed-watch`. */
function titleOf(key: string): string {
  return key
    .split(/[-_]+/)
    .filter((word) => word !== '')
    .map(capitalized)
    .join(' ');
}

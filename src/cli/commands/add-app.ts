import { message } from '../../core/text/message.ts';
import type { AddOptionName, AppField, PromptedFieldName } from '../../core/registry/app-fields.ts';
import { recordFrom } from '../../core/values/record.ts';
import { capitalized, printable } from '../../core/text/text.ts';
import { type AppPlan, type NewApp, planApp } from '../../publish/add-app.ts';
import { checkNewKey } from '../../publish/check-key.ts';
import { planAndApply } from '../../publish/attempts.ts';
import { settings } from '../check/settings.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { givenFields, inPromptOrder } from '../check/field-values.ts';
import { iconFrom } from '../check/icon-source.ts';
import { type Input, resolveInputs } from '../io/prompts.ts';
import { planText, printFindings, planStatus } from '../check/remarks.ts';
import { openWorkspace } from '../config/workspace.ts';
import type { addAppCommand } from '../define/add-app.ts';
import { ADDED_FIELDS, addAppOptions } from '../define/field-options.ts';

type Options = OptionsOf<typeof addAppCommand>;

/** `appreg add-app <key>`: an icon, a metadata file and an entry in the manifest. */
export async function runAddApp(context: Context, key: string, options: Options): Promise<number> {
  checkNewKey(key);
  const { terminal } = context;
  const { place } = await openWorkspace(context);
  const given = givenFields(context, UNPROMPTED, addAppOptions, options);
  const inputs = await resolveInputs(context, inputsFor(key, options));
  if (inputs === null) return 130;
  const { iconUrl, ...texts } = inputs;
  const { appMetadataUrl: metadataUrl = null, ...others } = given;
  const app: NewApp = { key, ...others, ...texts, icon: iconFrom(context, key, texts.color, iconUrl), metadataUrl };
  const { now, severities } = await settings(context);
  const written = [place.manifest, `apps/${key}/versions.json`];
  const planNow = async (): Promise<AppPlan & { files: string[] }> => ({
    ...(await planApp(place, app, { now, severities })),
    files: written,
  });
  const { planned } = await planAndApply(place.store, planNow, { dryRun: options.dryRun });
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

type PromptedField = AppField<PromptedFieldName, AddOptionName>;

const PROMPTED = ADDED_FIELDS.filter(
  (field): field is typeof field & PromptedField => field.option.add.prompt !== undefined,
);
const UNPROMPTED = ADDED_FIELDS.filter(({ option }) => option.add.prompt === undefined);

/** The fields that are required. For the icon, a file may be given. */
function inputsFor(key: string, options: Options): Record<PromptedFieldName, Input> {
  return recordFrom(
    inPromptOrder(PROMPTED).map(({ name, option }) => [
      name,
      {
        option: addAppOptions[option.name],
        given: options[option.name],
        ...(name === 'name' && { initial: titleOf(key) }),
      },
    ]),
  );
}

/** `Feed Watch` for `feed-watch`. */
function titleOf(key: string): string {
  return key
    .split(/[-_]+/)
    .filter((word) => word !== '')
    .map(capitalized)
    .join(' ');
}

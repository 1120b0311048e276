import { message } from '../../core/text/message.ts';
import { isSafeKey } from '../../core/registry/app-key.ts';
import { ABOUT_FIELDS } from '../../core/about/about-file.ts';
import { APP_FIELDS, type FieldName } from '../../core/registry/app-fields.ts';
import { appFields, MANIFEST_FIELDS } from '../../core/registry/manifest.ts';
import { recordFrom } from '../../core/values/record.ts';
import { printable, safeExcerpt, shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { readManifest } from '../../publish/registry-location.ts';
import { planAndApply } from '../../publish/attempts.ts';
import { type AppEdit, type EditPlan, planEdit } from '../../publish/edit-app.ts';
import { type ListedEntry, listedEntry } from '../../publish/listed-app.ts';
import type { Style } from '../../report/style.ts';
import { settings } from '../check/settings.ts';
import { flagOf, type TextOption } from '../define/command.ts';
import { type OpenWorkspace, openWorkspace } from '../config/workspace.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { describingFolder } from '../../release/app-folders.ts';
import { givenFields, inPromptOrder, picked } from '../check/field-values.ts';
import { iconFrom } from '../check/icon-source.ts';
import { type Input, resolveInputs } from '../io/prompts.ts';
import { nextAfterChange, planText, printFindings, planStatus } from '../check/remarks.ts';
import type { editAppCommand } from '../define/edit-app.ts';
import { editAppOptions } from '../define/field-options.ts';

type Options = OptionsOf<typeof editAppCommand>;

/** The new values, as given or prompted for, by the name of the field; for the icon, a file or a URL. An absent one is kept. */
type Values = Partial<Record<FieldName, string>>;

/** `appreg edit-app <key>`: changes fields of an app's entry and of its app.json; every other byte is preserved. */
export async function runEditApp(context: Context, key: string, options: Options): Promise<number> {
  const { terminal } = context;
  const given = givenValues(context, options);
  const workspace = await openWorkspace(context);
  const { config, place, root } = workspace;
  const app = await listedEntry(place, key);
  const values = given ?? (await promptedValues(context, app));
  if (values === null) return 130;

  const describing = await describingFolder(root, config.release ?? [], key);
  const edit = { ...editOf(context, app, values), describing };
  const { now, severities } = await settings(context);
  // The entry stays as the user has seen it: a field that another process changes meanwhile is not overwritten.
  const planNow = async (): Promise<EditPlan & { files: string[] }> => ({
    ...(await planEdit(place, { ...app, manifest: await readManifest(place) }, edit, { now, severities })),
    files: [place.manifest],
  });
  const { dryRun } = options;
  const { planned, notRecorded } = await planAndApply(place.store, planNow, {
    dryRun,
    workspace: describing && describing.workspace,
  });
  if (notRecorded !== null) throw notRecorded;
  const { plan, findings, entry, changes, unusedIcon } = planned;
  const status = planStatus(plan, dryRun === true, 'edited');
  printFindings(terminal, findings);

  const files = filesOf(plan);
  printResult<'edit-app'>(context, {
    pretty: (style) => resultText(style, workspace, key, status, planned),
    json: () => ({ key, status, changes, entry, files }),
  });
  if (unusedIcon !== null) terminal.log(message`${unusedIcon} was not deleted, although no app uses it any more.`);
  if (status === 'planned') terminal.next(message`the same command without --dry-run`);
  else if (status === 'edited') nextAfterChange(terminal, workspace, ` --app ${isSafeKey(key) ? key : '<key>'}`);
  return 0;
}

/**
 * The values given as options; null if there are none and they can be prompted for.
 * @throws AppregError (exit 2) for an invalid value, or if there is nothing to change
 */
function givenValues(context: Context, options: Options): Values | null {
  const given = givenFields(context, APP_FIELDS, editAppOptions, options);
  if (Object.keys(given).length > 0) return given;
  if (context.terminal.interactive) return null;
  const flags = Object.values(editAppOptions).map(flagOf);
  throw new AppregError(
    'option-missing',
    message`No option with a new value was given.`,
    message`Add ${flags.slice(0, -1).join(', ')} or ${flags.at(-1) ?? ''}, or run the command at a terminal without --yes to be prompted.`,
  );
}

/** Prompts for each field, with its present value as the default, and returns the others; null if the user cancelled. */
async function promptedValues(context: Context, { entry }: ListedEntry): Promise<Values | null> {
  const now = appFields(entry);
  const prompted = inPromptOrder(MANIFEST_FIELDS).filter(
    ({ option }) => editAppOptions[option.name].prompt !== undefined,
  );
  const values = await resolveInputs(
    context,
    recordFrom(prompted.map(({ name, option }) => [name, input(editAppOptions[option.name], now[name])])),
  );
  return values && picked(prompted, ({ name }) => (values[name] === now[name] ? undefined : values[name]));
}

function input(option: TextOption, now: string | null): Input {
  return { option, given: undefined, ...(now !== null && { initial: now }) };
}

const COLOR = '#3b5bdb';

function editOf(context: Context, { key }: ListedEntry, values: Values): AppEdit {
  const { iconUrl: icon, ...texts } = picked(MANIFEST_FIELDS, ({ name }) => values[name]);
  return {
    ...texts,
    ...(icon !== undefined && { icon: iconFrom(context, key, texts.color ?? COLOR, icon) }),
    about: picked(ABOUT_FIELDS, ({ name }) => values[name]),
  };
}

function resultText(
  style: Style,
  { place }: OpenWorkspace,
  key: string,
  status: 'edited' | 'planned' | 'unchanged',
  { plan, changes }: EditPlan,
): string {
  const name = printable(shorten(key, 80));
  if (status === 'unchanged') return `${name} already has these values in ${printable(place.manifest)}; nothing to do`;
  const lines = changes.map(changeLine);
  if (status === 'planned') return [planText(style, plan), ...lines].join('\n');
  return [`edited ${style.bold(name)}: ${printable(filesOf(plan).join(', '))}`, ...lines].join('\n');
}

/** The files of a plan. An icon may be in the store, and at the same path in the workspace. */
function filesOf({ steps }: EditPlan['plan']): string[] {
  return [...new Set(steps.map(({ path }) => path))];
}

function changeLine({ field, before, after }: EditPlan['changes'][number]): string {
  return `  ${field}: ${before === null ? 'none' : inQuotes(before)} → ${inQuotes(after)}`;
}

function inQuotes(text: string): string {
  return `“${safeExcerpt(text)}”`;
}

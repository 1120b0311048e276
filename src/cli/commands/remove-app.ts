import { message } from '../../core/text/message.ts';
import { counted, printable, shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { readManifest } from '../../publish/registry-location.ts';
import { planAndApply } from '../../publish/attempts.ts';
import { listedEntry } from '../../publish/listed-app.ts';
import { planRemoval, type RemovalPlan } from '../../publish/remove-app.ts';
import { folderDescribing } from '../../release/app-folders.ts';
import { settings } from '../check/settings.ts';
import { openWorkspace } from '../config/workspace.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { confirmed } from '../io/prompts.ts';
import { nextAfterChange, planText, printFindings } from '../check/remarks.ts';
import type { removeAppCommand } from '../define/remove-app.ts';

type Options = OptionsOf<typeof removeAppCommand>;

/** `appreg remove-app <key>`: removes an app's entry from the manifest; its files stay. */
export async function runRemoveApp(context: Context, key: string, options: Options): Promise<number> {
  const { terminal } = context;
  const { dryRun = false } = options;
  const workspace = await openWorkspace(context);
  const { config, place, root } = workspace;
  const app = await listedEntry(place, key);
  const source = await folderDescribing(root, config.release ?? [], key);
  const { now, severities } = await settings(context);
  const removal = await planRemoval(place, app, { now, severities });
  const { plan, findings, entry, kept, loss } = removal;
  printFindings(terminal, findings);
  const name = printable(shorten(key, 80));
  const consequences = [lossText(name, removal), keptText(removal)];
  if (!dryRun) {
    const answer = await confirmation(context, name, consequences);
    if (answer === 'no') {
      terminal.log(message`${name} was not removed.`);
      return 130;
    }
  }
  // The removal is the one that was confirmed, unless the entry has changed since then.
  const plans = [removal];
  const planNow = async (): Promise<typeof removal> =>
    plans.pop() ?? planRemoval(place, { ...app, manifest: await readManifest(place) }, { now, severities });
  await planAndApply(place.store, planNow, { dryRun });

  const files = plan.steps.map(({ path }) => path);
  const status = dryRun ? 'planned' : 'removed';
  printResult<'remove-app'>(context, {
    pretty(style) {
      const done = `removed ${style.bold(name)}: ${printable(files.join(', '))}`;
      return [dryRun ? planText(style, plan, removal.lines) : done, ...consequences].join('\n');
    },
    json: () => ({ key, status, entry, subscribers: loss, files, kept }),
  });
  if (source !== null)
    terminal.log(
      message`${source}/app.json still describes this app. Remove its folder; otherwise appreg assemble will add the app again.`,
    );
  if (dryRun) terminal.next(message`the same command without --dry-run`);
  else nextAfterChange(terminal, workspace);
  return 0;
}

/** @throws AppregError `option-missing` (exit 2) if the user cannot be asked, and --yes is not given */
async function confirmation(
  { terminal, options }: Context,
  name: string,
  consequences: readonly string[],
): Promise<'yes' | 'no'> {
  if (options.yes === true) return 'yes';
  if (!terminal.interactive)
    throw new AppregError(
      'option-missing',
      message`${consequences.join(' ')} Removing the app requires confirmation.`,
      message`Add --yes to remove the app, or --dry-run to see the change.`,
      { effect: 'none' },
    );
  for (const line of consequences) terminal.log(message`${line}`);
  return (await confirmed(terminal, `Remove ${name} from the manifest?`)) ? 'yes' : 'no';
}

/** A sentence with the fields and versions that subscribers will lose. */
function lossText(name: string, { fields, loss }: RemovalPlan): string {
  const title =
    fields.name === null || fields.name === name ? name : `${name} (“${printable(shorten(fields.name, 80))}”)`;
  const { visible, because, versions, latest } = loss;
  if (visible === false) {
    const reason = versions === 0 ? 'no version of it is published' : `of ${because.join(', ')}`;
    return `Subscribers do not see ${title} at present, because ${reason}; nothing changes for them.`;
  }
  const which = versionsText(versions, latest);
  return `Subscribers will no longer see ${title}${which} once the changed manifest is served and the service has checked it (hourly). They can no longer install it.`;
}

function versionsText(versions: number | null, latest: string | null): string {
  if (versions === null) return ' or its versions';
  return ` or its ${counted(versions, 'version')}${latest === null ? '' : ` (latest ${printable(latest)})`}`;
}

function keptText({ kept, hasCompanions, loss }: RemovalPlan): string {
  const artifacts = hasCompanions ? ['the artifacts', 'their companion files'] : ['the artifacts'];
  const files = [...kept.map(printable), ...(loss.versions === 0 ? [] : artifacts)];
  const last = files.pop();
  if (last === undefined) return 'No file is deleted.';
  return `No file is deleted: ${files.length === 0 ? last : `${files.join(', ')} and ${last}`} ${kept.length === 1 && files.length === 0 ? 'stays' : 'stay'}.`;
}

import { message } from '../../core/text/message.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { counted, printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { asBase } from '../../observe/workspace/places.ts';
import { type AssemblyPlan, checkAssembly, planAssembly } from '../../publish/assemble.ts';
import { planAndApply } from '../../publish/attempts.ts';
import { appsUnder } from '../../release/app-folders.ts';
import { settings } from '../check/settings.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { refuseOtherBaseIn } from '../../workspace/base-url.ts';
import { registryState } from '../../workspace/registry-state.ts';
import { stateOptions } from '../check/state-options.ts';
import { planText, printFindings, planStatus } from '../check/remarks.ts';
import { openWorkspace } from '../config/workspace.ts';
import type { assembleCommand } from '../define/assemble.ts';

type Options = OptionsOf<typeof assembleCommand>;

/**
 * `appreg assemble`: generates the manifest from the folders apps/<key>. All input is validated before anything is
 * written; an app that is invalid, or missing although published, is refused.
 */
export async function runAssemble(context: Context, options: Options): Promise<number> {
  const { terminal } = context;
  const { check = false, dryRun = false, remove = [], against } = options;
  if (check && (dryRun || (remove.length > 0 && against === undefined)))
    throw new AppregError(
      'option-conflict',
      message`--check only checks the folders; --dry-run and --remove apply to the published manifest.`,
      message`Omit --check, or omit the other option; --remove is also valid with --check --against <registry-url>.`,
    );
  if (against !== undefined && !check)
    throw new AppregError(
      'option-conflict',
      message`--against is only valid with --check: without it, the apps are compared with the store itself.`,
      message`Add --check, or omit --against.`,
    );
  const { config, root } = await context.config();
  const { now, severities } = await settings(context);
  if (check) {
    refuseOtherBaseIn(root, config);
    const folders = await appsUnder(root, asBase(config.baseUrl ?? 'https://apps.example.com/'), config.release);
    const listed = against === undefined ? null : { where: against, keys: await keysIn(context, against), remove };
    printFindings(terminal, checkAssembly(folders, listed, { now, severities }));
    const { length } = folders.apps;
    printResult<'assemble'>(context, {
      pretty: () => `${counted(length, 'app')}, no errors`,
      json: () => ({ status: 'checked', apps: length }),
    });
    return 0;
  }
  const { place } = await openWorkspace(context);
  const folders = await appsUnder(root, place.base, config.release);
  const { apps } = folders;
  const planNow = async (): Promise<AssemblyPlan & { files: string[] }> => ({
    ...(await planAssembly(place, folders, remove, { now, severities })),
    files: [place.manifest, ...apps.map(({ key }) => `apps/${key}/versions.json`)],
  });
  const { planned } = await planAndApply(place.store, planNow, { dryRun });
  const { plan, findings, files: _, ...changes } = planned;
  printFindings(terminal, findings);
  const status = planStatus(plan, dryRun, 'assembled');

  const steps = plan.steps.map(({ kind, path, what }) => ({ kind, path, what }));
  printResult<'assemble'>(context, {
    pretty(style) {
      const count = counted(apps.length, 'app');
      if (status === 'unchanged') return `${printable(place.manifest)} is already up to date (${count}); nothing to do`;
      if (status === 'planned') return planText(style, plan);
      const lines = Object.entries(changes).filter(([, keys]) => keys.length > 0);
      return [
        `assembled ${printable(place.manifest)} from ${count}`,
        ...lines.map(([what, keys]) => `  ${what} ${printable(keys.join(', '))}`),
      ].join('\n');
    },
    json: () => ({ status, manifest: place.manifest, apps: apps.length, ...changes, steps }),
  });
  return 0;
}

/** The apps listed in another state of the registry. Throws AppregError if that state does not exist. */
async function keysIn(context: Context, where: string): Promise<string[]> {
  const { manifest } = await registryState(where, stateOptions(context, { app: [] }));
  return Object.keys(manifestAppsIn(manifest.content) ?? {});
}

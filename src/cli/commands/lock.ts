import { message } from '../../core/text/message.ts';
import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { isHttpUrl } from '../../core/url/url.ts';
import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { counted } from '../../core/text/text.ts';
import { localPathOf } from '../../observe/baseline/local-path.ts';
import { recordVersions } from '../../workspace/lock.ts';
import { registryState } from '../../workspace/registry-state.ts';
import type { Context } from '../config/context.ts';
import type { GlobalOptions } from '../io/invocation.ts';
import { shownPath } from '../io/shown-path.ts';
import { printResult } from '../io/results.ts';
import { stateOptions } from '../check/state-options.ts';
import type { VerifyOptions } from '../check/verify-options.ts';

/**
 * `appreg lock [where]`: records in appreg.lock.json each version that is not in it yet. Existing entries never change;
 * exit 1 if the registry lists something else, or if the versions of an app cannot be read.
 */
export async function runLock(
  context: Context,
  where: string | undefined,
  options: GlobalOptions & VerifyOptions,
): Promise<number> {
  const { terminal } = context;
  const { root } = await context.config();
  if (where !== undefined) await refuseOtherWorkspace(context, where);
  const seen = await registryState(where ?? (shownPath(context.cwd, root) || '.'), stateOptions(context, options));
  const { isIncomplete, ...found } = await recordVersions(root, seen);
  const { versions, added, changed, notRecorded } = found;
  for (const { app, reason } of notRecorded) terminal.log(message`Not recorded: the versions of ${app} (${reason})`);
  for (const { app, version, before, after } of changed)
    terminal.error(
      message`${app} ${version}: ${before} was published first, ${after} is listed now.`,
      message`List the first artifact again, and publish the changed one as a new version.`,
    );
  printResult<'lock'>(context, {
    pretty: () =>
      `${LOCK_FILE}: ${counted(versions, 'version')}, ${added} new${changed.length > 0 ? `, ${counted(changed.length, 'error')}` : ''}`,
    json: () => ({ file: LOCK_FILE, versions, added, changed, notRecorded }),
  });
  if (changed.length > 0 || isIncomplete) return 1;
  terminal.next(message`commit ${LOCK_FILE}; from now on, appreg lint compares the files with it`);
  return 0;
}

/**
 * Refuses another workspace, whose versions would be taken for those of this one.
 * @throws AppregError `option-conflict` (exit 2)
 */
async function refuseOtherWorkspace(context: Context, where: string): Promise<void> {
  const own = await context.config();
  const local = own.file === null || isHttpUrl(where) ? null : localPathOf(where, context.cwd);
  if (own.file === null || local === null) return;
  const { path, isFolder } = local;
  const { config, file, root } = await context.config(isFolder ? path : dirname(path));
  const isManifest = isFolder || basename(path) === (config.manifest ?? 'registry.json');
  if (file === null || !isManifest || realpathSync(file) === realpathSync(own.file)) return;
  throw new AppregError(
    'option-conflict',
    message`${where} belongs to another workspace, so its versions are not recorded here.`,
    message`To record its versions there: appreg lock --cwd ${shownPath(context.cwd, root)}`,
    { effect: 'none' },
  );
}

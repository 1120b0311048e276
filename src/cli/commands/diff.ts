import { message } from '../../core/text/message.ts';
import { diffAbout, diffCompanions } from '../../core/diff/state.ts';
import { diffRegistries, leftOutOf } from '../../core/diff/diff.ts';
import { diffAsMarkdown, diffAsText, diffHeadline } from '../../report/diff.ts';
import type { Context } from '../config/context.ts';
import type { GlobalOptions } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { companionsOf } from '../../workspace/companions.ts';
import { registryState } from '../../workspace/registry-state.ts';
import { defaultFolder } from '../config/stored-state.ts';
import { stateOptions } from '../check/state-options.ts';
import type { VerifyOptions } from '../check/verify-options.ts';

/**
 * `appreg diff <before> [after]`: what would change for subscribers between two states of a registry. The exit code is
 * 0 for any difference; forbidden changes are reported by lint and verify (`--against`). It is 2 if an app of both states
 * could not be compared.
 */
export async function runDiff(
  context: Context,
  before: string,
  after: string | undefined,
  options: GlobalOptions & VerifyOptions,
): Promise<number> {
  const state = { ...stateOptions(context, options), about: true, icons: true };
  const [old, now] = [
    await registryState(before, state),
    await registryState(after ?? (await defaultFolder(context)), state),
  ];
  const { cwd } = context;
  const companions = diffCompanions(await companionsOf(old, cwd), await companionsOf(now, cwd));
  const about = diffAbout(old, now);
  const found = {
    ...diffRegistries(old, now),
    ...(companions.length > 0 && { companions }),
    ...(about.length > 0 && { about }),
  };
  printResult<'diff'>(context, {
    pretty: (style) => diffAsText(found, style),
    json: () => found,
    markdown: () => diffAsMarkdown(found),
    summary: () => message`${diffHeadline(found)}`,
  });
  const leftOut = leftOutOf(found, old, now);
  for (const { key, reason } of leftOut) context.terminal.log(message`The app “${key}” was not compared: ${reason}.`);
  return leftOut.length > 0 ? 2 : 0;
}

import { message } from '../../../core/text/message.ts';
import { diffRegistries } from '../../../core/registry/diff.ts';
import { diffAsMarkdown, diffAsText, diffHeadline } from '../../../report/diff.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { printResult } from '../../io/results.ts';
import { registryState } from '../../../workspace/registry-state.ts';
import { stateOptions } from '../../stored-state.ts';
import type { VerifyOptions } from '../../check/verify-options.ts';

/**
 * `appreg diff <before> [after]`: what would change for subscribers between two states of a registry. The exit code is
 * 0 for any difference; forbidden changes are reported by lint and verify (`--against`).
 */
export async function runDiff(
  context: Context,
  before: string,
  after: string | undefined,
  options: GlobalOptions & VerifyOptions,
): Promise<number> {
  const state = stateOptions(context, options);
  const found = diffRegistries(await registryState(before, state), await registryState(after ?? '.', state));
  printResult<'diff'>(context, {
    pretty: (style) => diffAsText(found, style),
    json: () => found,
    markdown: () => diffAsMarkdown(found),
    summary: () => message`${diffHeadline(found)}`,
  });
  return 0;
}

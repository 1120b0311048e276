import { diffRegistries } from '../../../core/registry/diff.ts';
import { printable } from '../../../core/text/text.ts';
import { AppregError } from '../../../core/errors.ts';
import { diffAsJson, diffAsMarkdown, diffAsText } from '../../../report/diff.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { registryState } from '../../registry-state.ts';
import type { VerifyOptions } from '../../check/verify-options.ts';

const FORMATS = ['pretty', 'json', 'markdown'];

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
  const format = options.format ?? 'pretty';
  if (!FORMATS.includes(format))
    throw new AppregError(
      'format-unknown',
      `diff has no format “${printable(format)}”.`,
      `Use one of: ${FORMATS.join(', ')}`,
    );
  const found = diffRegistries(
    await registryState(context, before, options),
    await registryState(context, after ?? '.', options),
  );
  const { terminal } = context;
  if (format === 'json') terminal.out(diffAsJson(found));
  else terminal.out(format === 'markdown' ? diffAsMarkdown(found) : diffAsText(found, terminal.style));
  return 0;
}

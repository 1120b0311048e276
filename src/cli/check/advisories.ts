import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { counted } from '../../core/text/text.ts';
import type { AdvisoryFolder } from '../../observe/advisories/advisory-folder.ts';
import type { Context } from '../context.ts';

/**
 * The folder of --advisories; null if the option is not given. It is read when the first package is looked up.
 * @throws AppregError `advisories-unusable` (exit 2) if it is not a folder
 */
export async function advisoriesAt(
  { cwd, terminal }: Context,
  { advisories }: { advisories?: string },
): Promise<AdvisoryFolder | null> {
  if (advisories === undefined) return null;
  const { openAdvisories } = await import('../../observe/advisories/advisory-folder.ts');
  return openAdvisories(resolve(cwd, advisories), advisories, {
    onStart: () => terminal.detail(message`Reading the advisories in ${advisories}`),
    onBroken(examples, count) {
      const more = count > examples.length ? ` and ${counted(count - examples.length, 'more file')}` : '';
      terminal.log(
        message`warning: ${advisories} has ${counted(count, 'file')} that cannot be used as advisories: ${examples.join(', ')}${more}`,
      );
    },
  });
}

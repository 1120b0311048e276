import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors.ts';
import { changedFiles, uncommittedOf } from '../../release/uncommitted.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import { describeUncommitted, warnUnknown } from '../remarks.ts';
import type { EvaluatedApp } from './evaluate.ts';
import { brokenBy } from './publish-evaluated.ts';

/** A new version whose sources are not committed in git makes its app broken: it could not be built again. */
export function refuseUncommitted(
  context: Context,
  { root, file }: LoadedConfig,
  evaluated: readonly EvaluatedApp[],
): EvaluatedApp[] {
  if (!evaluated.some(({ result }) => result.state === 'new')) return [...evaluated];
  const tree = changedFiles(root, (reason) => warnUnknown(context, reason));
  if (tree === null) return [...evaluated];
  return evaluated.map((one) => {
    if (one.result.state !== 'new') return one;
    const files = uncommittedOf(tree, [...one.sources, ...(file === null ? [] : [file])]);
    return files.length === 0 ? one : brokenBy(one, uncommitted(files));
  });
}

function uncommitted(files: readonly string[]): AppregError {
  return new AppregError(
    'sources-uncommitted',
    message`${describeUncommitted(files)}, so the version could not be built again from the repository.`,
    message`Commit ${files.length === 1 ? 'it' : 'them'}, or use --allow-dirty.`,
    { effect: 'none' },
  );
}

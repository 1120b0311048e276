import { message } from '../../../core/text/message.ts';
import { LOCK_FILE, recorded } from '../../../core/registry/lock-file.ts';
import { type DocumentFacts, isMissing } from '../../../core/facts/facts.ts';
import { listedVersionsIn } from '../../../core/registry/metadata.ts';
import { counted } from '../../../core/text/text.ts';
import type { ChangedVersion } from '../../../core/registry/lock-file.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { printResult } from '../../io/results.ts';
import { describeChange, changeLock } from '../../lock.ts';
import { registryState } from '../../registry-state.ts';
import type { VerifyOptions } from '../../check/verify-options.ts';
import { reasonText } from '../../../core/rules/lookup.ts';

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
  const seen = await registryState(context, where ?? '.', { web: options });
  let result: { added: number; changed: ChangedVersion[] } = { added: 0, changed: [] };
  let versions = 0;
  await changeLock(root, (before) => {
    const found = recorded(before, seen);
    result = found;
    versions = [...found.lock.values()].reduce((sum, known) => sum + known.size, 0);
    return found.lock;
  });
  const { added, changed } = result;
  const notRecorded: { app: string; reason: string }[] = [];
  let isIncomplete = false;
  for (const { key, metadata } of seen.apps) {
    const reason = whyNotRecorded(metadata.content);
    if (reason === null) continue;
    notRecorded.push({ app: key, reason });
    terminal.log(message`Not recorded: the versions of ${key} (${reason})`);
    if (!isElsewhere(metadata)) isIncomplete = true;
  }
  for (const { app, version, before, after } of changed)
    terminal.error(describeChange(app, version, before, after), CHANGED_ADVICE);
  printResult<'lock'>(context, {
    pretty: () =>
      `${LOCK_FILE}: ${counted(versions, 'version')}, ${added} new${changed.length > 0 ? `, ${counted(changed.length, 'error')}` : ''}`,
    json: () => ({ file: LOCK_FILE, versions, added, changed, notRecorded }),
  });
  if (changed.length > 0 || isIncomplete) return 1;
  terminal.next(message`commit ${LOCK_FILE}; from now on, appreg lint compares the files with it`);
  return 0;
}

const CHANGED_ADVICE = message`List the first artifact again, and publish the changed one as a new version.`;

/** Why the versions of a metadata file cannot be recorded; null if they can. */
function whyNotRecorded(content: DocumentFacts['content']): string | null {
  if (isMissing(content)) return reasonText(content.missing);
  return listedVersionsIn(content) === null ? 'its metadata file has no list of versions' : null;
}

/** True for a metadata file at another place than the files of this registry: only a check of the live registry reads it. */
function isElsewhere({ file, content }: DocumentFacts): boolean {
  return file === null && isMissing(content) && ['not-in-workspace', 'not-in-source'].includes(content.missing.code);
}

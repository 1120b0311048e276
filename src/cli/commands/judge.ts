import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { judgeWhole, optionsOf, startJudging } from '../../core/engine/judge.ts';
import { registryAt } from '../../core/findings/fingerprint.ts';
import { printable } from '../../core/text/text.ts';
import { joinShards, type NamedSnapshot } from '../../core/engine/shards.ts';
import { settings } from '../check/settings.ts';
import { checked } from '../check/checked.ts';
import { savedComparison } from '../check/comparison.ts';
import { useEach, whyIncomplete } from '../check/inputs.ts';
import { logEndedExceptions, printReport, suggestExplanation } from '../check/report.ts';
import type { OptionValues } from '../define/command.ts';
import type { Context } from '../config/context.ts';
import { readSnapshot } from '../../observe/baseline/saved-facts.ts';
import { quotedPath } from '../io/shown-path.ts';
import type { judgeCommand } from '../define/judge.ts';

/**
 * `appreg judge <facts.json...>`: judges saved facts again, with the same result as the run that saved them; the facts
 * of several shards are merged into one run.
 */
export async function runJudge(
  context: Context,
  files: readonly string[],
  options: OptionValues<typeof judgeCommand.options> = {},
): Promise<number> {
  return checked(context, 'judge', files.join(' '), async () => {
    const { used: parts, failed } = await useEach(files, async (file): Promise<NamedSnapshot> => {
      return { file, snapshot: await readSnapshot(resolve(context.cwd, file)) };
    });
    for (const { message, hint } of failed) context.terminal.error(message, hint);
    const joined = joinShards(parts);
    const reasons = [joined.incomplete, whyIncomplete(failed)].filter((reason) => reason);
    const whole = failed.length === 0 ? joined : { ...joined, incomplete: reasons.join('; ') };
    const registries = [registryAt(whole.target).identity];
    const { severities, exceptions, known } = await settings(context, { ...options, registries });
    const { facts, baseline } = await savedComparison(context, whole, options.against);
    const settled = { ...optionsOf(facts), severities, exceptions, known, baseline };
    const judging = startJudging({ ...settled, command: 'judge' });
    const report = judgeWhole(facts, judging, 0);
    const code = printReport(context, report, { severities, attested: judging.attested() });
    logEndedExceptions(context.terminal, report, exceptions, facts.seenAt);
    // A bundle of `diagnose --bundle` records the requested target.
    const [only] = parts;
    if (only && parts.length === 1 && only.snapshot.requested !== undefined)
      context.terminal.next(
        message`appreg diagnose ${quotedPath(printable(only.file))} explains the problems by symptom, and says who has to act`,
      );
    else suggestExplanation(context, code, report);
    return code;
  });
}

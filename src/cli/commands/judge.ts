import { resolve } from 'node:path';
import { judge as judgeFacts } from '../../core/judge.ts';
import { checked, printReport, severitiesOf } from '../checks.ts';
import type { Context } from '../context.ts';
import { readSnapshot } from '../snapshot-file.ts';

/** `appreg judge <facts.json>`: judges saved facts again, with the same answer as the run that saved them. */
export async function judge(context: Context, file: string): Promise<number> {
  return checked(context, 'judge', file, async () => {
    const { config } = await context.config();
    const snapshot = await readSnapshot(resolve(context.cwd, file));
    const report = judgeFacts(snapshot, { command: 'judge', severities: severitiesOf(context, config) });
    return printReport(context, report, context.options.maxWarnings ?? null);
  });
}

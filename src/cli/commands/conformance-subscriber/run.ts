import { AppregError } from '../../../core/errors.ts';
import { message } from '../../../core/text/message.ts';
import { commandWords } from '../../../conformance/command.ts';
import { runSubscriberCases } from '../../../conformance/subscriber/run.ts';
import type { OptionValues } from '../../command-definition.ts';
import { runConformance } from '../../conformance/results.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import type { conformanceSubscriberCommand } from './options.ts';

type Options = GlobalOptions & OptionValues<typeof conformanceSubscriberCommand.options>;

/** `appreg conformance subscriber`: tests a subscriber against scripted hosts. */
export async function runConformanceSubscriber(context: Context, options: Options): Promise<number> {
  if (options.command === undefined)
    throw new AppregError(
      'option-missing',
      message`The subscriber to test is missing.`,
      message`Name it with --command, such as --command "./subscriber.sh".`,
    );
  const command = commandWords(options.command);
  return runConformance(context, 'subscriber', options, async ({ selected }) =>
    runSubscriberCases(selected, { command, cwd: context.cwd }),
  );
}

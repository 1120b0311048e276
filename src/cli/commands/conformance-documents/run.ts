import { commandWords } from '../../../conformance/command.ts';
import { coreValidator } from '../../../conformance/documents/core-validator.ts';
import { runDocumentCases } from '../../../conformance/documents/run.ts';
import { commandValidator } from '../../../conformance/documents/validator.ts';
import type { OptionValues } from '../../command-definition.ts';
import { runConformance } from '../../conformance/results.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import type { conformanceDocumentsCommand } from './options.ts';

type Options = GlobalOptions & OptionValues<typeof conformanceDocumentsCommand.options>;

/** `appreg conformance documents`: tests a validator, or that of appreg itself. */
export async function runConformanceDocuments(context: Context, options: Options): Promise<number> {
  const { command } = options;
  const validator =
    command === undefined ? coreValidator : commandValidator(commandWords(command), context.cwd, context.env);
  return runConformance(context, 'documents', options, async ({ selected, set }) =>
    runDocumentCases(selected, set, validator),
  );
}

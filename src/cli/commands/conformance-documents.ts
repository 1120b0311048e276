import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { commandWords } from 'appreg-conformance';
import { coreValidator, documentOf, runDocumentCases } from 'appreg-conformance';
import { batchValidator, commandValidator, type GivenDocument, type Validator } from 'appreg-conformance';
import { runConformance } from './conformance-results.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import type { conformanceDocumentsCommand } from '../define/conformance-documents.ts';

type Options = OptionsOf<typeof conformanceDocumentsCommand>;

/** `appreg conformance documents`: tests a validator, or that of appreg itself. */
export async function runConformanceDocuments(context: Context, options: Options): Promise<number> {
  const words = options.command === undefined ? null : commandWords(options.command);
  if (words === null && options.batch === true)
    throw new AppregError(
      'option-conflict',
      message`--batch can only be used with --command.`,
      message`Name the validator with --command.`,
    );
  return runConformance(context, 'documents', options, async ({ selected, set }) => {
    const validator = await validatorFor(
      words,
      selected.map((one) => documentOf(one, set)),
      options,
      context,
    );
    return runDocumentCases(selected, set, validator);
  });
}

async function validatorFor(
  words: readonly string[] | null,
  documents: readonly GivenDocument[],
  { batch }: Options,
  { cwd, env }: Context,
): Promise<Validator> {
  if (words === null) return coreValidator;
  return batch === true ? batchValidator(words, documents, { cwd, env }) : commandValidator(words, cwd, env);
}

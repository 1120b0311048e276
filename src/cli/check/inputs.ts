import { AppregError, isAppregError } from '../../core/errors/error.ts';
import { joined } from '../../core/text/message.ts';
import { withoutSystemError } from '../io/failed-run.ts';

/** Several inputs of one check: those that cannot be used are named together, and the others are judged. */

/** Results of `use` for the inputs that can be used, and the errors of the others. */
interface UsedInputs<T> {
  used: T[];
  failed: AppregError[];
}

/**
 * Uses each input.
 * @throws AppregError if none can be used: the only error, or `inputs-unusable`, which names them all. Errors that are
 *   not expected are rethrown at once.
 */
export async function useEach<Input, T>(
  inputs: readonly Input[],
  use: (input: Input) => Promise<T>,
): Promise<UsedInputs<T>> {
  const used: T[] = [];
  const failed: AppregError[] = [];
  for (const input of inputs) {
    try {
      used.push(await use(input));
    } catch (thrown) {
      const error = withoutSystemError(thrown);
      if (!isAppregError(error) || error.exit !== 2) throw error;
      failed.push(error);
    }
  }
  if (used.length === 0 && failed.length > 0) throw unusable(failed);
  return { used, failed };
}

/** One error about all inputs that cannot be used. */
export function unusable(errors: readonly AppregError[]): AppregError {
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return first;
  const lines = joined(
    errors.map((error) => error.message),
    '\n  ',
  );
  return new AppregError('inputs-unusable', lines, joined([...new Set(errors.map(({ hint }) => hint))], '\n  '));
}

/** The reason why a run without these inputs is incomplete; null if none was left out. */
export function whyIncomplete(errors: readonly AppregError[]): string | null {
  return errors.length === 0 ? null : errors.map(({ message }) => message).join(' ');
}

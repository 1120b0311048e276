import { printable, shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import type { Terminal } from './terminal.ts';

/** An input of a command: given by a flag, or prompted for at a terminal. */
export interface Question {
  /** Its flag, such as `--name`. */
  flag: string;
  message: string;
  /** The default at a terminal, shown in brackets. */
  initial?: string;
  /** Shown while the input is empty. */
  placeholder?: string;
  /** The error in an answer, as a sentence, or null. */
  fault(answer: string): string | null;
}

/**
 * An answer for each question, in order; null if the user cancelled (Ctrl+C).
 * @param given the values of the flags, in the order of the questions
 * @throws AppregError (exit 2) for an invalid flag, and for missing flags if prompting is not possible
 */
export async function answersTo(
  terminal: Terminal,
  questions: readonly Question[],
  given: readonly (string | undefined)[],
): Promise<string[] | null> {
  for (const [index, { flag, fault }] of questions.entries()) {
    const value = given[index];
    const wrong = value === undefined ? null : fault(value);
    if (wrong !== null)
      throw new AppregError(
        'option-invalid',
        `${flag} “${printable(shorten(value!, 80))}”: ${wrong}`,
        'appreg <command> --help tells what each option takes.',
      );
  }
  const missing = questions.filter((_, index) => given[index] === undefined);
  if (missing.length > 0 && !terminal.interactive) {
    const flags = missing.map(({ flag }) => flag);
    throw new AppregError(
      'option-missing',
      `${flags.join(', ')} ${flags.length === 1 ? 'is' : 'are'} missing.`,
      `Add ${flags.map((flag) => `${flag} <…>`).join(' ')}; at a terminal, without --yes, appreg asks for it.`,
    );
  }
  const answers: string[] = [];
  for (const [index, question] of questions.entries()) {
    const answer = given[index] ?? (await ask(terminal, question));
    if (answer === null) return null;
    answers.push(answer);
  }
  return answers;
}

/** Loaded only to prompt. Prompts go to stderr, so that stdout contains results only. */
export async function ask(
  terminal: Terminal,
  { message, initial, placeholder, fault }: Omit<Question, 'flag'>,
): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts');
  // Some pseudo-terminals report no size: prompts would put each letter on its own line, or show nothing.
  const output = terminal.dialog?.output as { columns?: number; rows?: number } | undefined;
  if (output?.columns === 0) output.columns = 80;
  if (output?.rows === 0) output.rows = 24;
  const answer = await text({
    message: initial === undefined ? message : `${message} [${initial}]`,
    ...(initial !== undefined && { defaultValue: initial }),
    ...(placeholder !== undefined && { placeholder }),
    validate: (value) => fault(value ? value : (initial ?? '')) ?? undefined,
    ...terminal.dialog,
  });
  return isCancel(answer) ? null : (answer ?? '');
}

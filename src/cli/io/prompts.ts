import { printable, shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import type { Terminal } from './terminal.ts';

/** What a command needs to know. Given by a flag, or asked for at a terminal. */
export interface Question {
  /** The flag that answers it, like `--name`. */
  flag: string;
  message: string;
  /** The answer where nothing is typed, at a terminal; shown in brackets. */
  initial?: string;
  /** Shown while nothing is typed. */
  placeholder?: string;
  /** What is wrong with an answer, as a sentence, or null. */
  fault(answer: string): string | null;
}

/**
 * An answer for each question, in their order; null when the user gave up (Ctrl+C).
 * @param given what the flags say, in the order of the questions
 * @throws Trouble (exit 2) for a flag with a faulty value, and for missing flags where nobody can be asked
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

/** Loaded only when something is asked. Questions go to stderr, so that results stay clean. */
export async function ask(
  terminal: Terminal,
  { message, initial, placeholder, fault }: Omit<Question, 'flag'>,
): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts');
  // Some pseudo-terminals have no size: every letter would get a line of its own, or nothing would be shown at all.
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

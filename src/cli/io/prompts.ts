import { message } from '../../core/text/message.ts';
import { printable, safeExcerpt, shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { entriesOf, recordLike } from '../../core/values/record.ts';
import { flagOf, type ListOption, type PromptText, type TextOption } from '../define/command.ts';
import type { Invocation } from './invocation.ts';
import type { Terminal } from './terminal.ts';
import { checkValue } from '../define/value-checks.ts';

export interface Prompt extends PromptText {
  /** Returns the fault of an answer, as a sentence, or null. */
  validate(answer: string): string | null;
}

/** An option that a command needs, with the value that was given for it. */
export interface Input {
  option: TextOption;
  given: string | undefined;
  /** The default at a terminal, if it depends on other values. */
  initial?: string;
}

/**
 * The value of each input: as given, or prompted for in order; null if the user cancelled (Ctrl+C).
 * @throws AppregError (exit 2) for an invalid value, and for missing ones if prompting is not possible
 */
export async function resolveInputs<Inputs extends Readonly<Record<string, Input>>>(
  context: Invocation,
  inputs: Inputs,
): Promise<{ [Name in keyof Inputs]: string } | null> {
  const { terminal, cwd } = context;
  const all = Object.values(inputs);
  for (const { option, given } of all) if (given !== undefined) requireValid(option, given, context);
  const missing = all.filter(({ given }) => given === undefined).map(({ option }) => flagOf(option));
  if (missing.length > 0 && !terminal.interactive)
    throw new AppregError(
      'option-missing',
      message`Missing option${missing.length === 1 ? '' : 's'}: ${missing.join(', ')}.`,
      message`Add ${missing.map((flag) => `${flag} <…>`).join(' ')}, or run the command at a terminal without --yes to be prompted.`,
    );
  const values: [Extract<keyof Inputs, string>, string][] = [];
  for (const [name, { option, given, initial }] of entriesOf(inputs)) {
    const value = given ?? (await prompt(terminal, promptFor(option, initial, cwd)));
    if (value === null) return null;
    values.push([name, value]);
  }
  return recordLike<Inputs, string>(values);
}

/** Throws AppregError (exit 2) if the value of an option is invalid. */
export function requireValid(option: TextOption | ListOption, text: string, { cwd, command }: Invocation): void {
  const problem = checkValue(option.value, text, cwd);
  if (problem === null) return;
  throw new AppregError(
    'option-invalid',
    message`Invalid ${flagOf(option)} “${safeExcerpt(text, 80)}”. ${problem}`,
    message`appreg ${command.name} --help describes the options.`,
  );
}

function promptFor(option: TextOption, initial: string | undefined, cwd: string): Prompt {
  return {
    message: `${flagOf(option)}?`,
    ...option.prompt,
    ...(initial !== undefined && { initial }),
    validate: (answer) => checkValue(option.value, answer, cwd),
  };
}

/** Loaded only to prompt. Prompts go to stderr, so that stdout contains results only. Null if the user cancelled. */
export async function prompt(
  terminal: Terminal,
  { message, initial, placeholder, validate }: Prompt,
): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts');
  repairSize(terminal);
  // A default may be a text of the registry. The prompt shows it again once it is accepted.
  const shown = initial === undefined ? undefined : printable(shorten(initial, 200));
  const answer = await text({
    message: shown === undefined ? message : `${message} [${shown}]`,
    ...(shown !== undefined && shown === initial && { defaultValue: initial }),
    ...(placeholder !== undefined && { placeholder }),
    validate: (value) => validate(value ? value : (initial ?? '')) ?? undefined,
    ...terminal.dialog,
  });
  if (isCancel(answer)) return null;
  return answer ? answer : (initial ?? '');
}

/** Asks for a confirmation, on stderr; false for no, and if the user cancelled. */
export async function confirmed(terminal: Terminal, message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  repairSize(terminal);
  return (await confirm({ message, initialValue: false, ...terminal.dialog })) === true;
}

/** Some pseudo-terminals report no size: prompts would put each letter on its own line, or show nothing. */
function repairSize({ dialog }: Terminal): void {
  const output = dialog?.output;
  if (output === undefined || !('columns' in output && 'rows' in output)) return;
  if (output.columns === 0) output.columns = 80;
  if (output.rows === 0) output.rows = 24;
}

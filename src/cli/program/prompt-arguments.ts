import type { ArgumentDefinition } from '../define/command.ts';
import { COMMANDS } from '../commands/index.ts';
import type { Context } from '../config/context.ts';
import { prompt } from '../io/prompts.ts';
import { checkValue } from '../define/value-checks.ts';

/**
 * Prompts at a terminal for arguments that are missing on the command line.
 * @param command as `add-app` or `service backup`
 * @param count how many of its required arguments are missing: the last ones
 * @returns the answers in order; null if the user cancelled
 */
export async function promptForArguments(
  { cwd, terminal }: Context,
  command: string,
  count: number,
): Promise<string[] | null> {
  const required = requiredArguments(command);
  const answers: string[] = [];
  for (const { usage, value, prompt: text } of required.slice(required.length - count)) {
    const answer = await prompt(terminal, {
      ...(text ?? { message: `${usage}?` }),
      validate: (given) => checkValue(value, given, cwd),
    });
    if (answer === null) return null;
    answers.push(answer);
  }
  return answers;
}

function requiredArguments(command: string): ArgumentDefinition[] {
  const definition = COMMANDS.find(({ definition: { name } }) => name === command)?.definition;
  return definition?.arguments.filter(({ usage }) => usage.startsWith('<')) ?? [];
}

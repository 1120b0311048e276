import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAppregError } from '../core/errors.ts';
import { checkNewKey } from '../publish/add-app.ts';
import { checkVersion } from '../publish/choose-version.ts';
import { SHELLS } from './choices.ts';
import type { Context } from './context.ts';
import { isUrl } from './fetch.ts';
import { ask, type Question } from './io/prompts.ts';
import { emptyFault, oneOf } from './io/questions.ts';

/** Prompts for arguments that are missing on the command line. */

type ArgumentQuestion = Omit<Question, 'flag'>;

/**
 * Prompts for arguments at a terminal.
 * @param command as `add-app`
 * @param names as in the usage of the command, without brackets
 * @returns the answers in order; null if the user cancelled
 */
export async function askedArguments(
  context: Context,
  command: string,
  names: readonly string[],
): Promise<string[] | null> {
  const answers: string[] = [];
  for (const name of names) {
    const answer = await ask(context.terminal, questionFor(context, command, name));
    if (answer === null) return null;
    answers.push(answer);
  }
  return answers;
}

function questionFor(context: Context, command: string, name: string): ArgumentQuestion {
  const question = questionsIn(context)[`${command} ${name}`] ?? questionsIn(context)[name];
  return question ?? { message: `${name}?`, fault: emptyFault };
}

function questionsIn({ cwd }: Context): Record<string, ArgumentQuestion> {
  const fileFault = (text: string): string | null =>
    text !== '' && existsSync(resolve(cwd, text)) ? null : 'there is no such file or folder.';
  const fileOrUrlFault = (text: string): string | null => (isUrl(text) ? null : fileFault(text));
  return {
    key: {
      message: 'Which key does the app get? (letters, digits, - and _)',
      fault: faultOf((text) => checkNewKey(text)),
    },
    app: { message: 'Which app?', fault: emptyFault },
    version: {
      message: 'Which version? (a number such as 1.2.0, or major, minor or patch)',
      fault: faultOf((text) => checkVersion(text, true)),
    },
    entry: { message: 'Which entry point is built? (a folder is packed as it is)', fault: fileFault },
    output: {
      message: 'Into which file?',
      initial: 'app.tar.gz',
      fault: (text) => (text.endsWith('.tar.gz') ? null : 'its name must end in .tar.gz.'),
    },
    'registry-url': {
      message: 'At which URL is the manifest of the registry?',
      placeholder: 'https://apps.example.com/registry.json',
      fault: emptyFault,
    },
    'url|facts.json': { message: 'Which registry? (its URL, or a file of saved facts)', fault: fileOrUrlFault },
    'facts.json': { message: 'Which file of saved facts?', fault: fileFault },
    'file|url': { message: 'Which file or URL?', fault: fileOrUrlFault },
    dir: { message: 'Into which folder?', fault: emptyFault },
    before: { message: 'Which state is compared? (a folder, a git ref, a file or a URL)', fault: emptyFault },
    shell: { message: `Which shell? (${SHELLS.join(', ')})`, fault: oneOf(SHELLS) },
  };
}

/** The message of the error that `check` throws, or null. */
function faultOf(check: (text: string) => void): (text: string) => string | null {
  return (text) => {
    try {
      check(text);
      return null;
    } catch (error) {
      if (!isAppregError(error)) throw error;
      return `${error.message} ${error.hint}`;
    }
  };
}

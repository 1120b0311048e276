import { expect, test, vi } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';

/** What a command line with a word too many says. */

vi.mock(import('../../src/cli/io/streams.ts'), async (original) => ({ ...(await original()), toStderr: () => {} }));

async function messageOf(words: readonly string[]): Promise<string> {
  const parsing = buildProgram(async () => {}, words).parseAsync(words, { from: 'user' });
  const error: unknown = await parsing.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error ? error.message : 'no error';
}

const COMMANDS = 'The commands are: service, service backup, service restore';

test.each([
  ['service bakup', `error: unknown command 'service bakup'. Did you mean backup? ${COMMANDS}`],
  ['service Restore a.bak', `error: unknown command 'service Restore'. Did you mean restore? ${COMMANDS}`],
  ['service start', `error: unknown command 'service start'. ${COMMANDS}`],
  ['service --port 1 \u001b[2J', `error: unknown command 'service \\u{1b}[2J'. ${COMMANDS}`],
  ['service backup a b', "error: too many arguments for 'service backup'. Expected 1 argument but got 2."],
  ['rules all', "error: too many arguments for 'rules'. Expected 0 arguments but got 1."],
])('%s', async (line, message) => {
  expect(await messageOf(line.split(' '))).toBe(message);
});

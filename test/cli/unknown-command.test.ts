import { expect, test, vi } from 'vitest';
import { parse } from '../../src/cli/program/program.ts';

/** What a command line with a word too many, or with an empty one, says. */

vi.mock(import('../../src/cli/io/streams.ts'), async (original) => ({ ...(await original()), toStderr: () => {} }));

function messageOf(words: readonly string[]): string {
  const parsed = parse(words);
  return parsed !== null && 'error' in parsed && parsed.error instanceof Error ? parsed.error.message : 'no error';
}

const COMMANDS = 'The commands are: service, service backup, service restore.';

test.each([
  ['service bakup', `Unknown command “service bakup”. Did you mean service backup? ${COMMANDS}`],
  ['service Restore a.bak', `Unknown command “service Restore”. Did you mean service restore? ${COMMANDS}`],
  ['service start', `Unknown command “service start”. ${COMMANDS}`],
  ['service --port 1 \u001b[2J', `Unknown command “service \\u{1b}[2J”. ${COMMANDS}`],
  ['service backup a b', 'Too many arguments: service backup takes 1 argument, not 2.'],
  ['rules all', 'Too many arguments: rules takes 0 arguments, not 1.'],
])('%s', (line, message) => {
  expect(messageOf(line.split(' '))).toBe(message);
});

test.each([
  [['lint', ''], 'The argument [path...] is empty.'],
  [['lint', 'a', ' '], 'The argument [path...] is empty.'],
  [['diff', '', '.'], 'The argument <before> is empty.'],
  [['diff', '.', ''], 'The argument [after] is empty.'],
  [['site', ''], 'The argument <dir> is empty.'],
  [['lock', ''], 'The argument [where] is empty.'],
  [['policy', 'test', 'policy.json', ''], 'The argument <where> is empty.'],
  [['site', 'site', '--from='], '--from is empty.'],
  [['--cwd', '', 'lint'], '--cwd is empty.'],
  [['--config', '', 'lint'], '--config is empty.'],
  [['lint', '--baseline', ''], '--baseline is empty.'],
  [['lint', '--output', ' '], '--output is empty.'],
  [['verify', ''], 'The argument <registry-url> is empty.'],
  [['verify', 'https://x.test/r.json', '--against', ''], '--against is empty.'],
  [['verify', 'https://x.test/r.json', '--save='], '--save is empty.'],
  [['verify', 'https://x.test/r.json', '--ca', ''], '--ca is empty.'],
  [['diagnose', ''], 'The argument <url|facts.json> is empty.'],
  [['checksum', 'a.tar.gz', ''], 'The argument <file|url...> is empty.'],
  [['bundle', 'main.ts', ''], 'The argument <output> is empty.'],
  [['bundle', 'main.ts', 'a.tar.gz', '--ui', ''], '--ui is empty.'],
  [['publish-version', 'a', '1.0.0', '--entry', ''], '--entry is empty.'],
  [['subscribe', 'https://x.test/r.json', '--service', '', '--name', 'x'], '--service is empty.'],
  [['mirror', 'https://x.test/r.json', 'm', '--base-url', ''], '--base-url is empty.'],
])('%j would mean the current folder', (words, message) => {
  expect(messageOf(words)).toBe(message);
});

test('arguments that name nothing on disk may be empty', () => {
  expect(messageOf(['edit-app', 'clock', '--name', ''])).toBe('no error');
  expect(messageOf(['lint'])).toBe('no error');
  expect(messageOf(['diff', '.'])).toBe('no error');
});

test.each(['0', '0.5', '1.5', '257', '1e3'])(
  '--concurrency %s is refused as the setting verify.concurrency is',
  (value) => {
    for (const command of ['verify', 'mirror', 'diagnose'])
      expect(messageOf([command, 'https://apps.example.com/registry.json', '--concurrency', value])).toBe(
        `Invalid --concurrency “${value}”. Expected a whole number from 1 to 256.`,
      );
  },
);

test.each([
  ['a\0b', 'The command line contains a NUL character: “'],
  ['a\ud800', 'The command line contains half of a surrogate pair: “'],
])('%j is refused before any command', (value, message) => {
  expect(messageOf(['lint', value])).toContain(message);
  expect(messageOf(['publish-version', 'a', '1.0.0', `--notes=${value}`])).toContain(message);
});

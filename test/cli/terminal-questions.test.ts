import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';
import { canType } from '../support/keyboard.ts';
import { openSharedProcess } from '../support/shared-process.ts';

/** Questions at a real terminal (a pseudo-terminal by `script`), and none without one. */

const scratch = mkdtempSync(join(tmpdir(), 'appreg-terminal-'));
// Beside node_modules, where esbuild is.
const cache = join(import.meta.dirname, '../../.cache');
mkdirSync(cache, { recursive: true });
const built = mkdtempSync(join(cache, 'terminal-'));
const program = join(built, 'dist/node/main.cjs');
const START = `require(${JSON.stringify(program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

beforeAll(async () => {
  await buildInto(built);
}, 120_000);
const shared = openSharedProcess(program);
afterAll(() => {
  shared.close();
  for (const folder of [scratch, built]) rmSync(folder, { recursive: true, force: true });
});

let root = '';
let count = 0;
beforeEach(() => {
  root = join(scratch, `workspace-${++count}`);
  mkdirSync(root);
  writeFileSync(join(root, 'i.svg'), SVG);
  writeFileSync(join(root, 'main.mjs'), 'export default 1;\n');
});

interface Ran {
  code: number | null;
  shown: string;
}

const ENV = { PATH: process.env['PATH'], TERM: 'xterm', APPREG_CACHE_DIR: '' };

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Runs at a terminal. @param answers [part of a question, keys] in the order of the questions */
async function atTerminal(args: readonly string[], answers: readonly (readonly [string, string])[]): Promise<Ran> {
  const command = [process.execPath, '-e', START, 'appreg', ...args].map(quoted).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: root, env: ENV });
  let screen = '';
  let from = 0;
  let next = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    screen += String(chunk);
    const [question, keys] = answers[next] ?? [];
    if (question === undefined || !stripVTControlCharacters(screen.slice(from)).includes(question)) return;
    from = screen.length;
    next += 1;
    // The prompt listens from its next turn on.
    setTimeout(() => child.stdin.write(keys!), 300);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  clearTimeout(timer);
  return { code, shown: stripVTControlCharacters(screen) };
}

function withoutTerminal(...args: string[]): Ran {
  const done = spawnSync(process.execPath, ['-e', START, 'appreg', ...args], { cwd: root, env: ENV, encoding: 'utf8' });
  return { code: done.status, shown: `${done.stdout}${done.stderr}` };
}

async function prepare(...args: string[]): Promise<void> {
  expect(await shared.run(args, { cwd: root, env: ENV })).toMatchObject({ code: 0 });
}

async function workspace(...keys: string[]): Promise<void> {
  await prepare('init', '--base-url', 'https://apps.example.com/');
  for (const key of keys)
    await prepare('add-app', key, '--name', key, '--description', 'An app.', '--icon', 'i.svg', '--color', '#112233');
}

const entryOf = (key: string): unknown =>
  (JSON.parse(readFileSync(join(root, 'registry.json'), 'utf8')) as { apps: Record<string, unknown> }).apps[key];
const ENTER = '\r';

describe.skipIf(!canType('bash'))('a prompt at a terminal', () => {
  test('shows the default in brackets, accepts it by Enter, and replaces it by typed text', async () => {
    await workspace();
    const { code, shown } = await atTerminal(
      ['add-app'],
      [
        ['Key of the app', `my-clock${ENTER}`],
        ['Display name? [My Clock]', `Timer${ENTER}`],
        ['What does it do', `It counts.${ENTER}`],
        ['[#3b5bdb]', ENTER],
        ['Icon:', `i.svg${ENTER}`],
      ],
    );
    expect(shown).toContain('added my-clock');
    expect(code).toBe(0);
    expect(entryOf('my-clock')).toMatchObject({ name: 'Timer', blockStyle: { color: '#3b5bdb' } });
  }, 90_000);

  test('reports an invalid answer, and asks again', async () => {
    await workspace();
    const { code, shown } = await atTerminal(
      ['add-app', '--name', 'A', '--description', 'An app.', '--icon', 'i.svg'],
      [
        ['Key of the app', `a b${ENTER}`],
        ['is not a valid app key', `\x15ab${ENTER}`],
        ['[#3b5bdb]', `red${ENTER}`],
        ['six hexadecimal digits', `\x15#445566${ENTER}`],
      ],
    );
    expect(shown).toContain('added ab');
    expect(code).toBe(0);
    expect(entryOf('ab')).toMatchObject({ name: 'A', blockStyle: { color: '#445566' } });
  }, 90_000);

  test('of publish-version asks for the app, the version and the source', async () => {
    await workspace('clock');
    const { code, shown } = await atTerminal(
      ['publish-version', '--no-read-back'],
      [
        ['Which app?', `clock${ENTER}`],
        ['Which version?', `1.0.0${ENTER}`],
        ['What is published?', `main.mjs${ENTER}`],
      ],
    );
    expect(shown).toContain('published clock 1.0.0');
    expect(code).toBe(0);
  }, 90_000);

  test('asks only for missing values', async () => {
    await workspace('clock');
    const { code, shown } = await atTerminal(
      ['publish-version', 'clock', '--entry', 'main.mjs', '--no-read-back'],
      [['Which version?', `1.0.0${ENTER}`]],
    );
    expect(shown).not.toContain('Which app?');
    expect(shown).toContain('published clock 1.0.0');
    expect(code).toBe(0);
  }, 90_000);

  test('of bundle asks for the entry point and the output', async () => {
    const { code } = await atTerminal(
      ['bundle'],
      [
        ['Entry point to build', `main.mjs${ENTER}`],
        ['Output file? [app.tar.gz]', ENTER],
      ],
    );
    expect(code).toBe(0);
    expect(existsSync(join(root, 'app.tar.gz'))).toBe(true);
  }, 90_000);

  test('for a source does not appear if the app is misspelled', async () => {
    await workspace('clock');
    const { code, shown } = await atTerminal(['publish-version', 'clok', '1.0.0'], []);
    expect(shown).toContain('Did you mean clock?');
    expect(shown).not.toContain('What is published?');
    expect(code).toBe(2);
  }, 90_000);

  test('ends with exit code 130 on Ctrl+C, and nothing is written', async () => {
    await workspace('clock');
    const before = readFileSync(join(root, 'registry.json'), 'utf8');
    expect((await atTerminal(['add-app'], [['Key of the app', '\x03']])).code).toBe(130);
    expect((await atTerminal(['publish-version', 'clock', '1.0.0'], [['What is published?', '\x03']])).code).toBe(130);
    expect(readFileSync(join(root, 'registry.json'), 'utf8')).toBe(before);
  }, 90_000);

  test.each([
    [['add-app', '--yes'], 'Missing argument: <key>.'],
    [['publish-version', '--yes'], 'Missing arguments: <app> <version>.'],
    [['bundle', 'main.mjs', '--yes'], 'Missing argument: <output>.'],
  ])(
    'does not appear with --yes: %j',
    async (args, message) => {
      const { code, shown } = await atTerminal(args, []);
      expect(shown).toContain(message);
      expect(code).toBe(2);
    },
    90_000,
  );
});

describe('without a terminal', () => {
  test.each([
    [['add-app'], 'Missing argument: <key>.'],
    [['publish-version'], 'Missing arguments: <app> <version>.'],
    [['publish-version', 'clock'], 'Missing argument: <version>.'],
    [['publish-version', 'clock', '1.0.0'], 'one of --artifact, --entry and --artifact-url is required'],
    [['bundle'], 'Missing arguments: <entry> <output>.'],
    [['verify'], 'Missing argument: <registry-url>.'],
    [['checksum'], 'Missing argument: <file|url>.'],
    [['mirror', 'https://apps.example.com/'], 'Missing argument: <dir>.'],
    [['completion'], 'Missing argument: <shell>.'],
  ])('%j is a usage error', async (args, message) => {
    await workspace('clock');
    const { code, shown } = withoutTerminal(...args);
    expect(shown).toContain(message);
    expect(code).toBe(2);
  });

  test.each([
    [['publish-version', 'clok', '1.0.0', '--entry', 'main.mjs'], 'Did you mean clock?'],
    [['publish-version', 'Clock', '1.0.0', '--entry', 'main.mjs'], 'Did you mean clock?'],
    [['lint', '--rule', 'chekcsum-malformed=off'], 'Did you mean checksum-malformed?'],
    [['lint', '--rule', 'url-insecure=eror'], 'Did you mean error?'],
    [['lint', '--format', 'jsn'], 'Did you mean json?'],
    [['publsh-version', 'clock', '1.0.0'], 'Did you mean publish-version?'],
    [['lint', '--agianst', 'x'], 'Did you mean --against?'],
    [['completion', 'bsh'], 'Did you mean bash?'],
    [['init', 'x', '--base-url', 'https://a.example/', '--store', 'gti'], 'Did you mean git?'],
  ])('%j suggests the probable name', async (args, message) => {
    await workspace('clock', 'weather');
    const { code, shown } = withoutTerminal(...args);
    expect(shown).toContain(message);
    expect(code).toBe(2);
  });

  test('an app that is unlike any other gets no suggestion', async () => {
    await workspace('clock');
    const { shown } = withoutTerminal('publish-version', 'calendar', '1.0.0', '--entry', 'main.mjs');
    expect(shown).toContain('The app “calendar” is not listed');
    expect(shown).not.toContain('Did you mean');
  });
});

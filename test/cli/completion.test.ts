import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';
import { folder, write } from '../support/folders.ts';
import { canType, isInstalled, type Keyboard, keyboard } from '../support/keyboard.ts';

/** Tab in the shells themselves. CI has them all; elsewhere, those that are not installed are left out. */

const ci = Boolean(process.env['CI']);
const root = folder({
  'work/appreg.config.json': { baseUrl: 'https://apps.example.com/' },
  'work/registry.json': { apps: { clock: {}, 'feed-watch': {}, '$(touch pwned)': {} } },
  'work/facts.json': {},
  'work/two words.json': {},
  'work/sub/folder/x.json': {},
});
const cwd = join(root, 'work');
const env = { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env['PATH']}`, NO_COLOR: '1' };

beforeAll(async () => {
  await buildInto(root);
  const main = JSON.stringify(join(root, 'dist/node/main.cjs'));
  write(root, {
    'bin/appreg': `#!${process.execPath}\nrequire(${main}).main(process.argv).then((code) => { process.exitCode = code; });\n`,
    'bin/package.json': { type: 'commonjs' },
  });
  chmodSync(join(root, 'bin/appreg'), 0o755);
}, 60_000);

/** COMPREPLY for words as bash cuts them. */
function bashReplies(words: readonly string[], before = ''): string[] {
  const script = `${before} eval "$(appreg completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _appreg; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { cwd, env, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

/** What fish offers for each line; one fish for all of them. */
function fishReplies(lines: readonly string[]): string[][] {
  const script = 'appreg completion fish | source; for line in $argv; complete -C $line; echo --end--; end';
  return execFileSync('fish', ['--no-config', '-c', script, ...lines], { cwd, env, encoding: 'utf8' })
    .split('--end--\n')
    .slice(0, -1)
    .map((replies) => replies.trimEnd().split('\n'));
}

/** What is typed before Tab, and what the line is then, as far as it goes without a choice. */
const LINES: [string, string][] = [
  ['appreg ver', 'appreg verify '],
  ['appreg publ', 'appreg publish-version '],
  ["appreg 'ver", "appreg 'verify' "],
  ['appreg lint --max', 'appreg lint --max-warnings '],
  ['appreg lint --format=js', 'appreg lint --format=json '],
  ['appreg lint --format js', 'appreg lint --format json '],
  ['appreg init --store di', 'appreg init --store directory '],
  ['appreg init --ci gith', 'appreg init --ci github '],
  ['appreg completion fi', 'appreg completion fish '],
  ['appreg lint --rule artifact-chan', 'appreg lint --rule artifact-changed='],
  ['appreg lint --rule=artifact-changed=of', 'appreg lint --rule=artifact-changed=off '],
  ['appreg publish-version fe', 'appreg publish-version feed-watch '],
  ['appreg verify --app=cl', 'appreg verify --app=clock '],
  ['appreg verify htt', 'appreg verify https://apps.example.com/registry.json '],
  ['appreg judge fa', 'appreg judge facts.json '],
  ['appreg judge tw', String.raw`appreg judge two\ words.json `],
  ['appreg judge --config=fa', 'appreg judge --config=facts.json '],
  ['appreg lint -- fa', 'appreg lint -- facts.json '],
  ['appreg lint --cwd s', 'appreg lint --cwd sub/'],
  ['appreg lint --cwd=sub/f', 'appreg lint --cwd=sub/folder/'],
  ['appreg lint --cwd sub/folder x.js', 'appreg lint --cwd sub/folder x.js'],
];

const SETUP: Record<string, string> = {
  bash: 'eval "$(appreg completion bash)"',
  zsh: 'autoload -Uz compinit; compinit -u -D; eval "$(appreg completion zsh)"',
};

for (const shell of ['bash', 'zsh']) {
  describe.runIf(canType(shell) || ci)(`${shell} at a terminal${canType(shell) ? '' : ' (not installed)'}`, () => {
    let keys: Keyboard;
    beforeAll(async () => {
      keys = await keyboard(shell, SETUP[shell]!, { cwd, env });
    }, 30_000);
    afterAll(() => keys.close());

    test.each(LINES)('completes %s', async (line, wanted) => {
      expect(await keys.type(`${line}\t`, wanted)).toContain(wanted);
    });
  });
}

describe.runIf(isInstalled('bash') || ci)('bash without a terminal', () => {
  test('receives COMPREPLY for COMP_WORDS', () => {
    expect(bashReplies(['appreg', 'completion', ''])).toEqual(['bash', 'zsh', 'fish']);
    expect(bashReplies(['appreg', 'lint', '--format', '=', 'j'])).toContain('json');
    expect(bashReplies(['appreg', 'lint', '--fi'], 'set -u;')).toEqual(['--fix']);
    expect(bashReplies(['appreg', 'lint', '$(touch pwned)'])).toEqual(['']);
  });

  test('runs the appreg that is typed', () => {
    expect(bashReplies([join(root, 'bin/appreg'), 'ver'])).toEqual(['verify']);
    expect(
      bashReplies(
        ['~/bin/appreg', 'ver'],
        `HOME='${root}'; PATH=/usr/bin:/bin; appreg() { '${root}/bin/appreg' "$@"; };`,
      ),
    ).toEqual(['verify']);
    expect(bashReplies(['no-such-appreg', 'ver'])).toEqual(['']);
  });
});

describe.runIf(isInstalled('fish') || ci)(`fish${isInstalled('fish') ? '' : ' (not installed)'}`, () => {
  const WANTED: [string, string[]][] = [
    ['appreg ver', ['verify\tcheck a live registry']],
    ["appreg 'ver", ['verify\tcheck a live registry']],
    ['appreg lint --fi', ['--fix\tfix what can be fixed automatically']],
    ['appreg lint --format=js', ['--format=json']],
    ['appreg init --store ', ['directory', 'git', 's3']],
    ['appreg lint --rule=artifact-changed=of', ['--rule=artifact-changed=off']],
    ['appreg publish-version ', ['clock', 'feed-watch']],
    ['appreg verify htt', ['https://apps.example.com/registry.json']],
    ['appreg judge fa', ['facts.json']],
    ['appreg judge --config=fa', ['--config=facts.json']],
    ['appreg lint --cwd=s', ['--cwd=sub/']],
    ['appreg lint --cwd s', ['sub/']],
    ['appreg lint -- --fi', ['']],
    ['appreg verify --timeout ', ['']],
  ];
  let replies: string[][] = [];
  beforeAll(() => {
    replies = fishReplies(WANTED.map(([line]) => line));
  }, 60_000);

  test.each(WANTED.map(([line, wanted], index) => ({ line, wanted, index })))(
    'completes $line',
    ({ wanted, index }) => {
      expect(replies[index]).toEqual(wanted);
    },
  );
});

test.each(['bash', 'zsh', 'fish'])('%s reports no syntax error in the completion script', (shell) => {
  if (!isInstalled(shell) && !ci) return console.log(`${shell} is not installed`);
  const script = execFileSync('appreg', ['completion', shell], { env, encoding: 'utf8' });
  write(root, { [`script.${shell}`]: script });
  expect(execFileSync(shell, ['-n', join(root, `script.${shell}`)], { encoding: 'utf8' })).toBe('');
});

test('completion for another shell is refused', () => {
  expect(() => execFileSync('appreg', ['completion', 'toString'], { env, stdio: 'pipe' })).toThrow(
    /Use one of bash, zsh, fish/,
  );
});

afterAll(() => {
  // Text that was typed or is in a manifest is never executed.
  expect(isInstalled('ls') && execFileSync('ls', [cwd], { encoding: 'utf8' })).not.toContain('pwned');
});

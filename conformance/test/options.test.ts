import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { selectCases } from '../../src/cli/commands/conformance-cases.ts';
import { commandWords, runCommand } from '../src/command.ts';
import { expectedFailures } from '../src/expected.ts';
import { casesOf } from '../src/sets.ts';

/** What the command line of a conformance test selects, expects and starts. */

const cases = casesOf(1, 'documents');

describe('expected failures', () => {
  test('are read with their reasons', () => {
    const text = '\ufeff[{ "case": "manifest-nan", "reason": "The parser accepts it." }]';
    expect([...expectedFailures(text, 'e.json', cases)]).toEqual([['manifest-nan', 'The parser accepts it.']]);
  });

  test.each([
    ['', 'e.json is not a list of expected failures in JSON.'],
    ['{}', 'e.json is not a list of expected failures in JSON.'],
    ['[1]', 'e.json, entry 1: “case” is missing. It is the id of a case.'],
    [
      '[{ "case": "manifest-nam", "reason": "x" }]',
      'e.json, entry 1: the set has no case “manifest-nam”. Did you mean manifest-nan?',
    ],
    [
      '[{ "case": "manifest-nan" }]',
      'e.json, entry 1: the case “manifest-nan” has no reason. An expected failure needs one.',
    ],
    [
      '[{ "case": "manifest-nan", "reason": " " }]',
      'e.json, entry 1: the case “manifest-nan” has no reason. An expected failure needs one.',
    ],
    [
      '[{ "case": "manifest-nan", "reason": "x" }, { "case": "manifest-nan", "reason": "y" }]',
      'e.json, entry 2: the case “manifest-nan” is listed twice.',
    ],
    [
      '[{ "case": "manifest-empty-apps", "reason": "x" }]',
      'e.json, entry 1: the case “manifest-empty-apps” is reported and never judged, so it cannot fail.',
    ],
  ])('%s is refused', (text, message) => {
    expect(() => expectedFailures(text, 'e.json', cases)).toThrow(expect.objectContaining({ message }));
  });
});

describe('the selected cases', () => {
  test('are those of --only, in the order of the set', () => {
    const { selected, all } = selectCases('documents', { only: ['metadata-correct', 'manifest-correct'] });
    expect(selected.map(({ id }) => id)).toEqual(['manifest-correct', 'metadata-correct']);
    expect(all).toHaveLength(cases.length);
  });

  test.each([
    [{ set: 99 }, 'Invalid --set “99”: there is no set of this number.'],
    [
      { only: ['manifest-corect'] },
      'Invalid --only “manifest-corect”: set 1 has no such case of the role documents. Did you mean manifest-correct?',
    ],
  ])('%j is refused', (options, message) => {
    expect(() => selectCases('documents', options)).toThrow(expect.objectContaining({ message }));
  });
});

describe('a command', () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-command-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const options = { cwd: folder, env: process.env, timeout: 20_000 };

  test.each([
    ['validator', ['validator']],
    ['  python3   "my validator.py" --a=\'b c\' ""', ['python3', 'my validator.py', '--a=b c', '']],
  ])('%s has the words %j', (text, words) => {
    expect(commandWords(text)).toEqual(words);
  });

  test.each(['', '  ', 'a "b', "a 'b"])('“%s” is refused', (text) => {
    expect(() => commandWords(text)).toThrow(expect.objectContaining({ code: 'option-invalid' }));
  });

  test('is run in its folder, with its input', async () => {
    const script = 'process.stdin.on("data", (d) => process.stdout.write(process.cwd() + d)); process.exitCode = 7;';
    expect(await runCommand([process.execPath, '-e', script], { ...options, input: '!' })).toEqual({
      code: 7,
      signal: null,
      stdout: `${folder}!`,
      stderr: '',
      stopped: null,
    });
  });

  test('may end without reading its input', async () => {
    const run = await runCommand([process.execPath, '-e', ''], { ...options, input: 'x'.repeat(1_000_000) });
    expect(run).toMatchObject({ code: 0, stopped: null });
  });

  test('is ended after its time, with the programs that keep its output open', async () => {
    const script = join(folder, 'wait.cjs');
    writeFileSync(
      script,
      "require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8000)'], { stdio: 'inherit' });",
    );
    const started = performance.now();
    const run = await runCommand([process.execPath, script], { ...options, timeout: 500 });
    expect(run).toMatchObject({ stopped: 'timeout', signal: 'SIGKILL' });
    expect(performance.now() - started).toBeLessThan(6000);
  });

  test('is ended if it prints too much', async () => {
    const script = 'const a = "x".repeat(1e6); const f = () => process.stdout.write(a, f); f();';
    expect(await runCommand([process.execPath, '-e', script], options)).toMatchObject({ stopped: 'output' });
  });
});

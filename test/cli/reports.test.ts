import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { openSharedProcess } from '../support/shared-process.ts';

/** Results in files (--output, --report), and the help of all commands, as the built command line writes them. */

const appreg = openSharedProcess(join(import.meta.dirname, '../../dist/node/main.cjs'));
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-reports-'));
afterAll(() => {
  appreg.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  rmSync(join(folder, 'w'), { recursive: true, force: true });
  mkdirSync(join(folder, 'w'));
  writeFileSync(join(folder, 'w/registry.json'), '{ "apps": { "clock": {} } }\n');
});
const run = (...args: string[]) => appreg.run(args, { cwd: join(folder, 'w') });
const read = (name: string): string => readFileSync(join(folder, 'w', name), 'utf8');

describe('results in files', () => {
  test('several reports of one run, in addition to the result', async () => {
    const { code, stdout } = await run('lint', '--report', 'sarif=out.sarif', '--report', 'junit=out.xml');
    expect([code, stdout.includes('schema-violation')]).toEqual([1, true]);
    expect(JSON.parse(read('out.sarif'))).toMatchObject({ version: '2.1.0' });
    expect(read('out.xml')).toMatch(/^<\?xml/);
    expect(readdirSync(join(folder, 'w')).toSorted()).toEqual(['out.sarif', 'out.xml', 'registry.json']);
  });

  test('each has the same findings as the result on its own', async () => {
    const alone = JSON.parse((await run('lint', '--format', 'json')).stdout);
    await run('lint', '--format', 'json', '--output', 'a.json', '--report', 'json=b.json');
    for (const name of ['a.json', 'b.json']) {
      const { summary, ...report } = JSON.parse(read(name));
      expect(report).toEqual({ ...alone, summary: undefined });
      expect(summary.errors).toBe(alone.summary.errors);
    }
  });

  test.each([['lint'], ['lint', '--bogus']])('`-` is stdout: %j', async (...args) => {
    const { stdout } = await run(...args, '--format', 'json', '--output', '-');
    expect(JSON.parse(stdout)).toMatchObject({ command: 'lint' });
    expect(readdirSync(join(folder, 'w'))).toEqual(['registry.json']);
  });

  test.each([['lint'], ['lint', '--bogus']])('stdout has no report beside the result: %j', async (...args) => {
    const { code, stdout } = await run(...args, '--report', 'json=-');
    expect([code, stdout]).toEqual([2, '']);
    expect(readdirSync(join(folder, 'w'))).toEqual(['registry.json']);
  });

  test('a result in a file is summarized on stderr', async () => {
    const { stdout, stderr } = await run('lint', '--format', 'json', '--output', 'out.json');
    expect(stdout).toBe('');
    expect(stderr).toMatch(/error/);
    expect(stderr).toContain('out.json');
  });

  test.each([
    { name: 'the manifest that is checked', args: ['lint', 'registry.json'], by: '[path...]' },
    { name: 'facts that are judged', args: ['judge', './registry.json'], by: '<facts.json...>' },
    { name: 'facts that are saved', args: ['verify', 'https://127.0.0.1:1/', '--save', 'registry.json'], by: '--save' },
    { name: 'a ticket', args: ['diagnose', 'https://127.0.0.1:1/', '--bundle', 'registry.json'], by: '--bundle' },
    { name: 'an archive', args: ['bundle', 'main.js', 'registry.json'], by: '<output>' },
    { name: 'the configuration', args: ['lint', '--config', 'registry.json'], by: '--config' },
  ])('do not replace another file of the command line: $name', async ({ args, by }) => {
    const before = read('registry.json');
    for (const output of [
      ['--output', 'registry.json'],
      ['--report', 'json=registry.json'],
    ]) {
      const { code, stderr } = await run(...args, ...output);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`is named by ${by}, and by --output or --report.`)]);
      expect(read('registry.json')).toBe(before);
    }
  });

  test('do not replace another file of an invalid command line', async () => {
    const before = read('registry.json');
    for (const output of [
      ['--output', './registry.json'],
      ['--report', 'json=registry.json'],
    ]) {
      const { code } = await run('judge', 'registry.json', ...output, '--format', 'json', '--bogus');
      expect([code, read('registry.json')]).toEqual([2, before]);
    }
  });

  describe.each([
    { name: 'the manifest', file: 'registry.json', text: '{ "apps": { "clock": {} } }\n' },
    {
      name: 'a manifest with an error in it',
      file: 'index.json',
      text: '\uFEFF{ "$schema": "x", "apps": { "clock": { }',
    },
    { name: 'a metadata file', file: 'clock.json', text: '{"versions":[{"version":"1.0.0","artifactUrl":"https://x' },
    { name: 'the configuration', file: 'appreg.config.json', text: '{}' },
    { name: 'the package', file: 'package.json', text: '{"name":"x"}' },
    { name: 'the lock file', file: 'appreg.lock.json', text: '{"lock":1,"apps":{}}' },
    { name: 'an about file', file: 'clock.about.json', text: '{ "schema": 1, "versions": {} }' },
    { name: 'an attestation', file: 'clock.tar.gz.sigstore.json', text: '{}' },
    { name: 'an artifact', file: '1.0.0.tar.gz', text: gzipSync('app') },
  ])('never replace a file of a registry that no option names: $name', ({ file, text }) => {
    test.each([
      { by: '--output', args: ['lint', '--output', file] },
      { by: '--report', args: ['lint', '--report', `json=${file}`] },
      {
        by: '--output of a command line with an error',
        args: ['lint', '--bogus', '--format', 'json', '--output', file],
      },
      { by: '--save', args: ['verify', 'https://127.0.0.1:1/', '--save', file] },
      { by: '--bundle', args: ['diagnose', 'https://127.0.0.1:1/', '--bundle', file] },
    ])('by $by', async ({ args }) => {
      writeFileSync(join(folder, 'w', file), text);
      const before = read(file);
      const { code, stderr } = await run(...args);
      expect(code).toBe(2);
      if (!args.includes('--bogus')) expect(stderr).toMatch(/which (a result|saved facts) would replace\./);
      expect(read(file)).toBe(before);
      expect(readdirSync(join(folder, 'w')).toSorted()).toEqual([...new Set([file, 'registry.json'])].toSorted());
    });
  });

  test.each([
    { name: 'a report', args: ['lint', '--format', 'json', '--output', 'r.json'] },
    { name: 'SARIF', args: ['lint', '--format', 'sarif', '--output', 'r.json'] },
    { name: 'saved facts', args: ['verify', 'https://x.invalid/', '--save', 'r.json'] },
    { name: 'a support bundle', args: ['diagnose', 'https://x.invalid/', '--bundle', 'r.json'] },
  ])('replace those of an earlier run: $name', async ({ args }) => {
    writeFileSync(join(folder, 'w/registry.json'), '{ "apps": {} }\n');
    const first = await run(...args);
    const second = await run(...args);
    expect([second.code, second.stderr.includes('would replace')]).toEqual([first.code, false]);
    expect(read('r.json')).not.toBe('');
  });

  test('may replace the baseline that was compared with', async () => {
    await run('lint', '--format', 'json', '--output', 'b.json');
    const { code } = await run('lint', '--baseline', 'b.json', '--format', 'json', '--output', 'b.json');
    expect([code, JSON.parse(read('b.json')).summary.errors]).toEqual([0, 0]);
  });

  test.each([
    { name: 'an unknown format', args: ['--report', 'sarf=a'], message: 'Did you mean sarif?' },
    { name: 'no file', args: ['--report', 'sarif'], message: 'the file is missing' },
    { name: 'an empty file name', args: ['--report', 'sarif='], message: 'is empty' },
    { name: 'the same file twice', args: ['--report', 'json=a', '--report', 'sarif=./a'], message: 'named twice' },
    { name: 'a folder that does not exist', args: ['--report', 'json=gone/a.json'], message: 'gone' },
    { name: 'a folder in place of the file', args: ['--report', 'json=.'], message: 'is a folder' },
  ])('refuses $name before it does anything', async ({ args, message }) => {
    const { code, stdout, stderr } = await run('lint', ...args, '--report', 'junit=out.xml');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    // The other report says that the run failed.
    expect(read('out.xml')).toContain('<error ');
  });

  test('a run that fails leaves no earlier report in place', async () => {
    writeFileSync(join(folder, 'w/out.json'), '{"outcome":"clean"}');
    const { code } = await run('lint', 'gone', '--report', 'json=out.json');
    expect(code).toBe(2);
    expect(JSON.parse(read('out.json'))).toMatchObject({ outcome: 'incomplete', error: { exit: 2 } });
  });
});

describe('help', () => {
  const names = COMMANDS.map(({ definition }) => definition.name);
  test.each(names)('of %s fits the terminal, lists own options first, and refers to the command', async (name) => {
    for (const columns of ['40', '80', '200']) {
      const { code, stdout } = await appreg.run([...name.split(' '), '--help'], {
        cwd: folder,
        env: { COLUMNS: columns },
      });
      expect(code).toBe(0);
      // Commands to copy, and single words that are longer, are not wrapped.
      const lines = stdout.split('\n').filter((line) => !/\S{30,}|^ +appreg |^ {4}[h-]|\\$/.test(line));
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(Number(columns));
      expect(stdout).not.toContain('<command>');
      const own = stdout.indexOf('\nOptions');
      expect(stdout.indexOf('--no-color')).toBeGreaterThan(own);
    }
  });
});

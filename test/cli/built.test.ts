import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';

/** The program as it is published: what only occurs in the real build. */

const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
const program = join(root, 'dist/node/main.cjs');
beforeAll(async () => {
  await buildInto(root);
  writeFileSync(join(root, 'registry.json'), '{ "apps": {} }\n');
}, 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function appreg(
  { stdout = 'pipe' }: { stdout?: 'pipe' | number },
  ...args: string[]
): { status: number | null; stdout: string; stderr: string } {
  const run = `require(${JSON.stringify(program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  return spawnSync(process.execPath, ['-e', run, 'appreg', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', stdout, 'pipe'],
  });
}

test('no file of the product contains a failpoint or the environment variable that triggers one', () => {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.c?js$/.test(file),
  );
  expect(files).toContain('node.js');
  // In quotes, since minified code may contain a subtraction with these names.
  const trace = /failpoint|fillInterruptibly|["'`](?:lock-prepared|before-(?:rename|send)|half-written)["'`]/i;
  expect(files.filter((file) => trace.test(readFileSync(join(root, 'dist', file), 'utf8')))).toEqual([]);
});

test('an output file that cannot be written is an expected error', () => {
  const { status, stdout, stderr } = appreg({}, 'lint', '.', '--output', 'no/such/folder/report.txt');
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/cannot be written to .*report\.txt: its folder does not exist \(ENOENT\)\.\n {2}Give a file/);
});

test('--rule with two levels is a usage error', () => {
  const { status, stderr } = appreg({}, 'lint', '.', '--rule', 'no-apps=off=error');
  expect(status).toBe(2);
  expect(stderr).toContain('“off=error” is not a level');
});

test.runIf(existsSync('/dev/full'))('a full disk behind stdout is reported in one line', () => {
  const { status, stderr } = appreg({ stdout: openSync('/dev/full', 'w') }, 'lint', '.');
  expect(stderr).toBe('appreg: The results cannot be written: ENOSPC\n');
  expect(status).toBe(2);
});

/** What a shell prints that has the program as `"$appreg"`. */
function shell(script: string): { stdout: string; stderr: string } {
  const run = `require(${JSON.stringify(program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  const start = `appreg() { ${JSON.stringify(process.execPath)} -e "$0" appreg "$@"; }; ${script}`;
  return spawnSync('bash', ['-c', start, run], { encoding: 'utf8', env: { ...process.env, node: process.execPath } });
}

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  test('that is closed by its reader does not fail the command', () => {
    const { stdout, stderr } = shell('{ sleep 0.1; appreg --help; echo "ended with $?" >&2; } | true');
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'ended with 0\n' });
  });

  test('that is non-blocking and read slowly receives the whole output', () => {
    const nonBlocking = `process.stdout.write('.'.repeat(65000)); process.stdout._handle.setBlocking(false); process.kill(process.pid, 'SIGKILL')`;
    const { stdout } = shell(`{ "$node" -e "${nonBlocking}"; appreg --help; } 2>/dev/null | { sleep 0.5; cat; }`);
    expect(stdout.replace(/^\.+/, '')).toBe(appreg({}, '--help').stdout);
  });
});

test.each([
  [['lint', '--no-such', '--format', 'json']],
  [['--format=json', 'lint', '--max-warnings', 'many']],
  [['judge', '--format', 'json']],
])('a usage error is reported in the requested machine format: %j', (words) => {
  const { status, stdout, stderr } = appreg({}, ...words);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^appreg: .+\n {2}appreg \w+ --help /);
  const { outcome, notJudged } = JSON.parse(stdout);
  expect({ outcome, reason: notJudged[0].reason }).toEqual({
    outcome: 'incomplete',
    reason: expect.stringMatching(/^(usage|option-invalid): [A-Z]/),
  });
});

test('a usage error without a machine format prints nothing to stdout', () => {
  expect(appreg({}, 'lint', '--no-such').stdout).toBe('');
  expect(appreg({}, 'bundle', '--no-such').stdout).toBe('');
});

test.skipIf(process.platform === 'win32')('facts that cannot be written leave no file', () => {
  const folder = join(root, 'facts');
  mkdirSync(folder);
  // No byte can be written to any file; the kernel also sends a signal, which ends a process without a handler for it.
  const listen = join(root, 'listen.cjs');
  writeFileSync(listen, "process.on('SIGXFSZ', () => {});");
  const run = `require(${JSON.stringify(program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  const args = ['--require', listen, '-e', run, 'appreg', 'verify', 'http://127.0.0.1:1/registry.json'];
  const limited = [
    '-c',
    'ulimit -f 0; exec "$0" "$@"',
    process.execPath,
    ...args,
    '--save',
    join(folder, 'facts.json'),
  ];
  const { status, stderr } = spawnSync('bash', limited, { cwd: root, encoding: 'utf8' });
  expect(stderr).toMatch(/^appreg: The facts cannot be saved as .*: EFBIG: file too large\.$/m);
  expect(status).toBe(2);
  expect(readdirSync(folder)).toEqual([]);
});

// Scenario: publishers are interrupted while each program that they start runs.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gitTree } from '../../src/observe/workspace/git.ts';
import { run } from '../../service/src/db/embedded/data-folder.ts';
import { uncommittedFiles } from '../../src/release/uncommitted.ts';
import { runGit } from '../../src/store/git/process.ts';
import { folder } from '../support/folders.ts';
import { openPlaces, type Places, succeeds } from '../support/places.ts';
import { publish } from '../support/storm.ts';

/** Ctrl+C is sent to all processes of a group: the end of a child may be noticed before the signal of the program. */

/** A folder with a `git` that does the same as git, but ends in the first call of a command of git. */
function gitThat(ends: string, command = '*'): { bin: string; wasReached(): boolean } {
  const bin = folder();
  const reached = join(bin, 'reached');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ncase "$1" in ${command}) mkdir ${reached} 2>/dev/null && { ${ends}; } ;; esac\nexec ${real} "$@"\n`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  return { bin, wasReached: () => existsSync(reached) };
}

async function withPath<T>(bin: string, work: () => Promise<T> | T): Promise<T> {
  const before = process.env['PATH'];
  process.env['PATH'] = `${bin}${delimiter}${before}`;
  try {
    return await work();
  } finally {
    process.env['PATH'] = before;
  }
}

const ENDINGS = [
  { ends: 'kill -INT $$', exit: 130 },
  { ends: 'kill -TERM $$', exit: 143 },
  { ends: 'kill -HUP $$', exit: 129 },
  { ends: 'exit 130', exit: 130 },
];

describe.skipIf(process.platform === 'win32').each(ENDINGS)('a child that ends by “$ends”', ({ ends, exit }) => {
  const expected = { code: 'interrupted', exit };
  const error = async (work: () => unknown): Promise<unknown> =>
    withPath(gitThat(ends).bin, async () => work()).then(
      () => null,
      (thrown: unknown) => thrown,
    );

  test('is an interrupt of a git store', async () => {
    expect(await error(() => runGit(['init'], { cwd: folder() }))).toMatchObject(expected);
  });

  test('is an interrupt of a comparison with a git ref', async () => {
    expect(await error(() => gitTree('main', folder()))).toMatchObject(expected);
  });

  test('is an interrupt of the question for uncommitted files', async () => {
    const root = folder();
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    expect(await error(() => uncommittedFiles(root, { log: () => {} }))).toMatchObject(expected);
  });

  test.runIf(ends.startsWith('kill'))('is an interrupt of the start of PostgreSQL', async () => {
    expect(await error(() => run('/bin/sh', ['-c', ends]))).toMatchObject(expected);
  });
});

test('a child that ends by another signal is not an interrupt', async () => {
  await withPath(gitThat('kill -KILL $$').bin, async () => {
    expect(await runGit(['init'], { cwd: folder() })).toMatchObject({ status: 128, endedBy: null, wasKilled: true });
  });
});

describe.skipIf(process.platform === 'win32')('publish-version to git', () => {
  let places: Places;
  beforeAll(async () => {
    places = await openPlaces();
  }, 120_000);
  afterAll(() => places.close());

  // Only the child; and both, where git reports what its own children did.
  const CHILD = 'kill -INT $$';
  const BOTH = 'kill -INT $PPID; echo "fatal: the remote end hung up" >&2; exit 128';
  test.each([
    { command: 'remote', ends: CHILD },
    { command: 'fetch', ends: CHILD },
    { command: 'push', ends: CHILD },
    { command: 'fetch', ends: BOTH },
    { command: 'hash-object', ends: BOTH },
    { command: 'push', ends: BOTH },
  ])(
    '“$ends” in git $command ends with 130, and the next run completes',
    async ({ command, ends }) => {
      const { storm } = await places.opened('git');
      const { file, checksum } = storm.artifact(1000);
      const { bin, wasReached } = gitThat(ends, command);
      const env = { PATH: `${bin}${delimiter}${process.env['PATH']}` };
      const { code, stderr } = await storm.run([...publish('patch', file), '--no-read-back'], env);
      expect(wasReached()).toBe(true);
      expect(code, stderr).toBe(130);
      expect(stderr).toMatch(/Interrupted \(SIGINT\)/);
      expect(stderr).not.toMatch(/git failed/);
      await succeeds(storm, file);
      expect((await storm.audit()).filter((line) => line.endsWith(checksum))).toHaveLength(1);
    },
    120_000,
  );
});

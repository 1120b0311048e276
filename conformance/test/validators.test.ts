import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runConformanceDocuments } from '../../src/cli/commands/conformance-documents.ts';
import type { ConformanceReport } from '../src/result.ts';
import { CONFORMANCE_FORMATS } from '../../src/report/options.ts';
import { cliContext } from '../../test/support/cli-context.ts';

/** Validators in other languages: those of examples/conformance, and programs that do not follow the protocol. */

const examples = join(import.meta.dirname, '../../examples/conformance');
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-validators-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Options = Parameters<typeof runConformanceDocuments>[1];

async function results(options: Options): Promise<{ code: number; report: ConformanceReport }> {
  const context = cliContext({
    cwd: folder,
    command: { name: 'conformance documents', formats: CONFORMANCE_FORMATS },
    options: { format: 'json' },
    env: process.env,
  });
  const code = await runConformanceDocuments(context, options);
  return { code, report: JSON.parse(context.printed.out.join('\n')) };
}

/** What a program prints; null if it is not installed. */
function outputOf(program: string, ...args: string[]): string | null {
  try {
    return execFileSync(program, args, { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

const python = outputOf('python3', '-c', 'import sys; print(sys.executable)');

describe.skipIf(python === null)('the validator in Python', () => {
  const command = `"${python}" "${join(examples, 'validator.py')}"`;

  test('fails exactly the listed cases', async () => {
    const expected = join(examples, 'validator.py.expected.json');
    const { code, report } = await results({ command, batch: true, expected });
    expect(report.cases.filter(({ status, level }) => level === 'required' && status !== 'pass')).toHaveLength(
      listed('validator.py').length,
    );
    expect(code).toBe(0);
  });

  test('gives the same answers when it is run for each document', async () => {
    const only = ['manifest-correct', 'manifest-name-missing', 'metadata-version-two-numbers'];
    const batch = await results({ command, batch: true, only });
    expect(await results({ command, only })).toEqual(batch);
    expect(batch.report.cases.map(({ observed }) => observed)).toEqual([
      'accepted',
      'rejected: error at “/apps/clock/name”',
      'rejected: error at “/versions/0/version”',
    ]);
  });
});

// Other versions accept other numbers.
describe.skipIf(outputOf('jq', '--version') !== 'jq-1.6')('the validator in shell', () => {
  test('fails exactly the listed cases', async () => {
    const command = `sh "${join(examples, 'validator.sh')}"`;
    const expected = join(examples, 'validator.sh.expected.json');
    const { code, report } = await results({ command, batch: true, expected });
    expect(report.cases.filter(({ status, level }) => level === 'required' && status !== 'pass')).toHaveLength(
      listed('validator.sh').length,
    );
    expect(code).toBe(0);
  }, 60_000);
});

function listed(name: string): unknown[] {
  return JSON.parse(readFileSync(join(examples, `${name}.expected.json`), 'utf8'));
}

describe('a validator that', () => {
  const only = ['manifest-correct'];

  async function resultWith(script: string, batch: boolean): Promise<unknown> {
    const file = join(folder, 'validator.cjs');
    writeFileSync(file, script);
    const { report, code } = await results({ command: `"${process.execPath}" "${file}"`, batch, only });
    const [first] = report.cases;
    return { code, status: first?.status, message: first?.message };
  }

  test.each([
    ['exits with 3', 'process.exit(3)', 'The validator exited with 3, not 0 or 1.'],
    [
      'exits with an error that names a file',
      'process.stderr.write("cannot read /home/me/x\\n"); process.exit(2)',
      'The validator exited with 2, not 0 or 1. cannot read …',
    ],
    ['is ended by a signal', 'process.kill(process.pid, "SIGKILL")', 'The validator was ended by SIGKILL.'],
    ['rejects a valid document', 'process.exit(1)', 'The document was rejected.'],
  ])('%s fails', async (_, script, message) => {
    const seen = await resultWith(script, false);
    expect(seen).toEqual({ code: 1, status: 'fail', message });
  });

  test.each([
    ['prints nothing for a document', '', 'The validator printed no line about the document.'],
    ['prints text', 'console.log("ok")', 'The validator printed no line about the document.'],
  ])('%s in a batch fails', async (_, script, message) => {
    expect(await resultWith(script, true)).toEqual({ code: 1, status: 'fail', message });
  });

  test('prints other text besides its verdict is judged by its exit code', async () => {
    expect(await resultWith('console.log("fine")', false)).toEqual({ code: 0, status: 'pass', message: null });
  });

  test('does not exist is an error of the kit', async () => {
    const { code, report } = await results({ command: join(folder, 'gone'), only });
    expect({ code, outcome: report.outcome }).toEqual({ code: 2, outcome: 'incomplete' });
    expect(report.cases[0]).toMatchObject({ status: 'harness-error' });
  });

  test('is missing cannot be run as a batch', async () => {
    await expect(results({ batch: true })).rejects.toMatchObject({ code: 'option-conflict' });
  });
});

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'parse5';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import type { AnyCase, Level } from '../src/case/case.ts';
import { HOST_SETTINGS } from '../src/case/host-settings.ts';
import {
  failed,
  harnessError,
  notRun,
  observeAll,
  passed,
  conformanceExit,
  type ConformanceReport,
  type Observation,
  reportOf,
} from '../src/result.ts';
import { conformancePage } from '../src/results/html.ts';
import { conformanceJunit } from '../src/results/junit.ts';
import { conformanceTable } from '../src/results/table.ts';
import { casesOf } from '../src/sets.ts';
import { message } from '../../src/core/text/message.ts';
import { PLAIN } from '../../src/report/style.ts';
import { documentText } from '../../src/report/envelope.ts';

/** The results of a conformance test: statuses, the exit code, and all formats. */

function caseAt(id: string, level: Level): AnyCase {
  return {
    id,
    role: 'documents',
    spec: '2.1',
    quote: level === 'required' ? 'A JSON object.' : null,
    level,
    title: `The case ${id} is correct.`,
    script: { document: 'manifest' },
    expect: { verdict: 'valid', faults: [] },
  };
}

function run(
  level: Level,
  observation: Observation,
  reason: string | null = null,
): { status: string; exit: number; report: ConformanceReport } {
  const expected = new Map(reason === null ? [] : [[observation.id, reason]]);
  const report = reportOf([caseAt('a', level)], [observation], {
    role: 'documents',
    set: 1,
    implementation: null,
    expected,
  });
  return { status: report.cases[0]?.status ?? '', exit: conformanceExit(report), report };
}

describe('the status and the exit code', () => {
  const FAILED = failed('a', message`It is wrong.`);
  const rows: [string, Level, Observation, string | null, string, number][] = [
    ['a required case that passes', 'required', passed('a'), null, 'pass', 0],
    ['a required case that fails', 'required', FAILED, null, 'fail', 1],
    ['an expected failure', 'required', FAILED, 'known', 'expected-failure', 0],
    ['an expected failure that passes', 'required', passed('a'), 'known', 'stale-expected-failure', 1],
    ['a recommended case that fails', 'recommended', FAILED, null, 'fail', 0],
    ['a recommended case that passes, expected to fail', 'recommended', passed('a'), 'x', 'stale-expected-failure', 1],
    ['an unspecified case', 'unspecified', FAILED, null, 'reported', 0],
    ['a fault of the kit', 'required', harnessError('a', message`No port.`), null, 'harness-error', 2],
    ['a fault of the kit, expected to fail', 'required', harnessError('a', message`No port.`), 'x', 'harness-error', 2],
    ['a case that was not run', 'required', notRun('a', message`No TLS.`), 'x', 'not-run', 0],
  ];
  test.each(rows)('%s', (_, level, observation, reason, status, exit) => {
    expect(run(level, observation, reason)).toMatchObject({ status, exit });
  });

  test('a case without an observation is a fault of the kit', () => {
    expect(run('required', passed('b'))).toMatchObject({ status: 'harness-error', exit: 2 });
  });

  test('whatever a case throws is a fault of the kit, in the order of the cases', async () => {
    const seen = await observeAll([{ id: 'a' }, { id: 'b' }], 2, async ({ id }) => {
      if (id === 'a') throw new TypeError('undefined is not a function');
      return passed(id);
    });
    expect(seen.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['a', 'harness-error'],
      ['b', 'pass'],
    ]);
    expect(seen[0]?.message).toBe('undefined is not a function');
  });
});

/** Texts of an implementation that would break a format, or that are secret. */
const HOSTILE = '<script>alert(1)</script> ]]> " \u001b[2J https://u:p4ssw0rd@h.example/?X-Amz-Signature=abcdef';
const [HOST_CASE] = casesOf(1, 'host').filter(({ setting }) => HOST_SETTINGS[setting]['nginx'] !== undefined);
const FIRST: AnyCase = {
  ...HOST_CASE!,
  id: 'a',
  spec: '2.1',
  quote: 'A JSON object.',
  level: 'required',
  title: 'The case a is correct.',
};
const REPORT = reportOf(
  [FIRST, caseAt('b', 'recommended'), caseAt('c', 'unspecified'), caseAt('d', 'required')],
  [
    failed('a', message`Wrong: ${HOSTILE}`, message`${HOSTILE}`),
    passed('b'),
    passed('c', message`accepted`),
    failed('d', message`Wrong.`),
  ],
  { role: 'documents', set: 1, implementation: HOSTILE, expected: new Map([['d', HOSTILE]]) },
);

describe('with hostile texts', () => {
  const texts = {
    json: documentText(REPORT.command, REPORT),
    junit: conformanceJunit(REPORT),
    html: conformancePage(REPORT),
    pretty: conformanceTable(REPORT, PLAIN, true),
  };

  test.each(Object.entries(texts))('%s has no control characters and no secrets', (_, text) => {
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('p4ssw0rd');
    expect(text).not.toContain('abcdef');
    expect(text).toContain('The case a is correct.');
  });

  test('JSON is described by its schema', () => {
    const schema = JSON.parse(
      readFileSync(new URL('../../schemas/conformance.schema.json', import.meta.url), 'utf8'),
    ) as object;
    const validate = new Ajv({ allowUnionTypes: true, keywords: ['patternErrorMessage'] }).compile(schema);
    expect(validate(JSON.parse(texts.json)), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...JSON.parse(texts.json), time: 1 })).toBe(false);
  });

  test('JUnit is XML in which only what decides is a failure', () => {
    const names: string[] = [];
    const parser = new SaxesParser();
    parser.on('opentag', ({ name }) => void names.push(name));
    parser.on('error', (error) => {
      throw error;
    });
    parser.write(texts.junit).close();
    const numberOf = (name: string): number => names.filter((one) => one === name).length;
    expect({ cases: numberOf('testcase'), failures: numberOf('failure'), skipped: numberOf('skipped') }).toEqual({
      cases: 4,
      failures: 1,
      skipped: 1,
    });
  });

  test('the page is well-formed, has no scripts and loads nothing', () => {
    const errors: string[] = [];
    parse(texts.html, { onParseError: ({ code }) => void errors.push(code) });
    expect(errors).toEqual([]);
    expect(texts.html).not.toMatch(/<script|<link|<img| src=| href=/);
    expect(texts.html.match(/<tr id="/g)).toHaveLength(4);
  });

  test('the table shows what failed, with the sentence of the specification and the setting', () => {
    const table = conformanceTable(REPORT, PLAIN, false).split('\n');
    expect(table[0]).toBe('failed  required  a');
    expect(table.join('\n')).toContain('Specification 2.1: “A JSON object.”');
    expect(table.join('\n')).toMatch(/^ {2}nginx: /m);
    expect(table.join('\n')).not.toContain('The case b is correct.');
  });
});

test('the same observations give the same bytes', () => {
  const { report } = run('required', passed('a'));
  expect(conformancePage(report)).toBe(conformancePage(run('required', passed('a')).report));
  expect(documentText(report.command, report)).not.toMatch(/\d{4}-\d\d-\d\d|:\d{4,5}\b/);
});

// Scenario: a service runs all cases of the kit.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConformanceReport } from '../src/result.ts';
import { LEVELS } from '../src/case/case.ts';
import { numbersOf } from '../src/results/table.ts';
import { openTestedService, type TestedService } from './service-fixture.ts';
import { linesOf, root, subscriberReport } from './subscriber-fixture.ts';

/** `appreg service` is a conforming subscriber; its table in docs/operators/service.md is what this run gives. */

let service: TestedService;
beforeAll(async () => {
  service = await openTestedService();
});
afterAll(() => service.stop());

test(
  'the service passes all required cases, and docs/operators/service.md has its table',
  { timeout: 400_000 },
  async () => {
    const report = await subscriberReport(service.run);
    expect(linesOf(report, 'harness-error')).toEqual([]);
    expect(report.cases.filter(({ level, status }) => level === 'required' && status === 'fail')).toEqual([]);
    const file = join(root, 'docs/operators/service.md');
    const page = readFileSync(file, 'utf8');
    const [before = '', rest = ''] = page.split(BEGIN);
    const after = rest.slice(rest.indexOf(END));
    const expected = `${before}${BEGIN}\n${tableOf(report)}\n${after}`;
    if (process.env['UPDATE']) writeFileSync(file, expected);
    else expect(page).toBe(expected);
  },
);

const BEGIN = '<!-- The table of the conformance kit: written by conformance/test/service.test.ts with UPDATE=1. -->';
const END = '<!-- The end of the table. -->';

function tableOf(report: ConformanceReport): string {
  const numbers = LEVELS.map((level) => `| ${level} | ${numbersOf(report, level)} |`);
  const other = report.cases.filter(({ level, status }) => level !== 'unspecified' && status !== 'pass');
  const rows = other.map(
    ({ title, level, status, message }) => `| ${title} | ${level}, ${status} | ${cell(message)} |`,
  );
  return [
    '',
    '| level | cases |',
    '| --- | --- |',
    ...numbers,
    '',
    'What did not pass, or was not run:',
    '',
    '| case | | reason |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function cell(text: string | null): string {
  return (text ?? '').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

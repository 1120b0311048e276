import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { HostRun } from '../../conformance/src/host/run.ts';
import { runHostCases } from '../../conformance/src/host/run.ts';
import { type ConformanceReport, reportOf } from '../../conformance/src/result.ts';
import { casesOf } from '../../conformance/src/sets.ts';
import { certificates } from './fault-certificates.ts';

/** The table of hosts in docs/vendors/stores.md: one row for each host that a test starts. */

const PAGE = new URL('../../docs/vendors/stores.md', import.meta.url);
const cases = casesOf(1, 'host');

/** The results of the set for a host whose certificate is one of the tests. */
export async function reportOfHost(run: HostRun): Promise<ConformanceReport> {
  const observations = await runHostCases(cases, { ca: certificates().ca, ...run });
  return reportOf(cases, observations, { role: 'host', set: 1, implementation: null, expected: new Map() });
}

/** The judged cases that did not pass. */
export function failuresOf(report: ConformanceReport): string[] {
  return report.cases
    .filter(({ level, status }) => level !== 'unspecified' && status !== 'pass')
    .map(({ id, status }) => (status === 'fail' ? id : `${id} (${status})`));
}

function rowOf(host: string, report: ConformanceReport): string {
  const { required, recommended } = report.summary;
  const numbers = [required, recommended].map(({ pass, fail }) => `${pass} of ${pass + fail}`);
  const ids = failuresOf(report).map((id) => `\`${id}\``);
  return `| ${[host, ...numbers, ids.join(', ') || 'none'].join(' | ')} |`;
}

/** The page has the row of the host; with UPDATE=1, it is rewritten. */
export function expectRow(host: string, report: ConformanceReport): void {
  const row = rowOf(host, report);
  const page = readFileSync(PAGE, 'utf8');
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${host} |`));
  if (process.env['UPDATE'] === '1' && at !== -1) {
    lines[at] = row;
    writeFileSync(PAGE, lines.join('\n'));
    return;
  }
  expect(lines[at]).toBe(row);
}

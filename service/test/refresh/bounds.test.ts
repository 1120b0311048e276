import { expect, test } from 'vitest';
import type { ArchiveEntry, ArtifactFacts } from '../../../src/core/facts/facts.ts';
import type { AppVerdict, Finding, NotJudged, Report } from '../../../src/core/findings/report.ts';
import { truncateFacts } from '../../src/refresh/app-change.ts';
import { truncateReport } from '../../src/refresh/outcome.ts';

/** The limits of what is stored about a registry. */

const finding = (severity: Finding['severity'], n: number): Finding =>
  ({ rule: `r${n}`, severity, message: '' }) as Finding;
const artifact = (entries: number): ArtifactFacts =>
  ({ archive: { entries: Array.from({ length: entries }, () => ({}) as ArchiveEntry) } }) as ArtifactFacts;

test('a truncated report contains the most severe findings and all counts', () => {
  const findings = [
    ...Array.from({ length: 5000 }, (_, n) => finding('warning', n)),
    ...Array.from({ length: 10 }, (_, n) => finding('error', n)),
  ];
  const report = { summary: { errors: 10, warnings: 5000 }, findings, apps: [], notJudged: [] } as unknown as Report;
  const truncated = truncateReport(report);
  expect(truncated.findings).toHaveLength(2000);
  expect(truncated.findings.filter(({ severity }) => severity === 'error')).toHaveLength(10);
  expect(truncated.summary).toEqual(report.summary);
  expect(truncated.notJudged.at(-1)?.reason).toContain('3,010 more findings');
  expect(truncateReport(truncated)).toBe(truncated);
});

const notJudged = (rule: string, reason: string): NotJudged => ({ rule, reason }) as NotJudged;

test('each list of a truncated report says what it lacks, and sentences about the whole run are kept', () => {
  const report = {
    summary: {},
    findings: [],
    apps: Array.from({ length: 5004 }, (_, n) => ({ key: `a${n}` }) as AppVerdict),
    notJudged: [
      ...Array.from({ length: 6000 }, (_, n) => notJudged(`r${n}`, 'it was not read')),
      notJudged('*', 'there are more than 10000 findings'),
    ],
  } as unknown as Report;
  const truncated = truncateReport(report);
  expect(truncated.apps).toHaveLength(5000);
  expect(truncated.notJudged).toHaveLength(4999);
  expect(truncated.notJudged.slice(-3).map(({ reason }) => reason)).toEqual([
    'there are more than 10000 findings',
    '4 more apps, not listed here',
    '1,004 more entries about what was not judged, not listed here',
  ]);
  expect(truncateReport(truncated)).toBe(truncated);
});

test('an app is stored without the facts of artifacts with too many entries', () => {
  const artifacts = [artifact(3), artifact(100_000), artifact(5)];
  const app = { ids: ['a', 'b', 'c'], facts: { artifacts } } as unknown as Parameters<typeof truncateFacts>[0];
  const { ids, facts } = truncateFacts(app);
  expect(ids).toEqual(['a', 'c']);
  expect(facts.artifacts).toEqual([artifacts[0], artifacts[2]]);
});

import { expect, test } from 'vitest';
import type { ArchiveEntry, ArtifactFacts } from '../../../src/core/facts/facts.ts';
import type { Finding, Report } from '../../../src/core/engine/report.ts';
import { truncateReport } from '../../../src/service/refresh/truncate-report.ts';
import { truncateFacts } from '../../../src/service/refresh/truncate-facts.ts';

/** What is kept of a registry has its bounds, whatever is in it. */

const finding = (severity: Finding['severity'], n: number): Finding =>
  ({ rule: `r${n}`, severity, message: '' }) as Finding;
const artifact = (entries: number): ArtifactFacts =>
  ({ archive: { entries: Array.from({ length: entries }, () => ({}) as ArchiveEntry) } }) as ArtifactFacts;

test('a report keeps its gravest findings and its counts', () => {
  const findings = [
    ...Array.from({ length: 5000 }, (_, n) => finding('warning', n)),
    ...Array.from({ length: 10 }, (_, n) => finding('error', n)),
  ];
  const report = { summary: { errors: 10, warnings: 5000 }, findings, apps: [], notJudged: [] } as unknown as Report;
  const kept = truncateReport(report);
  expect(kept.findings).toHaveLength(2000);
  expect(kept.findings.filter(({ severity }) => severity === 'error')).toHaveLength(10);
  expect(kept.summary).toEqual(report.summary);
  expect(kept.notJudged.at(-1)?.reason).toContain('3010 more findings');
  expect(truncateReport(kept)).toBe(kept);
});

test('an app is remembered without the artifacts that are too heavy', () => {
  const artifacts = [artifact(3), artifact(100_000), artifact(5)];
  const app = { ids: ['a', 'b', 'c'], facts: { artifacts } } as unknown as Parameters<typeof truncateFacts>[0];
  const { ids, facts } = truncateFacts(app);
  expect(ids).toEqual(['a', 'c']);
  expect(facts.artifacts).toEqual([artifacts[0], artifacts[2]]);
});

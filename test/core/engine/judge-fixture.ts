import { expect } from 'vitest';
import type { Baseline, Snapshot } from '../../../src/core/facts/facts.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import type { Finding, Report } from '../../../src/core/findings/report.ts';
import { checksum } from '../../support/core-facts.ts';
import { BASE, entry, snapshot } from '../../support/snapshots.ts';

/** Documents and shorthands for the tests of judge(). */

export type Options = Omit<Parameters<typeof judge>[1], 'command'>;

export const lint = (facts: Snapshot, options: Options = {}): Report => judge(facts, { command: 'lint', ...options });

export const severityAndRule = ({ findings }: Report): string[] =>
  findings.map((f) => `${f.severity} ${f.rule}${f.cause ? ` ${f.cause}` : ''}`);

export const onlyFinding = (report: Report): Finding => {
  expect(severityAndRule(report)).toHaveLength(1);
  return report.findings[0]!;
};

export const symptoms = (report: Report): Record<string, string> =>
  Object.fromEntries(report.symptoms.map((s) => [s.id, s.status]));

export const version = (more: object = {}): object => ({
  version: '1.0.0',
  artifactUrl: `${BASE}apps/a/versions/1.0.0.tar.gz`,
  artifactChecksum: checksum(1),
  ...more,
});

export const baselineOf = (app: Baseline['app'], keys: string[] = ['a']): Baseline => ({
  source: 'origin/main',
  keys,
  app,
});

export const app = (more: object): Snapshot => snapshot({ apps: { a: entry('a', more) } });

export const metadata = (source: object | string): Snapshot => snapshot(['a'], { a: source });

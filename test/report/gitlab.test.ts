import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import { gitlab } from '../../src/report/gitlab.ts';
import { runs } from '../support/property-runs.ts';
import { finding, HOSTILE, hostile, NOTHING, report } from '../support/reports.ts';

interface Violation {
  description: string;
  check_name: string;
  fingerprint: string;
  severity: string;
  location: { path: string; lines: { begin: number } };
}

function violationsOf(of: Report, folder = ''): Violation[] {
  const list = JSON.parse(gitlab(of, { folder })) as Violation[];
  for (const { description, check_name, fingerprint, severity, location } of list) {
    expect(description).not.toBe('');
    expect(check_name).toMatch(/^[a-z-]+$/);
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(['info', 'minor', 'major', 'critical', 'blocker']).toContain(severity);
    expect(location.path).not.toMatch(/^(\.\/|$)/);
    expect(location.lines.begin).toBeGreaterThanOrEqual(1);
  }
  expect(new Set(list.map(({ fingerprint }) => fingerprint)).size).toBe(list.length);
  return list;
}

test('a finding in a file has the path from the root of the repository', () => {
  expect(violationsOf(report({ findings: [finding({ file: './apps/hello/versions.json' })] }), 'acme')).toEqual([
    {
      description: 'hello 1.0.0: The digest is written in upper case. Write it in lower case.',
      check_name: 'checksum-malformed',
      fingerprint: expect.any(String),
      severity: 'major',
      location: { path: 'acme/apps/hello/versions.json', lines: { begin: 6 } },
    },
  ]);
});

test('errors, warnings and notes are major, minor and info', () => {
  const findings = (['error', 'warning', 'note'] as const).map((severity) => finding({ severity, line: null }));
  const list = violationsOf(report({ findings }));
  expect(list.map(({ severity }) => severity)).toEqual(['major', 'minor', 'info']);
  expect(list.map(({ location }) => location.lines.begin)).toEqual([1, 1, 1]);
});

test.each([
  ['https://apps.example.com/apps/a/versions.json?sig=REDACTED', 'apps.example.com/apps/a/versions.json'],
  ['https://apps.example.com:8443/', 'apps.example.com:8443'],
  ['not a URL', 'apps.example.com/registry.json'],
])('a finding about a response has the host and path of its URL as the path: %s', (url, path) => {
  const target = 'https://apps.example.com/registry.json';
  expect(violationsOf(report({ target, findings: [finding({ file: null, url })] }))[0]!.location.path).toBe(path);
});

test('a finding about a resource listed in the manifest mentions the URL of the resource', () => {
  const icon = {
    file: null,
    url: 'https://b.example/i.svg',
    resource: 'icon',
    pointer: '/apps/hello/blockStyle/iconUrl',
  } as const;
  const [violation] = violationsOf(report({ target: 'https://a.example/registry.json', findings: [finding(icon)] }));
  expect(violation!.location).toEqual({ path: 'a.example/registry.json', lines: { begin: 6 } });
  expect(violation!.description).toMatch(/ \(https:\/\/b\.example\/i\.svg\)$/);
});

test('a clean run is an empty list, and an incomplete run is a blocker', () => {
  expect(violationsOf(report())).toEqual([]);
  expect(violationsOf(NOTHING)).toMatchObject([
    {
      description: 'appreg lint is incomplete: usage: unknown option --fixx',
      severity: 'blocker',
      location: { path: '.' },
    },
  ]);
});

test.each(HOSTILE)('a report with hostile text is valid: %j', (text) => {
  expect(violationsOf(hostile(text))).toHaveLength(5);
});

test('a report with any text is valid', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(violationsOf(hostile(text))).toHaveLength(5);
    }),
    { numRuns: runs(100) },
  );
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Report } from '../../src/core/engine/report.ts';
import { gitlab } from '../../src/report/gitlab.ts';
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

test('a finding in a file, by its path from the root of the repository', () => {
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

test('severities', () => {
  const findings = (['error', 'warning', 'note'] as const).map((severity) => finding({ severity, line: null }));
  const list = violationsOf(report({ findings }));
  expect(list.map(({ severity }) => severity)).toEqual(['major', 'minor', 'info']);
  expect(list.map(({ location }) => location.lines.begin)).toEqual([1, 1, 1]);
});

test.each([
  ['https://apps.example.com/apps/a/versions.json?sig=REDACTED', 'apps.example.com/apps/a/versions.json'],
  ['https://apps.example.com:8443/', 'apps.example.com:8443'],
  ['not a URL', 'apps.example.com/registry.json'],
])('what a host serves has its host and path for a path: %s', (url, path) => {
  const target = 'https://apps.example.com/registry.json';
  expect(violationsOf(report({ target, findings: [finding({ file: null, url })] }))[0]!.location.path).toBe(path);
});

test('what a manifest names is told by its own URL too', () => {
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

test('a clean run is an empty list, and one that is not complete is not', () => {
  expect(violationsOf(report())).toEqual([]);
  expect(violationsOf(NOTHING)).toMatchObject([
    {
      description: 'appreg lint is incomplete: usage: unknown option --fixx',
      severity: 'blocker',
      location: { path: '.' },
    },
  ]);
});

test.each(HOSTILE)('is sound whatever a registry writes: %j', (text) => {
  expect(violationsOf(hostile(text))).toHaveLength(5);
});

test('is sound for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(violationsOf(hostile(text))).toHaveLength(5);
    }),
    { numRuns: 100 },
  );
});

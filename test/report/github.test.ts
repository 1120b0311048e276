import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import { github } from '../../src/report/github.ts';
import { runs } from '../support/property-runs.ts';
import { finding, HOSTILE, hostile, NOTHING, report } from '../support/reports.ts';

interface Command {
  name: string;
  properties: Record<string, string>;
  data: string;
}

const unescape = (value: string): string => value.replaceAll('%0D', '\r').replaceAll('%0A', '\n');

/** Parses a line as the runner does: leading white space is trimmed, and escapes are decoded in this order. */
function commandIn(line: string): Command | null {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end < 0) return /##\[/.test(line) ? { name: '##[', properties: {}, data: line } : null;
  const [name, ...rest] = text.slice(2, end).split(' ');
  const properties: Record<string, string> = {};
  for (const pair of rest.join(' ').split(',')) {
    const at = pair.indexOf('=');
    if (at < 1) continue;
    const value = unescape(pair.slice(at + 1))
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',');
    properties[pair.slice(0, at)] = value.replaceAll('%25', '%');
  }
  return { name: name!, properties, data: unescape(text.slice(end + 2)).replaceAll('%25', '%') };
}

const linesOf = (of: Report, folder = ''): string[] => github(of, { folder }).split(/\r\n|[\r\n\u2028\u2029\u0085]/);
const commandsOf = (of: Report, folder = ''): Command[] =>
  linesOf(of, folder)
    .map(commandIn)
    .filter((command) => command !== null);

test('a finding in a file has the path from the root of the repository', () => {
  expect(commandsOf(report({ findings: [finding()] }), 'registries/acme')).toEqual([
    {
      name: 'error',
      properties: {
        file: 'registries/acme/apps/hello/versions.json',
        line: '6',
        col: '27',
        title: 'checksum-malformed hello 1.0.0',
      },
      data: 'The digest is written in upper case.\nWrite it in lower case.',
    },
  ]);
});

test('errors, warnings and notes become errors, warnings and notices, the most severe first', () => {
  const findings = (['note', 'warning', 'error'] as const).map((severity) => finding({ severity }));
  expect(commandsOf(report({ findings })).map(({ name }) => name)).toEqual(['error', 'warning', 'notice']);
});

test('a finding about a response has its URL in the title and no file', () => {
  const url = 'https://apps.example.com/a,b:c.json';
  expect(commandsOf(report({ target: url, findings: [finding({ file: null, url })] }))[0]!.properties).toEqual({
    title: `checksum-malformed hello 1.0.0: ${url}`,
  });
});

test('a finding about a resource listed in the manifest has the URL of the resource', () => {
  const icon = {
    file: null,
    url: 'https://b.example/i.svg',
    resource: 'icon',
    pointer: '/apps/hello/blockStyle/iconUrl',
  } as const;
  const [command] = commandsOf(report({ target: 'https://a.example/registry.json', findings: [finding(icon)] }));
  expect(command!.properties['title']).toBe('checksum-malformed hello 1.0.0: https://b.example/i.svg');
});

test('a report without findings is one line that is not a command', () => {
  expect(linesOf(report())).toEqual(['appreg lint: ✓ No problems (1 app, 1 version, 100 bytes, 0.4 s)']);
});

test('an incomplete run is an error', () => {
  expect(commandsOf(NOTHING)).toEqual([
    { name: 'error', properties: { title: 'appreg lint is incomplete' }, data: 'usage: unknown option --fixx' },
  ]);
});

const reportWith = (errors: number, warnings: number): Report =>
  report({
    findings: [
      ...Array.from({ length: warnings }, () => finding({ severity: 'warning' })),
      ...Array.from({ length: errors }, () => finding()),
    ],
  });

describe('the limit of ten annotations of a kind', () => {
  test('ten annotations of a kind are printed without a note', () => {
    expect(commandsOf(reportWith(10, 10))).toHaveLength(20);
    expect(linesOf(reportWith(10, 10))).toHaveLength(21);
  });

  test('a note counts the findings beyond the limit', () => {
    const lines = linesOf(reportWith(11, 1012));
    expect(lines).toHaveLength(22);
    expect(lines[20]).toBe(
      'Not annotated, since GitHub shows only 10 annotations of each kind per step: 1 error, 1,002 warnings.',
    );
  });

  test('the error about an incomplete run counts toward the limit', () => {
    const commands = commandsOf({ ...reportWith(11, 0), outcome: 'incomplete', notJudged: NOTHING.notJudged });
    expect(commands).toHaveLength(10);
    expect(commands[0]!.data).toBe('usage: unknown option --fixx');
  });
});

describe('untrusted text', () => {
  const OURS = new Set(['error', 'warning', 'notice']);
  const expected = (text: string): void => {
    const lines = linesOf(hostile(text));
    const commands = lines.map(commandIn);
    // Two reasons, four findings, and the last line.
    expect(lines).toHaveLength(7);
    expect(commands.slice(0, 6).every((command) => command !== null && OURS.has(command.name))).toBe(true);
    expect(commands[6]).toBeNull();
    for (const command of commands) {
      for (const name of Object.keys(command?.properties ?? {}))
        expect(['file', 'line', 'col', 'title']).toContain(name);
      expect(command?.data ?? '').not.toMatch(/##\[/);
    }
  };

  test.each(HOSTILE)('starts no command: %j', expected);

  test('starts no command for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...':#[]% ,\n\r=0A') })),
        expected,
      ),
      {
        numRuns: runs(100),
      },
    );
  });

  test('is unescaped to the original text', () => {
    const message = '100 %, 50%0A: a,b;c=d';
    const [command] = commandsOf(report({ findings: [finding({ message, advice: 'x', file: 'a:b,c%3A.json' })] }));
    expect(command).toMatchObject({ data: `${message}\nx`, properties: { file: 'a:b,c%3A.json' } });
  });
});

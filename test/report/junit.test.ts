import type { NotJudged, Report } from '../../src/core/findings/report.ts';
import type { Severity } from '../../src/core/values/severity.ts';
import { SaxesParser } from 'saxes';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import { junit } from '../../src/report/junit.ts';
import { runs } from '../support/property-runs.ts';
import { finding, HOSTILE, hostile, NOTHING, notJudged, report } from '../support/reports.ts';
import { metadataWith, snapshot } from '../support/snapshots.ts';

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/** Parses XML 1.0, and throws if it is not well-formed. */
function parse(xml: string): Element {
  const parser = new SaxesParser();
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => void (open.at(-1)!.text += text));
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return top.children[0]!;
}

interface Case {
  suite: string;
  name: string;
  outcome: string;
  message: string;
  text: string;
}

interface More {
  maxWarnings?: number;
  severities?: Record<string, Severity | 'off'>;
}

function casesOf(of: Report, more: More = {}): Case[] {
  const root = parse(junit(of, { folder: '', maxWarnings: null, severities: {}, ...more }));
  const cases = root.children.flatMap((suite) => {
    const list = suite.children.filter((child) => child.name === 'testcase');
    const number = (kind: string): string =>
      String(list.filter((one) => one.children.some((child) => child.name === kind)).length);
    expect(suite.attributes).toMatchObject({
      tests: String(list.length),
      failures: number('failure'),
      errors: number('error'),
      skipped: number('skipped'),
    });
    return list.map(({ attributes, children: [first] }) => ({
      suite: suite.attributes['name']!,
      name: attributes['name']!,
      outcome: first === undefined || first.name === 'system-out' ? 'passed' : first.name,
      message: first?.attributes['message'] ?? '',
      text: first?.text ?? '',
    }));
  });
  const number = (outcome: string): string => String(cases.filter((one) => one.outcome === outcome).length);
  expect(root.attributes).toMatchObject({
    tests: String(cases.length),
    failures: number('failure'),
    errors: number('error'),
  });
  return cases;
}

const findCase = (cases: readonly Case[], suite: string, name: string): Case | undefined =>
  cases.find((item) => item.suite === suite && item.name === name);

test('each rule without findings is a passed case of the registry or of each app', () => {
  const cases = casesOf(report());
  expect(cases.every(({ outcome, text }) => outcome === 'passed' && text === '')).toBe(true);
  expect(findCase(cases, 'registry', 'run-complete')).toBeDefined();
  expect(findCase(cases, 'registry', 'no-apps')).toBeDefined();
  expect(findCase(cases, 'registry', 'checksum-malformed')).toBeUndefined();
  expect(findCase(cases, 'app hello', 'checksum-malformed')).toBeDefined();
  expect(findCase(cases, 'app hello', 'no-apps')).toBeUndefined();
});

test('an error fails its case, with position and advice, and a warning is printed in a passed case', () => {
  const cases = casesOf(
    report({
      findings: [
        finding(),
        finding({ version: '2.0.0', message: 'It is too short.' }),
        finding({ rule: 'url-unusual', severity: 'warning', message: 'It is odd.' }),
      ],
    }),
  );
  expect(findCase(cases, 'app hello', 'checksum-malformed')).toEqual({
    suite: 'app hello',
    name: 'checksum-malformed',
    outcome: 'failure',
    message: 'The digest is written in upper case.',
    text: [
      'error: The digest is written in upper case. (1.0.0)',
      '  apps/hello/versions.json:6:27',
      '  Write it in lower case.',
      'error: It is too short. (2.0.0)',
      '  apps/hello/versions.json:6:27',
      '  Write it in lower case.',
    ].join('\n'),
  });
  expect(findCase(cases, 'app hello', 'url-unusual')).toMatchObject({
    outcome: 'passed',
    text: expect.stringContaining('warning: It is odd.'),
  });
});

test('a finding about the manifest fails a case of the registry, and one about an entry a case of its app', () => {
  const cases = casesOf(
    report({
      findings: [
        finding({ rule: 'property-unknown', resource: 'manifest' }),
        finding({ rule: 'app-key-unsafe', resource: 'manifest' }),
      ],
    }),
  );
  expect(findCase(cases, 'registry', 'property-unknown')!.outcome).toBe('failure');
  expect(findCase(cases, 'app hello', 'property-unknown')!.outcome).toBe('passed');
  expect(findCase(cases, 'app hello', 'app-key-unsafe')!.outcome).toBe('failure');
});

describe('a check that was not judged', () => {
  test('for the whole registry is skipped once', () => {
    const cases = casesOf(report({ notJudged: [notJudged()] }));
    expect(findCase(cases, 'registry', 'unreachable')).toMatchObject({
      outcome: 'skipped',
      message: 'not judged: needs the network',
    });
    expect(findCase(cases, 'app hello', 'unreachable')).toBeUndefined();
  });

  test('in an app is skipped in that app, even if it was judged for other versions', () => {
    const about: Partial<NotJudged> = {
      rule: 'artifact-bomb',
      app: 'hello',
      resource: 'artifact',
      code: 'not-in-workspace',
      reason: 'it is not there',
    };
    const entries = ['1.0.0', '1.1.0'].map((version) => notJudged({ ...about, version }));
    expect(findCase(casesOf(report({ notJudged: entries })), 'app hello', 'artifact-bomb')).toMatchObject({
      outcome: 'skipped',
      message: '1.0.0 not judged: it is not there (and 1 more)',
    });
  });

  test('in too many apps to list is skipped in every app', () => {
    const keys = Array.from({ length: 300 }, (_, i) => `a${i}`);
    const cases = casesOf(judge(snapshot(keys), { command: 'lint' })).filter(({ name }) => name === 'artifact-bomb');
    expect(cases).toHaveLength(300);
    expect(new Set(cases.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
  });

  test('because its rule is off has no case', () => {
    const cases = casesOf(report(), { severities: { 'url-insecure': 'off', 'text-empty': 'note' } });
    expect(cases.filter(({ name }) => name === 'url-insecure')).toEqual([]);
    expect(findCase(cases, 'app hello', 'text-empty')).toBeDefined();
  });

  test('because there is no valid version has no case', () => {
    const cases = casesOf(judge(snapshot(['a'], { a: { versions: [] } }), { command: 'lint' }));
    expect(findCase(cases, 'app a', 'artifact-bomb')).toBeUndefined();
    expect(findCase(cases, 'app a', 'no-valid-versions')).toMatchObject({
      outcome: 'passed',
      text: expect.stringContaining('warning: No version is listed yet'),
    });
  });

  test('because only a metadata file was checked has no case', () => {
    const { summary } = report();
    const cases = casesOf(report({ apps: [], summary: { ...summary, apps: 0, versions: 2 } }));
    expect(findCase(cases, 'registry', 'no-apps')).toBeUndefined();
    expect(findCase(cases, 'registry', 'checksum-malformed')!.outcome).toBe('passed');
  });
});

describe('an incomplete run', () => {
  test('is an error without passed cases if nothing was judged', () => {
    expect(casesOf(NOTHING)).toEqual([
      {
        suite: 'registry',
        name: 'run-complete',
        outcome: 'error',
        message: 'usage: unknown option --fixx',
        text: 'usage: unknown option --fixx',
      },
    ]);
  });

  test('skips the cases of the registry, and includes those of the judged apps', () => {
    const cases = casesOf(
      report({
        outcome: 'incomplete',
        notJudged: [notJudged({ rule: '*', code: 'incomplete', reason: 'interrupted after 1 app' })],
      }),
    );
    expect(findCase(cases, 'registry', 'metadata-orphaned')!.outcome).toBe('skipped');
    expect(findCase(cases, 'app hello', 'url-insecure')!.outcome).toBe('passed');
  });

  test('names the rule that crashed', () => {
    const entry = notJudged({
      rule: 'url-insecure',
      app: 'hello',
      code: 'rule-crashed',
      reason: 'the rule failed: TypeError',
    });
    const cases = casesOf(report({ outcome: 'incomplete', notJudged: [entry] }));
    expect(findCase(cases, 'registry', 'run-complete')).toMatchObject({
      outcome: 'error',
      message: 'url-insecure: the rule failed: TypeError',
    });
    expect(findCase(cases, 'app hello', 'url-insecure')!.outcome).toBe('skipped');
  });
});

test.each([
  [2, 'passed'],
  [1, 'failure'],
])('with --max-warnings %i, the case about two warnings is %s', (maxWarnings, outcome) => {
  const findings = ['1.0.0', '2.0.0'].map((version) => finding({ severity: 'warning', version }));
  expect(findCase(casesOf(report({ findings }), { maxWarnings }), 'registry', 'max-warnings')!.outcome).toBe(outcome);
  expect(findCase(casesOf(report({ findings })), 'registry', 'max-warnings')).toBeUndefined();
});

test.each(HOSTILE)('the XML is well-formed with hostile text: %j', (text) => {
  const cases = casesOf(hostile(text));
  expect(cases.filter(({ name }) => name === 'checksum-malformed').map(({ outcome }) => outcome)).toContain('failure');
});

test('the XML is well-formed with any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const cases = casesOf(hostile(text));
      expect(cases.length).toBeGreaterThan(3);
    }),
    { numRuns: runs(60) },
  );
});

test('a failed case lists at most 200 findings', () => {
  const versions = Array.from({ length: 450 }, (_, i) => `1.${i}`);
  const cases = casesOf(judge(snapshot(['a'], { a: metadataWith(...versions) }), { command: 'lint' }));
  const { text } = findCase(cases, 'app a', 'version-not-semver')!;
  expect(text.match(/^error: /gm)).toHaveLength(200);
  expect(text).toMatch(/\n… and 250 more$/);
});

describe('a check that another run makes', () => {
  test('is skipped if another shard reports on the manifest', () => {
    const aside = notJudged({
      rule: '*',
      resource: 'manifest',
      code: 'other-shard',
      reason: 'shard 1 of 2 reports on the manifest',
    });
    const cases = casesOf(report({ notJudged: [aside] }));
    expect(findCase(cases, 'registry', 'no-apps')).toMatchObject({ outcome: 'skipped' });
    expect(findCase(cases, 'app hello', 'url-insecure')!.outcome).toBe('passed');
    expect(findCase(cases, 'registry', 'run-complete')).toMatchObject({
      outcome: 'passed',
      text: 'Not checked: shard 1 of 2 reports on the manifest',
    });
  });

  test('is judged if the facts of an earlier run were reused', () => {
    const aside = notJudged({
      rule: '*',
      resource: 'manifest',
      code: 'reused',
      reason: '1 manifests seen before; what was seen then is judged',
    });
    expect(findCase(casesOf(report({ notJudged: [aside] })), 'registry', 'no-apps')!.outcome).toBe('passed');
  });
});

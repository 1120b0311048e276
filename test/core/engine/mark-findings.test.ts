import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Exception, ExceptionList, Finding, Report } from '../../../src/core/findings/report.ts';
import { covers, isAbout } from '../../../src/core/engine/mark-findings.ts';
import { isOver } from '../../../src/core/findings/exception-end.ts';
import { joinShards, shardOf } from '../../../src/core/engine/shards.ts';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { runs } from '../../support/property-runs.ts';
import { finding } from '../../support/reports.ts';
import { entry, metadataWith, snapshot } from '../../support/snapshots.ts';
import { lint } from './judge-fixture.ts';

const exception = (more: Partial<Exception> = {}): Exception => ({
  rule: 'checksum-malformed',
  app: null,
  version: null,
  url: null,
  secret: null,
  reason: 'It is being fixed.',
  until: null,
  issue: null,
  ...more,
});
const below2 = { text: '<2', includes: (version: string) => /^[01]\./.test(version) };
const list = (...entries: Exception[]): ExceptionList => ({ entries, document: null, pointer: '/exceptions' });

describe('an exception covers', () => {
  const served = finding({ url: 'https://apps.example.com/apps/hello/versions.json?sig=a/b' });
  const shared = finding({ evidence: { alsoHit: 2, alsoApps: ['timer'] } });

  test.each<[string, Partial<Exception>, Finding]>([
    ['a rule', {}, finding()],
    ['an app', { app: 'hello' }, finding()],
    ['apps by a glob', { app: 'h*' }, finding()],
    ['versions', { version: below2 }, finding()],
    [
      'a version that is not one, as it is written',
      { version: { text: 'v1', includes: () => false } },
      finding({ version: 'v1' }),
    ],
    ['URLs', { url: 'https://apps.example.com/**' }, served],
    ['a URL without its query', { url: 'https://apps.example.com/apps/*/versions.json' }, served],
    [
      'a URL in another spelling',
      { url: 'https://apps.example.com/a' },
      finding({ url: 'HTTPS://Apps.Example.com:443/a' }),
    ],
    ['a finding about several apps, if it is for any app', {}, shared],
    ['all apps of a finding', { app: '*' }, shared],
  ])('%s', (_, more, found) => expect(covers(exception(more), found)).toBe(true));

  test.each<[string, Partial<Exception>, Finding]>([
    ['another rule', { rule: 'checksum-shared' }, finding()],
    ['another app', { app: 'hell' }, finding()],
    ['what is not about an app', { app: '*' }, finding({ app: null })],
    ['other versions', { version: below2 }, finding({ version: '2.0.0' })],
    ['what is not about a version', { version: below2 }, finding({ version: null })],
    ['other URLs', { url: 'https://apps.example.com/*' }, served],
    ['what has no URL', { url: '**' }, finding()],
    ['one of two apps', { app: 'hello' }, shared],
    ['one of two apps, the second', { app: 'timer' }, shared],
    ['versions that are not known', { version: below2 }, shared],
    [
      'apps that are not named',
      { app: '*' },
      finding({ evidence: { alsoHit: 40, alsoApps: Array.from({ length: 20 }, (__, i) => `app-${i}`) } }),
    ],
  ])('not %s', (_, more, found) => expect(covers(exception(more), found)).toBe(false));

  test('a part of a finding, which is therefore not unused', () => {
    expect(isAbout(exception({ app: 'timer' }), shared)).toBe(true);
  });
});

test.each([
  [null, '2999-01-01T00:00:00.000Z', false],
  ['2027-03-01', '2027-02-28T23:59:59.999Z', false],
  ['2027-03-01', '2027-03-01T23:59:59.999Z', false],
  ['2027-03-01', '2027-03-02T00:00:00.000Z', true],
  ['2027-03-01', '2027-03-02T00:30:00.000+01:00', false],
  ['2027-12-31', '2028-01-01T00:00:00.000Z', true],
])('until %s, at %s: over is %s', (until, now, over) => expect(isOver({ until }, now)).toBe(over));

/** A registry with findings of several rules, severities and apps. */
const faulty = (): Snapshot =>
  snapshot(
    {
      apps: {
        a: entry('a', { description: '' }),
        b: entry('b', { 'x-y': 1 }),
        c: entry('c', { blockStyle: { iconUrl: 'http://apps.example.com/i.svg', color: 'red' } }),
        d: entry('d', { name: 7 }),
        e: entry('e'),
      },
    },
    { b: metadataWith('1.0.0', '1.0.0', 'v2'), c: { versions: [] }, e: '{' },
  );

const anyRule = fc.constantFrom(...rules.map(({ id }) => id), ...lint(faulty()).findings.map(({ rule }) => rule));
const anyException = fc.record({
  rule: anyRule,
  app: fc.constantFrom(null, 'a', 'b', 'c', '*', 'ghost'),
  version: fc.constantFrom(null, below2),
  url: fc.constantFrom(null, '**', 'https://apps.example.com/**'),
  secret: fc.constantFrom(null, '0123456789abcdef'),
  reason: fc.constant('x'),
  until: fc.constantFrom(null, '2020-01-01', '2999-01-01'),
  issue: fc.constant(null),
});
const anyExceptions = fc.array(anyException, { maxLength: 6 });

/** The report without marks, and without what is reported about the exceptions themselves. */
function unmarked(report: Report): Report {
  const findings = report.findings
    .filter(({ rule }) => rule !== 'exception-unused')
    .map((one) => ({ ...one, excepted: null, baseline: false }));
  const number = (severity: string): number => findings.filter((one) => one.severity === severity).length;
  const summary = {
    ...report.summary,
    errors: number('error'),
    warnings: number('warning'),
    notes: number('note'),
    excepted: 0,
  };
  return { ...report, findings, summary, outcome: findings.length > 0 ? 'findings' : 'clean' };
}

/** The exceptions that a report says are not used. */
function describeUnused({ findings }: Report): string[] {
  const unused = findings.filter(({ rule }) => rule === 'exception-unused');
  return unused.map(({ pointer, message }) => `${pointer} ${message}`);
}

function resolved(report: Report): string[] {
  return report.resolved.map(({ fingerprint }) => fingerprint);
}

describe('a report', () => {
  test('with exceptions and a baseline, marks removed, is the one without', () => {
    const without = lint(faulty());
    fc.assert(
      fc.property(anyExceptions, fc.subarray(without.findings), (exceptions, known) => {
        const report = lint(faulty(), { exceptions: list(...exceptions), known });
        expect(unmarked(report)).toEqual(without);
      }),
      { numRuns: runs(250) },
    );
  });

  test('has the same visible apps and symptoms, whatever is excepted', () => {
    const { apps, symptoms, notJudged } = lint(faulty());
    fc.assert(
      fc.property(anyExceptions, (exceptions) => {
        expect(lint(faulty(), { exceptions: list(...exceptions) })).toMatchObject({ apps, symptoms, notJudged });
      }),
      { numRuns: runs(250) },
    );
  });

  test('counts each finding once: as what it is, or as one that does not count', () => {
    fc.assert(
      fc.property(anyExceptions, (exceptions) => {
        const { findings, summary, outcome } = lint(faulty(), { exceptions: list(...exceptions) });
        expect(summary.errors + summary.warnings + summary.notes + summary.excepted).toBe(findings.length);
        expect(summary.excepted).toBe(findings.filter((one) => one.excepted !== null).length);
        expect(outcome).toBe(summary.excepted === findings.length ? 'clean' : 'findings');
      }),
      { numRuns: runs(250) },
    );
  });

  test('with itself as the baseline leaves nothing that counts', () => {
    fc.assert(
      fc.property(anyExceptions, (exceptions) => {
        const options = { exceptions: list(...exceptions) };
        const before = lint(faulty(), options);
        const { summary, outcome, findings } = lint(faulty(), { ...options, known: before.findings });
        expect(summary).toMatchObject({ errors: 0, warnings: 0, notes: 0, excepted: findings.length });
        expect(outcome).toBe('clean');
        expect(findings.every(({ baseline }) => baseline)).toBe(true);
      }),
      { numRuns: runs(250) },
    );
  });

  test('names the known findings that do not occur, if their app was judged', () => {
    const before = lint(faulty());
    const known = [
      ...before.findings,
      ...before.findings.map((one, index) => ({ ...one, fingerprint: index.toString(16).padStart(16, '0') })),
    ];
    const all = lint(faulty(), { known });
    expect(resolved(all)).toEqual(known.slice(before.findings.length).map(({ fingerprint }) => fingerprint));
    expect(all.outcome).toBe('clean');
    expect(resolved(lint(faulty(), { known: known.map((one) => ({ ...one, registry: 'other.json' })) }))).toEqual([]);
    // The apps of another shard were not judged.
    const whole = faulty();
    const part = lint(
      { ...whole, apps: whole.apps.slice(0, 1), shard: { index: 2, of: 2, elsewhere: whole.apps.length - 1 } },
      { known },
    );
    const [judged] = whole.apps;
    expect(new Set(part.resolved.map(({ app }) => app))).toEqual(new Set([judged!.key]));
  });

  test('of merged shards has the same marks as the whole', () => {
    const known = lint(faulty()).findings.slice(0, 3);
    const of = 3;
    fc.assert(
      fc.property(anyExceptions, (exceptions) => {
        const whole = faulty();
        const parts = Array.from({ length: of }, (_, i) => {
          const apps = whole.apps.filter((app) => shardOf(app.key, of) === i + 1);
          const shard = { index: i + 1, of, elsewhere: whole.apps.length - apps.length };
          return { file: `${i}.json`, snapshot: { ...whole, apps, shard } };
        });
        const options = { exceptions: list(...exceptions), known };
        expect(lint(joinShards(parts), options)).toEqual(lint(whole, options));
        // No shard reports what only another one judges.
        const ofWhole = describeUnused(lint(whole, options));
        for (const { snapshot: part } of parts)
          for (const one of describeUnused(lint(part, options))) expect(ofWhole).toContain(one);
      }),
      { numRuns: runs(100) },
    );
  });

  test('without findings but excepted ones is clean', () => {
    const report = lint(snapshot({ apps: { a: entry('a', { description: '' }) } }), {
      exceptions: list(exception({ rule: 'text-empty', until: '2027-01-01', issue: 'https://tracker.example.com/1' })),
    });
    expect(report).toMatchObject({ outcome: 'clean', summary: { errors: 0, warnings: 0, excepted: 1 } });
    expect(report.findings[0]!.excepted).toEqual({
      reason: 'It is being fixed.',
      until: '2027-01-01',
      issue: 'https://tracker.example.com/1',
    });
  });
});

/** The causes of exception-unused, for one exception. */
function unused(more: Partial<Exception>, facts = faulty(), options: Parameters<typeof lint>[1] = {}): string[] {
  return lint(facts, { ...options, exceptions: list(exception(more)) })
    .findings.filter(({ rule }) => rule === 'exception-unused')
    .map(({ cause }) => String(cause));
}

describe('an exception that matches nothing', () => {
  test.each<[string, Partial<Exception>, string[]]>([
    ['of a rule', { rule: 'app-key-unsafe' }, ['no-finding']],
    ['of a rule and an app', { rule: 'app-key-unsafe', app: 'a' }, ['no-finding']],
    ['of versions', { rule: 'version-not-semver', app: 'b', version: below2 }, ['no-finding']],
    ['of an app that is not listed', { rule: 'url-insecure', app: 'ghost' }, ['app-not-listed']],
    ['of no app that is listed', { rule: 'url-insecure', app: 'x-*' }, ['app-not-listed']],
    [
      'of an app that is not listed, with a rule that was not judged',
      { rule: 'unreachable', app: 'ghost' },
      ['app-not-listed'],
    ],
    ['after its end', { rule: 'app-key-unsafe', until: '2020-01-01' }, ['no-finding']],
  ])('%s is reported', (_, more, causes) => expect(unused(more)).toEqual(causes));

  test.each<[string, Partial<Exception>]>([
    ['the rule was not judged', { rule: 'unreachable' }],
    ['the rule was not judged on that app', { rule: 'version-not-semver', app: 'e' }],
    ['the rule was not judged on some app', { rule: 'artifact-not-tar-gz' }],
    ['there is no baseline', { rule: 'app-withdrawn', app: 'ghost', until: '2027-01-01' }],
    ['the rule is about hosts, and none was asked', { rule: 'host-limits-requests' }],
    ['a finding matches, after its end', { rule: 'text-empty', until: '2020-01-01' }],
  ])('%s: nothing is reported', (_, more) => expect(unused(more)).toEqual([]));

  test('is not reported if its rule is off, or the run is incomplete', () => {
    expect(unused({ rule: 'app-key-unsafe' }, faulty(), { severities: { 'app-key-unsafe': 'off' } })).toEqual([]);
    expect(unused({ rule: 'app-key-unsafe' }, { ...faulty(), incomplete: 'interrupted' })).toEqual([]);
    expect(unused({ rule: 'app-key-unsafe' }, snapshot('{'))).toEqual([]);
  });

  test('is reported for clean apps, which no rule has to judge', () => {
    const clean = snapshot(Array.from({ length: 300 }, (_, i) => `app-${i}`));
    expect(unused({ rule: 'version-not-semver', app: 'app-299' }, clean)).toEqual(['no-finding']);
    expect(unused({ rule: 'version-not-semver' }, clean)).toEqual(['no-finding']);
  });

  test('has the severity that is set for the rule', () => {
    const options = { exceptions: list(exception({ rule: 'app-key-unsafe' })) };
    expect(lint(snapshot(['a']), { ...options, severities: { 'exception-unused': 'error' } }).summary.errors).toBe(1);
    expect(lint(snapshot(['a']), { ...options, severities: { 'exception-unused': 'off' } }).outcome).toBe('clean');
  });
});

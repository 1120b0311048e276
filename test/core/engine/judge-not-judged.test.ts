import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { exitCode, type Report } from '../../../src/core/engine/report.ts';
import { type AnyRule, defineRule } from '../../../src/core/rules/rule.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { hop, probe, web } from '../../support/probes.ts';
import { BASE, document, entry, metadataWith, snapshot } from '../../support/snapshots.ts';
import { lint, severityAndRule, onlyFinding, symptoms, version, metadata } from './judge-fixture.ts';

/** What is not judged, and why. */

const crash = (on: 'app' | 'document'): AnyRule =>
  defineRule({
    id: 'crashing',
    on,
    needs: [],
    severity: 'error',
    spec: null,
    symptom: 'app-does-not-appear',
    owner: 'author',
    failsWhen: '',
    why: '',
    examples: { bad: 'bad', good: 'good' },
    check: () => {
      throw new Error('boom https://u:secret@x.test/');
    },
  });

const heard = (facts: Snapshot, headers: Record<string, string>): Snapshot => {
  facts.manifest.web = web(probe(hop({ 'content-type': 'application/json', ...headers })));
  return facts;
};

const reasons = ({ notJudged }: Report): string[] => notJudged.filter((n) => n.rule === '*').map((n) => n.reason);

describe('not judged', () => {
  test('a rule that throws: the others go on, the run is incomplete, and the exit code is 2', () => {
    const report = lint(snapshot({ apps: { a: entry('a', { name: '' }) } }), { rules: [crash('app'), ...rules] });
    expect(severityAndRule(report)).toEqual(['warning text-empty']);
    expect(report.outcome).toBe('incomplete');
    expect(exitCode(report, null)).toBe(2);
    const crashed = report.notJudged.filter((n) => n.rule === 'crashing');
    expect(crashed).toMatchObject([
      {
        app: 'a',
        resource: 'manifest',
        code: 'rule-crashed',
        reason: expect.stringContaining('the rule failed: Error: boom'),
      },
    ]);
    expect(JSON.stringify(report)).not.toContain('secret');
    expect(symptoms(report)['app-does-not-appear']).toBe('not-judged');
  });

  test('a rule that another one explains: with that one as the reason', () => {
    const facts = snapshot(['a'], { a: { versions: [version({ artifactUrl: 'ftp://x.test/a.zip' })] } });
    expect(lint(facts).notJudged).toContainEqual({
      rule: 'artifact-suffix',
      app: 'a',
      version: '1.0.0',
      resource: 'artifact',
      code: 'blocked-by',
      reason: 'because of url-malformed',
      count: null,
    });
  });

  test('the reason is the reason, not a warning that happens to stand nearby', () => {
    const facts = snapshot(['a'], {
      a: { versions: [version({ version: '1.0.0-rc.1', artifactUrl: 'https://x.test/a.tar.gz#f' })] },
    });
    const reasons = lint(facts)
      .notJudged.filter((n) => n.rule === 'artifact-checksum-mismatch')
      .map((n) => n.reason);
    expect(reasons).toEqual(['it is not in the workspace']);
  });

  test('a URL that cannot be used is the reason for what lies behind it', () => {
    const facts = snapshot(['a'], { a: { versions: [version({ artifactUrl: 'a.tar.gz' })] } });
    const reasons = lint(facts)
      .notJudged.filter((n) => n.rule === 'artifact-checksum-mismatch')
      .map((n) => n.reason);
    expect(reasons).toEqual(['because of url-malformed']);
  });

  test('a missing file is the reason for all that is in it', () => {
    const facts = snapshot(['a'], { a: { missing: { code: 'blocked-by', rule: 'file-missing' } } });
    facts.apps[0]!.metadata.local = 'missing';
    const report = lint(facts);
    expect(report.notJudged).toContainEqual({
      rule: 'schema-violation',
      app: 'a',
      version: null,
      resource: 'metadata',
      code: 'blocked-by',
      reason: 'because of file-missing',
      count: null,
    });
    expect(report.apps[0]).toMatchObject({ visible: false, because: ['file-missing'] });
  });

  test('at most 200 entries of one rule, and then their number', () => {
    const many = snapshot(['a'], { a: metadataWith(...Array.from({ length: 500 }, (_, i) => `1.0.${i}`)) });
    const report = lint(many);
    const entries = report.notJudged.filter((n) => n.rule === 'artifact-checksum-mismatch');
    expect(entries).toHaveLength(201);
    expect(entries.at(-1)).toEqual({
      rule: 'artifact-checksum-mismatch',
      app: null,
      version: null,
      resource: 'artifact',
      code: 'not-in-workspace',
      reason: '300 more: it is not in the workspace',
      count: 300,
    });
    expect(report.summary.notJudged).toBe(report.notJudged.length);
  });

  test('an incomplete run says why', () => {
    const report = lint({ ...snapshot(['a']), incomplete: 'it was interrupted' });
    expect(report.outcome).toBe('incomplete');
    expect(report.symptoms.filter(({ status }) => status === 'clear')).toEqual([]);
    expect(report.notJudged).toContainEqual({
      rule: '*',
      app: null,
      version: null,
      resource: null,
      code: 'incomplete',
      reason: 'it was interrupted',
      count: null,
    });
  });

  test('what is about a host is told once, and stands for all', () => {
    const perHost = defineRule({
      id: 'per-host',
      on: 'app',
      needs: ['key'],
      severity: 'warning',
      spec: null,
      symptom: null,
      owner: 'author',
      failsWhen: '',
      why: '',
      examples: { bad: 'bad', good: 'good' },
      check: () => ({ message: 'm', advice: 'a', dedupeKey: 'x.test' }),
    });
    const finding = onlyFinding(lint(snapshot(['a', 'b', 'c']), { rules: [perHost] }));
    expect(finding).toMatchObject({ app: 'a', evidence: { alsoHit: 2, alsoApps: ['b', 'c'] } });
  });

  test('what several apps name by one URL has its faults once', () => {
    const missing = web(probe([hop({}, { status: 404 })]));
    const facts = snapshot(['a', 'b']);
    for (const each of facts.apps)
      each.metadata = {
        ...each.metadata,
        url: `${BASE}one.json`,
        web: missing,
        content: { missing: { code: 'blocked-by', rule: 'unreachable' } },
      };
    facts.manifest = document(
      JSON.stringify({
        apps: {
          a: entry('a', { appMetadataUrl: `${BASE}one.json` }),
          b: entry('b', { appMetadataUrl: `${BASE}one.json` }),
        },
      }),
      'registry.json',
    );
    const report = lint(facts);
    const found = report.findings.filter((f) => f.rule === 'unreachable');
    expect(found).toHaveLength(1);
    expect(found[0]!.evidence).toMatchObject({ alsoHit: 1, alsoApps: ['b'] });
    expect(report.apps.map((a) => [a.visible, a.because])).toEqual([
      [false, ['unreachable']],
      [false, ['unreachable']],
    ]);
    expect(symptoms(report)['checksum-mismatch'], 'no artifact is known').toBe('not-judged');
  });

  test('a hidden app is a symptom by the rules that hide it, and those only', () => {
    const report = lint(snapshot({ apps: { a: entry('a', { name: undefined }) } }));
    expect(severityAndRule(report)).toEqual(['error schema-violation missing']);
    expect(report.symptoms[3]).toEqual({
      id: 'app-does-not-appear',
      status: 'confirmed',
      rules: ['schema-violation'],
    });
  });

  test('a manifest without apps: what was not looked at has a reason', () => {
    const report = lint(snapshot('{"app":{}}'));
    expect(symptoms(report)).toMatchObject({ 'checksum-mismatch': 'not-judged' });
    expect(report.notJudged).toContainEqual({
      rule: '*',
      app: null,
      version: null,
      resource: 'metadata',
      code: 'no-app-list',
      reason: 'the apps, which the manifest does not name (schema-violation)',
      count: null,
    });
  });

  test('what is told once hides every app that it hits', () => {
    const perHost = defineRule({
      id: 'per-host',
      on: 'document',
      needs: ['resource'],
      severity: 'error',
      spec: null,
      symptom: null,
      hidesApp: true,
      hiddenReason: 'It is hidden.',
      owner: 'author',
      failsWhen: '',
      why: '',
      examples: { bad: 'bad', good: 'good' },
      check: ({ resource }) => (resource === 'metadata' ? { message: 'm', advice: 'a', dedupeKey: 'x.test' } : null),
    });
    const report = lint(snapshot(['a', 'b']), { rules: [perHost] });
    expect(report.apps).toMatchObject([
      { key: 'a', visible: false, because: ['per-host'] },
      { key: 'b', visible: false, because: ['per-host'] },
    ]);
    onlyFinding(report);
  });

  test('of hundreds of apps that it hits, twenty are named', () => {
    const perHost = defineRule({
      id: 'per-host',
      on: 'app',
      needs: ['key'],
      severity: 'warning',
      spec: null,
      symptom: null,
      owner: 'author',
      failsWhen: '',
      why: '',
      examples: { bad: 'bad', good: 'good' },
      check: () => ({ message: 'm', advice: 'a', dedupeKey: 'x.test' }),
    });
    const { evidence } = onlyFinding(
      lint(snapshot(Array.from({ length: 300 }, (_, i) => `a${i}`)), { rules: [perHost] }),
    );
    expect(evidence['alsoHit']).toBe(299);
    expect(evidence['alsoApps']).toHaveLength(20);
  });
});

test('a manifest that nobody asked for over the network leaves nothing judged about how it answers', () => {
  const report = lint(snapshot(['a']));
  expect(report.notJudged.some((n) => n.rule === 'unreachable' && n.code === 'offline')).toBe(true);
});

describe('what a host’s answer leaves open', () => {
  test('a copy that is older than the hourly check clears nothing that depends on it', () => {
    const local = rules.filter((rule) => rule.on !== 'resource' && rule.on !== 'icon' && rule.on !== 'artifact');
    const options = { rules: local };
    const fresh = lint(heard(snapshot(['a']), { age: '100', 'cache-control': 'max-age=300' }), options);
    expect(symptoms(fresh)['app-does-not-appear']).toBe('clear');
    expect(reasons(fresh)).toEqual([]);
    const old = lint(heard(snapshot(['a']), { age: '900000', 'cache-control': 'max-age=31536000' }), options);
    expect(symptoms(old)).toMatchObject({
      'checksum-mismatch': 'not-judged',
      'icon-does-not-display': 'not-judged',
      'app-does-not-appear': 'not-judged',
    });
    expect(reasons(old)).toEqual([
      'what was published in the last 10 days: the manifest is a cache’s copy of that age',
    ]);
    const deployed = lint(heard(snapshot(['a']), { age: '900000', 'cache-control': 'max-age=0' }), options);
    expect(symptoms(deployed)['app-does-not-appear']).toBe('clear');
  });

  test('of metadata that cannot be read there are no checksums to clear', () => {
    const local = rules.filter((rule) => rule.on !== 'resource' && rule.on !== 'icon');
    const read = lint(metadata({ versions: [] }), { rules: local });
    expect(symptoms(read)['checksum-mismatch']).toBe('clear');
    for (const [source, because] of [
      ['<!doctype html><title>x</title>', 'document-unreadable'],
      ['{"versions":{}}', 'schema-violation'],
    ] as const) {
      const report = lint(metadata(source), { rules: local });
      expect(symptoms(report)['checksum-mismatch']).toBe('not-judged');
      expect(report.notJudged).toContainEqual({
        rule: 'artifact-checksum-mismatch',
        app: 'a',
        version: null,
        resource: 'artifact',
        code: 'blocked-by',
        reason: `because of ${because}`,
        count: null,
      });
    }
  });
});

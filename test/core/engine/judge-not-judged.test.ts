import { message } from '../../../src/core/text/message.ts';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { exitCode, type Report } from '../../../src/core/findings/report.ts';
import { type AnyRule, defineRule } from '../../../src/core/rules/rule.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { hop, probe, web } from '../../support/probes.ts';
import { BASE, document, entry, metadataWith, snapshot, withArtifacts } from '../../support/snapshots.ts';
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
    title: 'Example',
    failsWhen: '',
    why: '',
    examples: { bad: 'bad', good: 'good' },
    check: () => {
      throw new Error('boom https://u:secret@x.test/');
    },
  });

const withHeaders = (facts: Snapshot, headers: Record<string, string>): Snapshot => {
  facts.manifest.web = web(probe(hop({ 'content-type': 'application/json', ...headers })));
  return facts;
};

const reasons = ({ notJudged }: Report): string[] => notJudged.filter((n) => n.rule === '*').map((n) => n.reason);

describe('checks that are not judged', () => {
  test('a crashing rule does not stop the other rules, makes the run incomplete and sets exit code 2', () => {
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
    expect(JSON.stringify(report)).not.toContain(':secret');
    expect(symptoms(report)['app-does-not-appear']).toBe('not-judged');
  });

  test('a rule that another rule supersedes names that rule as the reason', () => {
    const facts = snapshot(['a'], { a: { versions: [version({ artifactUrl: 'ftp://x.test/a.zip' })] } });
    expect(lint(facts).notJudged).toContainEqual({
      rule: 'artifact-suffix',
      app: 'a',
      version: '1.0.0',
      resource: 'artifact',
      code: 'blocked-by',
      reason: 'because of “Malformed URL” (url-malformed)',
      blockedBy: 'url-malformed',
      count: null,
    });
  });

  test('the reason is the missing fact, not an unrelated warning about the same version', () => {
    const facts = snapshot(['a'], {
      a: { versions: [version({ version: '1.0.0-rc.1', artifactUrl: 'https://x.test/a.tar.gz#f' })] },
    });
    const reasons = lint(facts)
      .notJudged.filter((n) => n.rule === 'artifact-checksum-mismatch')
      .map((n) => n.reason);
    expect(reasons).toEqual(['it is not in the workspace']);
  });

  test('a malformed URL is the reason for all checks of its file', () => {
    const facts = snapshot(['a'], { a: { versions: [version({ artifactUrl: 'a.tar.gz' })] } });
    const reasons = lint(facts)
      .notJudged.filter((n) => n.rule === 'artifact-checksum-mismatch')
      .map((n) => n.reason);
    expect(reasons).toEqual(['because of “Malformed URL” (url-malformed)']);
  });

  test('a version that is no text is the reason for all checks of its form', () => {
    const report = lint(snapshot(['a'], { a: { versions: [version(), { ...version(), version: 1 }] } }));
    const unjudged = report.notJudged.filter(({ blockedBy }) => blockedBy === 'schema-violation');
    expect(unjudged.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['version-not-semver', 'version-not-plain', 'version-number-too-large']),
    );
  });

  test('a missing file is the reason for all checks of its content', () => {
    const facts = snapshot(['a'], { a: { missing: { code: 'blocked-by', rule: 'file-missing' } } });
    facts.apps[0]!.metadata.local = 'missing';
    const report = lint(facts);
    expect(report.notJudged).toContainEqual({
      rule: 'schema-violation',
      app: 'a',
      version: null,
      resource: 'metadata',
      code: 'blocked-by',
      reason: expect.stringMatching(/^because of “.+” \(file-missing\)$/) as string,
      blockedBy: 'file-missing',
      count: null,
    });
    expect(report.apps[0]).toMatchObject({ visible: false, because: ['file-missing'] });
  });

  test('a field called missing does not make a document or an entry a missing fact', () => {
    const missing = { code: 'offline' };
    const broken = entry('a', { name: 1 });
    const report = lint(
      snapshot(JSON.stringify({ apps: { a: { ...broken, missing } }, missing }), {
        a: JSON.stringify({ versions: {}, missing }),
      }),
    );
    expect(severityAndRule(report).filter((found) => found.includes('schema-violation'))).toHaveLength(2);
    expect(report.notJudged.filter(({ rule }) => rule === 'schema-violation')).toEqual([]);
  });

  test('at most 200 entries of one rule are listed, followed by the number of the others', () => {
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
      reason: 'it is not in the workspace',
      blockedBy: null,
      count: 300,
    });
    expect(report.summary.notJudged).toBe(report.notJudged.length);
  });

  test('an incomplete run states the reason', () => {
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
      blockedBy: null,
      count: null,
    });
  });

  test('a problem of a host is reported once and lists all affected apps', () => {
    const perHost = defineRule({
      id: 'per-host',
      on: 'app',
      needs: ['key'],
      severity: 'warning',
      spec: null,
      symptom: null,
      owner: 'author',
      title: 'Example',
      failsWhen: '',
      why: '',
      examples: { bad: 'bad', good: 'good' },
      check: () => ({ message: message`m`, advice: message`a`, dedupeKey: 'x.test' }),
    });
    const finding = onlyFinding(lint(snapshot(['a', 'b', 'c']), { rules: [perHost] }));
    expect(finding).toMatchObject({ app: 'a', evidence: { alsoHit: 2, alsoApps: ['b', 'c'] } });
  });

  test('faults of a URL that several apps share are reported once', () => {
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

  test('a hidden app confirms its symptom only by the rules that hide it', () => {
    const report = lint(snapshot({ apps: { a: entry('a', { name: undefined }) } }));
    expect(severityAndRule(report)).toEqual(['error schema-violation missing']);
    expect(report.symptoms[3]).toEqual({
      id: 'app-does-not-appear',
      status: 'confirmed',
      rules: ['schema-violation'],
    });
  });

  test('for a manifest without apps, the report states why the metadata was not judged', () => {
    const report = lint(snapshot('{"app":{}}'));
    expect(symptoms(report)).toMatchObject({ 'checksum-mismatch': 'not-judged' });
    expect(report.notJudged).toContainEqual({
      rule: '*',
      app: null,
      version: null,
      resource: 'metadata',
      code: 'no-app-list',
      reason: 'the apps: the manifest does not list them, because of “Missing field or wrong type” (schema-violation)',
      blockedBy: null,
      count: null,
    });
  });

  test('a finding that is reported once hides every affected app', () => {
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
      title: 'Example',
      failsWhen: '',
      why: '',
      examples: { bad: 'bad', good: 'good' },
      check: ({ resource }) =>
        resource === 'metadata' ? { message: message`m`, advice: message`a`, dedupeKey: 'x.test' } : null,
    });
    const report = lint(snapshot(['a', 'b']), { rules: [perHost] });
    expect(report.apps).toMatchObject([
      { key: 'a', visible: false, because: ['per-host'] },
      { key: 'b', visible: false, because: ['per-host'] },
    ]);
    onlyFinding(report);
  });

  test('a finding names at most twenty of the affected apps', () => {
    const perHost = defineRule({
      id: 'per-host',
      on: 'app',
      needs: ['key'],
      severity: 'warning',
      spec: null,
      symptom: null,
      owner: 'author',
      title: 'Example',
      failsWhen: '',
      why: '',
      examples: { bad: 'bad', good: 'good' },
      check: () => ({ message: message`m`, advice: message`a`, dedupeKey: 'x.test' }),
    });
    const { evidence } = onlyFinding(
      lint(snapshot(Array.from({ length: 300 }, (_, i) => `a${i}`)), { rules: [perHost] }),
    );
    expect(evidence['alsoHit']).toBe(299);
    expect(evidence['alsoApps']).toHaveLength(20);
  });
});

test('without network requests, the checks of the response are not judged', () => {
  const report = lint(snapshot(['a']));
  expect(report.notJudged.some((n) => n.rule === 'unreachable' && n.code === 'offline')).toBe(true);
});

describe('evidence that a response does not provide', () => {
  test('a copy older than the hourly check clears no symptom that depends on it', () => {
    const local = rules.filter((rule) => rule.on !== 'resource' && rule.on !== 'icon' && rule.on !== 'artifact');
    const options = { rules: local };
    const fresh = lint(
      withHeaders(withArtifacts(snapshot(['a'])), { age: '100', 'cache-control': 'max-age=300' }),
      options,
    );
    expect(symptoms(fresh)['app-does-not-appear']).toBe('clear');
    expect(reasons(fresh)).toEqual([]);
    const old = lint(
      withHeaders(withArtifacts(snapshot(['a'])), { age: '900000', 'cache-control': 'max-age=31536000' }),
      options,
    );
    expect(symptoms(old)).toMatchObject({
      'checksum-mismatch': 'not-judged',
      'icon-does-not-display': 'not-judged',
      'app-does-not-appear': 'not-judged',
    });
    expect(reasons(old)).toEqual(['what was published in the last 10 days: the manifest is a cached copy of that age']);
    const deployed = lint(
      withHeaders(withArtifacts(snapshot(['a'])), { age: '900000', 'cache-control': 'max-age=0' }),
      options,
    );
    expect(symptoms(deployed)['app-does-not-appear']).toBe('clear');
  });

  test('unreadable metadata leaves the symptom of checksums not judged', () => {
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
        reason: expect.stringContaining(`(${because})`) as string,
        blockedBy: because,
        count: null,
      });
    }
  });
});

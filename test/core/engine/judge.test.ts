import { describe, expect, test } from 'vitest';
import type { Content, Snapshot } from '../../../src/core/facts/facts.ts';
import { startJudging } from '../../../src/core/engine/judge.ts';
import { exitCode } from '../../../src/core/findings/report.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { checksum, NOW } from '../../support/core-facts.ts';
import {
  artifact,
  BASE,
  document,
  entry,
  icon,
  metadataWith,
  snapshot,
  withArtifacts,
} from '../../support/snapshots.ts';
import { lint, severityAndRule, onlyFinding, symptoms, version, baselineOf, metadata } from './judge-fixture.ts';

/** Reports of whole registries. */

describe('a registry without faults', () => {
  const report = lint(
    snapshot(['a', 'b', '__proto__', 'constructor', '2', '10'], { a: metadataWith('1.0.0', '1.10.0', '1.9.0') }),
  );

  test('has no findings, and its apps and versions are counted', () => {
    expect(severityAndRule(report)).toEqual([]);
    expect(report).toMatchObject({
      schema: 1,
      command: 'lint',
      target: '.',
      outcome: 'clean',
      tool: { name: 'appreg' },
    });
    expect(report.summary).toMatchObject({
      errors: 0,
      warnings: 0,
      notes: 0,
      apps: 6,
      versions: 8,
      artifacts: 0,
      seconds: 0,
    });
    expect(report.summary.notJudged).toBe(report.notJudged.length);
    expect(exitCode(report, 0)).toBe(0);
  });

  test('lists every app with its latest version, sorted by key', () => {
    expect(report.apps.map((app) => app.key)).toEqual(['10', '2', '__proto__', 'a', 'b', 'constructor']);
    expect(report.apps.find((app) => app.key === 'a')).toEqual({
      key: 'a',
      visible: null,
      because: [],
      latest: '1.10.0',
    });
    expect(report.apps.every((app) => app.visible === null)).toBe(true);
  });

  test('has no clear symptom if its checks need the network', () => {
    expect(symptoms(report)).toEqual({
      'registry-does-not-refresh': 'not-judged',
      'checksum-mismatch': 'not-judged',
      'icon-does-not-display': 'not-judged',
      'app-does-not-appear': 'not-judged',
    });
    expect(report.symptoms.map((s) => s.id)).toEqual([
      'registry-does-not-refresh',
      'checksum-mismatch',
      'icon-does-not-display',
      'app-does-not-appear',
    ]);
  });

  test('states once per rule, not once per app, that it needs the network', () => {
    const offline = report.notJudged.filter((n) => n.reason === 'needs the network');
    expect(offline.length).toBeGreaterThan(10);
    expect(new Set(offline.map((n) => n.rule)).size).toBe(offline.length);
    expect(offline.every((n) => n.app === null && n.version === null && n.resource === null)).toBe(true);
  });

  test('has only clear symptoms if no rule needs the network', () => {
    const local = rules.filter((rule) =>
      ['document', 'manifest', 'app', 'metadata', 'version', 'url'].includes(rule.on),
    );
    expect(Object.values(symptoms(lint(withArtifacts(snapshot(['a'])), { rules: local })))).toEqual([
      'clear',
      'clear',
      'clear',
      'clear',
    ]);
  });
});

describe('settings', () => {
  const facts = snapshot({ apps: { a: entry('a', { name: '' }) } });

  test.each(['note', 'warning', 'error'] as const)('a rule can have the severity %s', (severity) => {
    const report = lint(facts, { severities: { 'text-empty': severity } });
    expect(onlyFinding(report).severity).toBe(severity);
    expect(report.summary[`${severity}s`]).toBe(1);
  });

  test('a rule that is off reports nothing, including that it was not judged', () => {
    const report = lint(facts, { severities: { 'text-empty': 'off', unreachable: 'off' } });
    expect(severityAndRule(report)).toEqual([]);
    expect(report.notJudged.filter((n) => n.rule === 'unreachable')).toEqual([]);
  });

  test('a severity in the settings replaces the severity of a special case', () => {
    const local = snapshot({ apps: { a: entry('a', { appMetadataUrl: 'http://localhost/a.json' }) } });
    expect(onlyFinding(lint(local)).severity).toBe('warning');
    expect(onlyFinding(lint(local, { severities: { 'url-insecure': 'error' } })).severity).toBe('error');
  });

  test('each rule can be turned off without a failure', () => {
    const faulty = snapshot(
      {
        more: 1,
        apps: {
          'a b': entry('a b', { name: '\u202e', appMetadataUrl: ' https://x.test/' }),
          b: entry('b', { blockStyle: { iconUrl: 'https:\\\\x.test', color: 1 } }),
          c: 1,
        },
      },
      {
        'a b': metadataWith('v1', '1.0.0', '1.0.0+a'),
        b: { versions: [version({ artifactUrl: 'https://u:p@x.test/#latest', artifactChecksum: 'x' }), 1] },
      },
    );
    for (const rule of rules)
      expect(lint(faulty, { severities: { [rule.id]: 'off' } }).outcome, rule.id).toBe('findings');
  });

  test('the exit code depends on the outcome and on the limit of warnings', () => {
    const clean = lint(snapshot(['a']));
    const warned = lint(facts);
    const failed = lint(snapshot('{'));
    expect([
      exitCode(clean, 0),
      exitCode(warned, null),
      exitCode(warned, 1),
      exitCode(warned, 0),
      exitCode(failed, null),
    ]).toEqual([0, 0, 0, 1, 1]);
    expect(exitCode(lint({ ...snapshot(['a']), incomplete: 'it was interrupted' }), null)).toBe(2);
  });
});

describe('a comparison with a baseline', () => {
  const published = [
    { version: '1.0.0', artifactUrl: `${BASE}apps/a/versions/1.0.0.tar.gz`, artifactChecksum: checksum(1) },
  ];

  test('an unchanged version causes no finding', () => {
    expect(
      severityAndRule(
        lint(snapshot(['a'], { a: metadataWith('1.0.0', '1.1.0') }), { baseline: baselineOf(() => published) }),
      ),
    ).toEqual([]);
  });

  test('changed, moved and withdrawn versions and withdrawn apps are reported', () => {
    const now = { versions: [version({ artifactChecksum: checksum(9) })] };
    expect(severityAndRule(lint(snapshot(['a'], { a: now }), { baseline: baselineOf(() => published) }))).toEqual([
      'error artifact-changed',
    ]);
    expect(
      severityAndRule(
        lint(snapshot(['a'], { a: { versions: [version({ artifactUrl: `${BASE}b.tar.gz` })] } }), {
          baseline: baselineOf(() => published),
        }),
      ),
    ).toEqual(['warning artifact-moved']);
    expect(
      severityAndRule(lint(snapshot(['a'], { a: metadataWith('2.0.0') }), { baseline: baselineOf(() => published) })),
    ).toEqual(['error version-withdrawn']);
    expect(
      severityAndRule(lint(snapshot(['b']), { baseline: baselineOf((key) => (key === 'a' ? published : null)) })),
    ).toEqual(['warning app-withdrawn']);
  });

  test('a new app causes no finding', () => {
    expect(severityAndRule(lint(snapshot(['a']), { baseline: baselineOf(() => null, []) }))).toEqual([]);
  });

  test('a baseline without the metadata of an app is reported as not judged', () => {
    const report = lint(snapshot(['a']), {
      baseline: baselineOf(() => ({
        missing: { code: 'baseline-without-metadata', state: 'absent', source: 'origin/main' },
      })),
    });
    expect(report.notJudged).toContainEqual({
      rule: 'artifact-changed',
      app: 'a',
      version: null,
      resource: 'metadata',
      code: 'baseline-without-metadata',
      reason: 'its metadata file is not in origin/main',
      blockedBy: null,
      count: null,
    });
    expect(symptoms(report)['checksum-mismatch']).toBe('not-judged');
  });
});

describe('secrets and hostile text', () => {
  test('the report contains no secret from a URL', () => {
    const secret = 'cAnArY';
    const url = `http://user:${secret}@x.test/a?X-Amz-Signature=${secret}&sig=${secret}`;
    const facts = snapshot(
      {
        apps: { a: entry('a', { appMetadataUrl: url, blockStyle: { iconUrl: `${url}#${secret}`, color: `#${url}` } }) },
      },
      {
        a: {
          versions: [
            version({ artifactUrl: url }),
            version({ version: '2.0.0', artifactUrl: url, artifactChecksum: `sha256:${url}` }),
          ],
        },
      },
    );
    facts.target = url;
    const earlier = baselineOf(() => [
      { version: '1.0.0', artifactUrl: `${url}&x=1`, artifactChecksum: checksum(1) },
      { version: '0.1.0', artifactUrl: url, artifactChecksum: 'x' },
    ]);
    const report = lint(facts, { baseline: { ...earlier, source: url } });
    expect(report.findings.length).toBeGreaterThan(6);
    // A fragment without a name is not redacted, since it rarely contains a secret; everything else is.
    expect(JSON.stringify(report).replaceAll(`#${secret}`, '')).not.toContain(secret);
  });

  test('messages and evidence have a limited length', () => {
    const long = 'x'.repeat(100_000);
    const report = lint(
      snapshot(
        { apps: { [long]: entry('a', { name: `${long}\u202e`, appMetadataUrl: long }) }, [long]: 1 },
        { [long]: metadataWith(long) },
      ),
    );
    for (const f of report.findings) {
      expect(f.message.length).toBeLessThanOrEqual(1000);
      expect(f.advice.length).toBeLessThanOrEqual(1000);
      for (const value of Object.values(f.evidence)) expect(String(value).length).toBeLessThanOrEqual(500);
    }
  });
});

describe('portions', () => {
  const faulty = snapshot(
    { more: 1, apps: { b: entry('b', { name: '' }), 'a b': entry('a b'), c: 1 } },
    { b: metadataWith('v1', '1.0.0', '1.0.0'), 'a b': '{"versions":[],}' },
  );

  test('apps that are judged one by one give the same report as a snapshot', () => {
    const judging = startJudging({ command: 'lint', target: '.', now: NOW });
    judging.manifest(faulty.manifest);
    for (const app of faulty.apps) judging.app(app);
    judging.orphans([]);
    expect(judging.finish(0)).toEqual(lint(faulty));
  });

  test('apps that are judged in another order give the same findings', () => {
    const judging = startJudging({ command: 'lint', target: '.', now: NOW });
    judging.manifest(faulty.manifest);
    for (const app of faulty.apps.toReversed()) judging.app(app);
    expect(judging.finish(0).findings).toEqual(lint(faulty).findings);
  });

  test('saved facts give the same report', () => {
    expect(lint(JSON.parse(JSON.stringify(faulty)) as Snapshot)).toEqual(lint(faulty));
  });

  test('a report is unchanged after serialization as JSON', () => {
    const report = lint(faulty);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('a single metadata file is judged without an app', () => {
    const judging = startJudging({ command: 'lint', target: 'versions.json', now: NOW });
    judging.metadata(document(metadataWith('v1', '1.0.0'), 'versions.json'), [artifact(), artifact()]);
    const report = judging.finish(0);
    expect(onlyFinding(report)).toMatchObject({
      rule: 'version-not-semver',
      app: null,
      version: 'v1',
      file: 'versions.json',
      line: 4,
    });
    expect(report.apps).toEqual([]);
    expect(report.summary.versions).toBe(2);
  });

  test('hashed artifacts are counted with their bytes', () => {
    const content: Content = {
      bytes: 1000,
      sha256: checksum(1).slice(7),
      sha1: '',
      md5: '',
      head: '',
      cut: false,
      decoded: null,
    };
    const facts = snapshot(['a']);
    facts.apps[0]!.artifacts = [artifact(null, content)];
    facts.apps[0]!.icon = icon();
    const documents = facts.manifest.content as { bytes: number };
    const metadata = facts.apps[0]!.metadata.content as { bytes: number };
    expect(lint(facts).summary).toMatchObject({ artifacts: 1, bytes: 1000 + documents.bytes + metadata.bytes });
  });
});

test('what was found is counted when its app is judged', () => {
  const facts = metadata({ versions: [version({ artifactChecksum: 'SHA256:00' }), version({ version: '1' })] });
  const judging = startJudging({ command: 'lint', target: facts.target, now: facts.seenAt });
  judging.manifest(facts.manifest);
  expect(judging.foundSoFar()).toEqual({ findings: 0, faults: 0 });
  for (const app of facts.apps) judging.app(app);
  const found = judging.foundSoFar();
  const { findings } = judging.finish(0);
  const faults = findings.filter(({ severity }) => severity !== 'note').length;
  expect(found).toEqual({ findings: findings.length, faults });
  expect(faults).toBeGreaterThan(1);
});

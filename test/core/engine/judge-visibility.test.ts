import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { startJudging } from '../../../src/core/engine/judge.ts';
import { exitCode, type Report } from '../../../src/core/findings/report.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { checksum } from '../../support/core-facts.ts';
import { hop, probe, web } from '../../support/probes.ts';
import { BASE, NOT_IN_WORKSPACE, entry, metadataWith, snapshot, withArtifacts } from '../../support/snapshots.ts';
import { type Options, lint, severityAndRule, symptoms, version, baselineOf, metadata } from './judge-fixture.ts';

/** Which apps are visible, and the symptoms. */

/** The verdict by the documents alone. */
function judgedDocuments(facts: Snapshot): unknown {
  const judging = startJudging({ command: 'lint', target: '', now: facts.seenAt });
  judging.manifest(facts.manifest);
  return judging.app(facts.apps[0]!).documents;
}

const verdict = (facts: Snapshot, options: Options = {}) => lint(facts, options).apps[0];

const judgeRequested = (facts: Snapshot, apps: string[], wanted: string | null = null): Report =>
  lint({ ...facts, requested: { apps, version: wanted } });

const statuses = (report: Report): string[] => Object.values(symptoms(report));

describe('visibility', () => {
  test.each<[name: string, facts: Snapshot, because: string[]]>([
    ['an unsafe key', snapshot(['a b']), ['app-key-unsafe']],
    ['an entry of the wrong type', snapshot({ apps: { a: 1 } }), ['schema-violation']],
    [
      'an entry without a description',
      snapshot({ apps: { a: entry('a', { description: undefined }) } }),
      ['schema-violation'],
    ],
    [
      'a metadata URL that cannot be used',
      snapshot({ apps: { a: entry('a', { appMetadataUrl: 'a.json' }) } }),
      ['url-malformed'],
    ],
    ['metadata that cannot be read', snapshot(['a'], { a: '{' }), ['document-unreadable']],
    ['metadata nested too deep', snapshot(['a'], { a: `{"versions":${'['.repeat(100)}` }), ['document-oversized']],
    ['metadata of the wrong type', snapshot(['a'], { a: '[]' }), ['schema-violation']],
    ['no versions', snapshot(['a'], { a: { versions: [] } }), ['no-valid-versions']],
    ['no valid version', snapshot(['a'], { a: metadataWith('v1') }), ['no-valid-versions']],
    [
      'no version with a checksum',
      snapshot(['a'], { a: { versions: [version({ artifactChecksum: null })] } }),
      ['schema-violation'],
    ],
    [
      'a malformed checksum',
      snapshot(['a'], { a: { versions: [version({ artifactChecksum: 'unknown' })] } }),
      ['checksum-malformed'],
    ],
    ['two reasons', snapshot(['a b'], { 'a b': '' }), ['app-key-unsafe', 'document-unreadable']],
  ])('an app is hidden: %s', (_, facts, because) => {
    const report = lint(facts);
    expect(report.apps[0]).toMatchObject({ visible: false, because });
    expect(symptoms(report)['app-does-not-appear']).toBe('confirmed');
  });

  test.each<[name: string, facts: Snapshot]>([
    ['one valid version is enough', snapshot(['a'], { a: metadataWith('v1', '1.0.0') })],
    ['a pre-release alone', snapshot(['a'], { a: metadataWith('1.0.0-rc.1') })],
    [
      'an icon that cannot be had',
      snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: 'x', color: '#112233' } }) } }),
    ],
    ['a bad colour', snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: `${BASE}i.svg`, color: 'red' } }) } })],
  ])('an app is not hidden: %s', (_, facts) => {
    // Its artifacts were not examined.
    expect(verdict(facts)).toMatchObject({ visible: null, because: [] });
    expect(judgedDocuments(facts)).toMatchObject({ visible: true, because: [] });
  });

  test('the visibility is unknown if the metadata is outside the workspace', () => {
    expect(verdict(snapshot(['a'], { a: NOT_IN_WORKSPACE }))).toEqual({
      key: 'a',
      visible: null,
      because: [],
      latest: null,
    });
  });

  test('the latest version is the highest valid one; a hidden app has none', () => {
    const source = metadataWith('1.9.0', '1.10.0', '2.0.0-rc.1', 'v9');
    expect(verdict(snapshot(['a'], { a: source }))).toMatchObject({ visible: null, latest: '1.10.0' });
    expect(verdict(snapshot(['a b'], { 'a b': source }))).toMatchObject({ visible: false, latest: null });
  });

  test('the severity settings do not change visibility', () => {
    for (const severity of ['off', 'note', 'warning'] as const) {
      expect(
        verdict(snapshot(['a'], { a: { versions: [] } }), { severities: { 'no-valid-versions': severity } }),
        severity,
      ).toMatchObject({ visible: false, because: ['no-valid-versions'] });
      expect(
        verdict(snapshot(['a'], { a: '{' }), { severities: { 'document-unreadable': severity } }),
        severity,
      ).toMatchObject({ visible: false, because: ['document-unreadable'] });
      expect(verdict(snapshot(['a b']), { severities: { 'app-key-unsafe': severity } }), severity).toMatchObject({
        visible: false,
        because: ['app-key-unsafe'],
      });
    }
  });
});

describe('an app without a version', () => {
  const facts = snapshot(['a', 'b'], { a: { versions: [] } });

  test('is hidden and reported as a warning, and the run succeeds', () => {
    const report = lint(facts);
    expect(severityAndRule(report)).toEqual(['warning no-valid-versions empty']);
    expect(report.apps).toMatchObject([
      { key: 'a', visible: false, because: ['no-valid-versions'], latest: null },
      { key: 'b', visible: null },
    ]);
    expect(symptoms(report)['app-does-not-appear']).toBe('confirmed');
    expect(exitCode(report, null)).toBe(0);
  });

  test.each([
    ['of which none is a version', metadataWith('v1')],
    ['of which none is an object', { versions: [null] }],
  ])('is an error if its file lists elements %s', (_, source) => {
    expect(exitCode(lint(metadata(source)), null)).toBe(1);
    const lowered = lint(metadata(source), {
      severities: { 'schema-violation': 'note', 'version-not-semver': 'note' },
    });
    expect(severityAndRule(lowered)).toContain('error no-valid-versions all-invalid');
  });

  test('is also reported as withdrawn if the baseline has a version', () => {
    const earlier = baselineOf(() => [
      { version: '1.0.0', artifactUrl: `${BASE}1.tar.gz`, artifactChecksum: checksum(1) },
    ]);
    const report = lint(snapshot(['a'], { a: { versions: [] } }), { baseline: earlier });
    expect(severityAndRule(report)).toEqual(['warning no-valid-versions empty', 'error version-withdrawn newest']);
    expect(exitCode(report, null)).toBe(1);
  });

  test('lists all reasons why it is hidden', () => {
    expect(verdict(snapshot(['a b'], { 'a b': { versions: [] } }))).toMatchObject({
      visible: false,
      because: ['app-key-unsafe', 'no-valid-versions'],
    });
  });
});

describe('symptoms', () => {
  test('an error confirms a symptom, a warning makes it suspected, and the symptom lists their rules', () => {
    const broken = lint(snapshot('{'));
    expect(broken.symptoms[0]).toEqual({
      id: 'registry-does-not-refresh',
      status: 'confirmed',
      rules: ['document-unreadable'],
    });
    const marked = lint(snapshot('\ufeff{"apps":{}}'));
    expect(marked.symptoms[0]).toEqual({
      id: 'registry-does-not-refresh',
      status: 'suspected',
      rules: ['json-byte-order-mark'],
    });
  });

  test('an error about one version hides no app with another valid version', () => {
    const report = lint(snapshot(['a'], { a: metadataWith('v1', '1.0.0') }));
    expect(report.symptoms[3]).toEqual({
      id: 'app-does-not-appear',
      status: 'suspected',
      rules: ['version-not-semver'],
    });
  });

  test('notes neither confirm a symptom nor make it suspected', () => {
    const report = lint({ ...snapshot(['a']), orphans: ['x/versions.json'] });
    expect(report.symptoms[3]).toEqual({ id: 'app-does-not-appear', status: 'not-judged', rules: [] });
  });

  test('an error confirms only its own symptom', () => {
    const report = lint(snapshot(['a'], { a: { versions: [version({ artifactChecksum: 'sha1:00' })] } }));
    expect(symptoms(report)).toEqual({
      'registry-does-not-refresh': 'not-judged',
      'checksum-mismatch': 'confirmed',
      'icon-does-not-display': 'not-judged',
      // No other version is left.
      'app-does-not-appear': 'confirmed',
    });
    const other = [version({ artifactChecksum: 'sha1:00' }), version({ version: '0.9.0', artifactUrl: `${BASE}0` })];
    expect(symptoms(lint(snapshot(['a'], { a: { versions: other } })))['app-does-not-appear']).toBe('not-judged');
  });

  test('missing facts about artifacts leave the symptoms of the manifest clear', () => {
    const facts = snapshot(['a']);
    const skipped = { missing: { code: 'not-requested', flag: null }, runWide: true };
    Object.assign(facts.manifest, {
      url: `${BASE}registry.json`,
      web: web(probe(hop({ 'content-type': 'application/json' }))),
    });
    for (const { metadata: file, icon: image, artifacts } of facts.apps) {
      file.web = facts.manifest.web;
      Object.assign(image, { url: 'no URL', web: { missing: { code: 'blocked-by', rule: 'url-malformed' } } });
      for (const one of artifacts) Object.assign(one, { web: skipped, content: skipped, archive: skipped });
    }
    expect(symptoms(lint(facts))).toMatchObject({
      'registry-does-not-refresh': 'clear',
      'checksum-mismatch': 'not-judged',
      // Whether a version is offered depends on its artifact.
      'app-does-not-appear': 'not-judged',
    });
  });

  test('a missing baseline leaves all symptoms clear', () => {
    const local = rules.filter((rule) => ['metadata', 'manifest'].includes(rule.on));
    const report = lint(withArtifacts(snapshot(['a'])), { rules: local });
    expect(report.notJudged.length).toBeGreaterThan(0);
    expect(Object.values(symptoms(report))).toEqual(['clear', 'clear', 'clear', 'clear']);
  });
});

describe('apps and versions that are requested by name', () => {
  test('an app that is not listed is hidden and confirms the symptom', () => {
    const report = judgeRequested(snapshot(['a']), ['a', 'b']);
    expect(severityAndRule(report)).toEqual(['error app-not-listed absent']);
    expect(report.apps).toMatchObject([
      { key: 'a', visible: null },
      { key: 'b', visible: false, because: ['app-not-listed'], latest: null },
    ]);
    expect(report.summary.apps).toBe(1);
    expect(report.symptoms[3]).toMatchObject({ status: 'confirmed', rules: ['app-not-listed'] });
  });

  test('the symptoms of icons and artifacts are not clear if no requested app is listed', () => {
    const local = rules.filter((rule) => rule.on === 'manifest');
    const report = lint({ ...snapshot({ apps: {} }), requested: { apps: ['b'], version: null } }, { rules: local });
    expect(statuses(report)).toEqual(['clear', 'not-judged', 'not-judged', 'confirmed']);
  });

  test('an app that is not listed is hidden even if the rule is off', () => {
    const report = lint(
      { ...snapshot(['a']), requested: { apps: ['b'], version: null } },
      { severities: { 'app-not-listed': 'off' } },
    );
    expect(severityAndRule(report)).toEqual([]);
    expect(report.apps.find((found) => found.key === 'b')).toMatchObject({ visible: false });
  });

  test('the visibility is unknown if the manifest is unreadable', () => {
    const report = judgeRequested(snapshot('{'), ['b']);
    expect(severityAndRule(report)).toEqual(['error document-unreadable truncated']);
    expect(report.apps).toEqual([{ key: 'b', visible: null, because: ['document-unreadable'], latest: null }]);
  });

  test('a version that is not listed confirms the symptom of a visible app', () => {
    const report = judgeRequested(snapshot(['a']), ['a'], '9.0.0');
    expect(severityAndRule(report)).toEqual(['error version-not-listed absent']);
    expect(report.findings[0]).toMatchObject({ app: 'a', version: '9.0.0', pointer: '/versions' });
    expect(report.apps).toMatchObject([{ key: 'a', visible: null }]);
    expect(symptoms(report)).toMatchObject({ 'app-does-not-appear': 'confirmed', 'checksum-mismatch': 'not-judged' });
  });

  test('a version that is listed causes no finding', () =>
    expect(severityAndRule(judgeRequested(snapshot(['a']), ['a'], '1.0.0'))).toEqual([]));
});

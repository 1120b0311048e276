import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Content, Baseline, Snapshot } from '../../../src/core/facts/facts.ts';
import { judge, startJudging } from '../../../src/core/engine/judge.ts';
import { exitCode, type Finding, type Report } from '../../../src/core/engine/report.ts';
import { type AnyRule, defineRule } from '../../../src/core/rules/rule.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { checksum, NOW } from '../../support/core-facts.ts';
import { hop, visit, web } from '../../support/visits.ts';
import { artifact, BASE, document, ELSEWHERE, entry, icon, listed, snapshot } from '../../support/snapshots.ts';
import { runs } from '../../support/property-runs.ts';

type Options = Omit<Parameters<typeof judge>[1], 'command'>;
const lint = (facts: Snapshot, options: Options = {}): Report => judge(facts, { command: 'lint', ...options });
const short = ({ findings }: Report): string[] =>
  findings.map((f) => `${f.severity} ${f.rule}${f.cause ? ` ${f.cause}` : ''}`);
const one = (report: Report): Finding => {
  expect(short(report)).toHaveLength(1);
  return report.findings[0]!;
};
const symptoms = (report: Report): Record<string, string> =>
  Object.fromEntries(report.symptoms.map((s) => [s.id, s.status]));
const version = (more: object = {}): object => ({
  version: '1.0.0',
  artifactUrl: `${BASE}apps/a/versions/1.0.0.tar.gz`,
  artifactChecksum: checksum(1),
  ...more,
});
const before = (app: Baseline['app'], keys: string[] = ['a']): Baseline => ({ source: 'origin/main', keys, app });

const app = (more: object): Snapshot => snapshot({ apps: { a: entry('a', more) } });

const metadata = (source: object | string): Snapshot => snapshot(['a'], { a: source });

const verdict = (facts: Snapshot, options: Options = {}) => lint(facts, options).apps[0];

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
    check: () => {
      throw new Error('boom https://u:secret@x.test/');
    },
  });

const gist = (report: Report): unknown => ({
  findings: report.findings
    .map((f) => [f.rule, f.severity, f.symptom, f.cause, f.app, f.resource].join(' '))
    .toSorted(),
  apps: report.apps,
  symptoms: report.symptoms,
});

describe('a sound registry', () => {
  const report = lint(
    snapshot(['a', 'b', '__proto__', 'constructor', '2', '10'], { a: listed('1.0.0', '1.10.0', '1.9.0') }),
  );

  test('has no findings, and counts what was seen', () => {
    expect(short(report)).toEqual([]);
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

  test('shows every app, with its latest version, sorted by key', () => {
    expect(report.apps.map((app) => app.key)).toEqual(['10', '2', '__proto__', 'a', 'b', 'constructor']);
    expect(report.apps.find((app) => app.key === 'a')).toEqual({
      key: 'a',
      visible: true,
      because: [],
      latest: '1.10.0',
    });
    expect(report.apps.every((app) => app.visible === true)).toBe(true);
  });

  test('clears no symptom whose checks need the network', () => {
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

  test('says once per rule that it needs the network, not once per app', () => {
    const offline = report.notJudged.filter((n) => n.reason === 'needs the network');
    expect(offline.length).toBeGreaterThan(10);
    expect(new Set(offline.map((n) => n.rule)).size).toBe(offline.length);
    expect(offline.every((n) => n.app === null && n.version === null && n.resource === null)).toBe(true);
  });

  test('without rules about the network, every symptom is clear', () => {
    const local = rules.filter((rule) =>
      ['document', 'manifest', 'app', 'metadata', 'version', 'url'].includes(rule.on),
    );
    expect(Object.values(symptoms(lint(snapshot(['a']), { rules: local })))).toEqual([
      'clear',
      'clear',
      'clear',
      'clear',
    ]);
  });
});

describe('one fault, one error', () => {
  const table: [name: string, facts: Snapshot, expected: string[]][] = [
    ['an empty manifest file', snapshot(''), ['error document-unreadable empty']],
    ['a manifest that is a page', snapshot('<html><title>x</title>'), ['error document-unreadable html-page']],
    ['a comma too many', snapshot('{"apps":{},}'), ['error document-unreadable trailing-comma']],
    ['100,000 levels', snapshot(`{"apps":{},"x":${'['.repeat(100_000)}`), ['error document-oversized depth']],
    ['a manifest of the wrong type', snapshot('null'), ['error schema-violation wrong-type']],
    ['metadata instead of the manifest', snapshot(listed('1.0.0')), ['error schema-violation metadata-file']],
    [
      'a byte order mark',
      snapshot(`\ufeff${JSON.stringify({ apps: { a: entry('a') } })}`),
      ['warning json-byte-order-mark'],
    ],
    [
      'half a surrogate pair in a name',
      snapshot(JSON.stringify({ apps: { a: entry('a', { name: 'x' }) } }).replace('"x"', '"\\ud800"')),
      ['error document-unreadable lone-surrogate'],
    ],
    [
      'an app twice',
      snapshot(`{"apps":{"a":${JSON.stringify(entry('a'))},"a":${JSON.stringify(entry('a'))}}}`),
      ['error json-duplicate-key'],
    ],
    ['an entry that is null', snapshot({ apps: { a: null } }), ['error schema-violation wrong-type']],
    ['no name', app({ name: undefined }), ['error schema-violation missing']],
    ['a blank name', app({ name: '\u200b' }), ['warning text-empty']],
    ['a name that turns the line around', app({ name: 'a\u202eb' }), ['warning text-unprintable']],
    ['no metadata URL', app({ appMetadataUrl: undefined }), ['error schema-violation missing']],
    ['a relative metadata URL', app({ appMetadataUrl: 'versions.json' }), ['error url-malformed relative']],
    ['a metadata URL over http', app({ appMetadataUrl: 'http://x.test/a.json' }), ['error url-insecure http']],
    [
      'white space around a metadata URL',
      app({ appMetadataUrl: ' https://x.test/a.json' }),
      ['error url-malformed whitespace'],
    ],
    [
      'an icon as a data URL',
      app({ blockStyle: { iconUrl: 'data:image/png;base64,AA', color: '#112233' } }),
      ['error url-malformed scheme'],
    ],
    [
      'an icon with a password',
      app({ blockStyle: { iconUrl: 'https://u:p@x.test/i.svg', color: '#112233' } }),
      ['error url-malformed userinfo'],
    ],
    [
      'a colour by name',
      app({ blockStyle: { iconUrl: `${BASE}i.svg`, color: 'red' } }),
      ['error block-color-malformed'],
    ],
    ['no colour', app({ blockStyle: { iconUrl: `${BASE}i.svg` } }), ['error schema-violation missing']],
    ['an unsafe key', snapshot(['a/b']), ['error app-key-unsafe']],
    ['an empty metadata file', metadata(''), ['error document-unreadable empty']],
    ['the manifest as metadata', metadata({ apps: {} }), ['error schema-violation manifest-file']],
    ['no versions field', metadata({}), ['error schema-violation missing']],
    ['no versions', metadata({ versions: [] }), ['warning no-valid-versions empty']],
    ['versions that are no objects', metadata({ versions: [null] }), ['error schema-violation wrong-type']],
    [
      'a version that is a number',
      metadata({ versions: [version({ version: 1 })] }),
      ['error schema-violation wrong-type'],
    ],
    [
      'an upper-case checksum',
      metadata({ versions: [version({ artifactChecksum: checksum(1).toUpperCase().replace('SHA', 'sha') })] }),
      ['error checksum-malformed uppercase'],
    ],
    [
      'a placeholder',
      metadata({ versions: [version({ artifactChecksum: '' })] }),
      ['error checksum-malformed placeholder'],
    ],
    [
      'zeros',
      metadata({ versions: [version({ artifactChecksum: `sha256:${'0'.repeat(64)}` })] }),
      ['warning checksum-placeholder filler'],
    ],
    [
      'no checksum',
      metadata({ versions: [version({ artifactChecksum: undefined })] }),
      ['error schema-violation missing'],
    ],
    [
      'one bad version among good ones',
      metadata({
        versions: [
          version(),
          version({ version: 'v2', artifactUrl: `${BASE}2.tar.gz`, artifactChecksum: checksum(2) }),
        ],
      }),
      ['error version-not-semver'],
    ],
    [
      'the same version twice',
      metadata({ versions: [version(), version()] }),
      ['error version-duplicate same-checksum'],
    ],
    [
      'one URL for two versions',
      metadata({ versions: [version(), version({ version: '2.0.0', artifactChecksum: checksum(2) })] }),
      ['error artifact-url-shared other-checksum'],
    ],
    [
      'one URL and one checksum for two versions',
      metadata({ versions: [version(), version({ version: '2.0.0' })] }),
      ['warning artifact-url-shared same-checksum'],
    ],
    [
      'an artifact URL with a fragment',
      metadata({ versions: [version({ artifactUrl: `${BASE}1.tar.gz#x` })] }),
      ['warning url-unusual fragment'],
    ],
    ['a zip', metadata({ versions: [version({ artifactUrl: `${BASE}1.zip` })] }), ['warning artifact-suffix']],
    ['no apps', snapshot({ apps: {} }), ['note no-apps']],
    ['an orphan', { ...snapshot(['a']), orphans: ['apps/z/versions.json'] }, ['note metadata-orphaned']],
  ];
  test.each(table)('%s', (_, facts, expected) => expect(short(lint(facts))).toEqual(expected));

  test('a single version that is none is told with its consequence: no version is left', () => {
    expect(short(lint(metadata({ versions: [version({ version: 'v1.0.0' })] })))).toEqual([
      'error no-valid-versions all-invalid',
      'error version-not-semver',
    ]);
  });

  test('all problems in one run', () => {
    const report = lint(
      snapshot(
        { apps: { a: entry('a', { name: 1 }), 'b c': entry('b'), d: entry('d', { appMetadataUrl: 'x' }) }, extra: 1 },
        { b: '{', d: listed('1') },
      ),
    );
    expect(new Set(report.findings.map((f) => f.rule))).toEqual(
      new Set([
        'schema-violation',
        'property-unknown',
        'app-key-unsafe',
        'url-malformed',
        'version-not-semver',
        'no-valid-versions',
      ]),
    );
  });
});

describe('places', () => {
  test('a finding names app, version, file, URL, pointer, line and column', () => {
    const finding = one(lint(snapshot(['a'], { a: listed('1.0.0', '01.2.3') })));
    expect(finding).toMatchObject({
      rule: 'version-not-semver',
      spec: '2.2',
      symptom: 'app-does-not-appear',
      app: 'a',
      version: '01.2.3',
      resource: 'metadata',
      file: 'apps/a/versions.json',
      url: `${BASE}apps/a/versions.json`,
      pointer: '/versions/1/version',
      line: 9,
      column: 18,
    });
  });

  test('a rule on a URL of the manifest points into the manifest, and is about what the URL names', () => {
    const finding = one(lint(snapshot({ apps: { a: entry('a', { appMetadataUrl: 'http://x.test/a.json' }) } })));
    expect(finding).toMatchObject({
      resource: 'metadata',
      app: 'a',
      file: 'registry.json',
      url: 'http://x.test/a.json',
      pointer: '/apps/a/appMetadataUrl',
      symptom: 'app-does-not-appear',
    });
    expect(finding.line).toBe(10);
  });

  test('an icon’s URL takes the icon’s symptom, an artifact’s the artifact’s', () => {
    expect(
      one(
        lint(
          snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: 'http://x.test/i.svg', color: '#112233' } }) } }),
        ),
      ),
    ).toMatchObject({ resource: 'icon', symptom: 'icon-does-not-display', pointer: '/apps/a/blockStyle/iconUrl' });
    expect(
      one(lint(snapshot(['a'], { a: { versions: [version({ artifactUrl: 'http://x.test/a.tar.gz' })] } }))),
    ).toMatchObject({
      resource: 'artifact',
      symptom: 'checksum-mismatch',
      pointer: '/versions/0/artifactUrl',
      version: '1.0.0',
    });
  });

  test('a key is pointed at by its name, a value where it begins', () => {
    expect(one(lint(snapshot(`{"apps":{\n  "a b": ${JSON.stringify(entry('a'))}}}`)))).toMatchObject({
      rule: 'app-key-unsafe',
      pointer: '/apps/a b',
      line: 2,
      column: 3,
    });
    expect(
      one(lint(snapshot(`{"apps":{}, "more":\r\n   1, "x-y": 2}`), { severities: { 'no-apps': 'off' } })),
    ).toMatchObject({ rule: 'property-unknown', line: 1, column: 13 });
  });

  test('what is missing is pointed at where it is missing', () => {
    expect(
      one(
        lint(
          snapshot(
            '{"apps": {\n    "a": {"name": "A", "description": "B", "appMetadataUrl": "https://x.test/a.json"}}}',
          ),
        ),
      ),
    ).toMatchObject({ cause: 'missing', pointer: '/apps/a', line: 2, column: 10 });
  });

  test('the later one of two is pointed at', () => {
    expect(one(lint(snapshot(`{"apps": {},\n\n "apps": {}}`), { severities: { 'no-apps': 'off' } }))).toMatchObject({
      rule: 'json-duplicate-key',
      line: 3,
      column: 2,
      pointer: '/apps',
    });
  });

  test('a key with / and ~ is escaped in the pointer and whole in the finding', () => {
    expect(one(lint(snapshot({ apps: { 'a/~b': 1 } }), { severities: { 'app-key-unsafe': 'off' } }))).toMatchObject({
      pointer: '/apps/a~1~0b',
      app: 'a/~b',
      line: 3,
    });
  });

  test('bytes that are no UTF-8 have a line and a column as well', () => {
    const content = {
      text: null,
      base64: Buffer.from('{\n "é": "\xff"}', 'latin1').toString('base64'),
      bytes: 10,
      cut: false,
    };
    const utf8 = {
      ...content,
      base64: Buffer.concat([Buffer.from('{\n "é": "'), Buffer.from([0xff]), Buffer.from('"}')]).toString('base64'),
    };
    expect(
      one(lint({ ...snapshot('{}'), apps: [], manifest: { ...document('{}', 'registry.json'), content: utf8 } })),
    ).toMatchObject({ rule: 'document-unreadable', cause: 'not-utf8', line: 2, column: 8 });
  });

  test('a byte order mark takes no column', () => {
    expect(lint(snapshot('\ufeff{,}')).findings.map((f) => [f.rule, f.line, f.column])).toEqual(
      [
        ['document-unreadable', 1, 2],
        ['json-byte-order-mark', 1, 1],
      ].toSorted(),
    );
  });

  test('a document that nobody could read leaves its findings without a position', () => {
    const facts = snapshot(['a'], { a: { missing: { code: 'blocked-by', rule: 'file-missing' } } });
    facts.apps[0]!.metadata.local = 'missing';
    expect(one(lint(facts))).toMatchObject({
      rule: 'file-missing',
      line: null,
      column: null,
      file: 'apps/a/versions.json',
    });
  });
});

describe('order', () => {
  test('the manifest first, then by app, version and rule, whatever the order of the files', () => {
    const report = lint(
      snapshot(
        { more: 1, apps: { z: entry('z', { name: '' }), a: entry('a', { description: '' }) } },
        { a: listed('v1', '10.0.0-rc', '9.0.0-rc', '1.0'), z: listed('1.0.0+b', '1.0.0-a') },
      ),
      { severities: { 'metadata-url-shared': 'off' } },
    );
    expect(report.findings.map((f) => [f.app, f.version, f.rule])).toEqual([
      [null, null, 'property-unknown'],
      ['a', null, 'text-empty'],
      ['a', '9.0.0-rc', 'version-not-plain'],
      ['a', '10.0.0-rc', 'version-not-plain'],
      ['a', '1.0', 'version-not-semver'],
      ['a', 'v1', 'version-not-semver'],
      ['z', null, 'text-empty'],
      ['z', '1.0.0-a', 'version-not-plain'],
      ['z', '1.0.0+b', 'version-not-plain'],
    ]);
  });

  test('is one order, though versions and texts that are none are mixed', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['10.0.0-a', '9.0.0-a', '5x', '9x', 'v1', '1.0.0-b', '']), (versions) => {
        const order = lint(snapshot(['a'], { a: listed(...versions) })).findings.map((f) => f.version);
        const again = lint(snapshot(['a'], { a: listed(...versions.toReversed()) })).findings.map((f) => f.version);
        expect(again).toEqual(order);
      }),
    );
  });
});

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
    ['no valid version', snapshot(['a'], { a: listed('v1') }), ['no-valid-versions']],
    [
      'no version with a checksum',
      snapshot(['a'], { a: { versions: [version({ artifactChecksum: null })] } }),
      ['schema-violation'],
    ],
    ['two reasons', snapshot(['a b'], { 'a b': '' }), ['app-key-unsafe', 'document-unreadable']],
  ])('hidden: %s', (_, facts, because) => {
    const report = lint(facts);
    expect(report.apps[0]).toMatchObject({ visible: false, because });
    expect(symptoms(report)['app-does-not-appear']).toBe('confirmed');
  });

  test.each<[name: string, facts: Snapshot]>([
    ['one valid version is enough', snapshot(['a'], { a: listed('v1', '1.0.0') })],
    ['a pre-release alone', snapshot(['a'], { a: listed('1.0.0-rc.1') })],
    [
      'an icon that cannot be had',
      snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: 'x', color: '#112233' } }) } }),
    ],
    ['a bad colour', snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: `${BASE}i.svg`, color: 'red' } }) } })],
    [
      'a malformed checksum, which fails later',
      snapshot(['a'], { a: { versions: [version({ artifactChecksum: 'unknown' })] } }),
    ],
  ])('visible: %s', (_, facts) => expect(verdict(facts)).toMatchObject({ visible: true, because: [] }));

  test('not known: metadata that lies elsewhere', () => {
    expect(verdict(snapshot(['a'], { a: ELSEWHERE }))).toEqual({ key: 'a', visible: null, because: [], latest: null });
  });

  test('latest is the highest valid one, also of a hidden app', () => {
    expect(verdict(snapshot(['a b'], { 'a b': listed('1.9.0', '1.10.0', '2.0.0-rc.1', 'v9') }))).toMatchObject({
      visible: false,
      latest: '1.10.0',
    });
  });

  test('settings change how a rule is told, not what subscribers see', () => {
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

  test('is a warning and hidden, and the run succeeds', () => {
    const report = lint(facts);
    expect(short(report)).toEqual(['warning no-valid-versions empty']);
    expect(report.apps).toMatchObject([
      { key: 'a', visible: false, because: ['no-valid-versions'], latest: null },
      { key: 'b', visible: true },
    ]);
    expect(symptoms(report)['app-does-not-appear']).toBe('confirmed');
    expect(exitCode(report, null)).toBe(0);
  });

  test.each([
    ['of which none is a version', listed('v1')],
    ['of which none is an object', { versions: [null] }],
  ])('lists elements %s: an error', (_, source) => {
    expect(exitCode(lint(metadata(source)), null)).toBe(1);
    const lowered = lint(metadata(source), {
      severities: { 'schema-violation': 'note', 'version-not-semver': 'note' },
    });
    expect(short(lowered)).toContain('error no-valid-versions all-invalid');
  });

  test('with a version in the earlier state: an error of the history', () => {
    const earlier = before(() => [{ version: '1.0.0', artifactUrl: `${BASE}1.tar.gz`, artifactChecksum: checksum(1) }]);
    const report = lint(snapshot(['a'], { a: { versions: [] } }), { baseline: earlier });
    expect(short(report)).toEqual(['warning no-valid-versions empty', 'error version-withdrawn newest']);
    expect(exitCode(report, null)).toBe(1);
  });

  test('keeps every reason that hides it', () => {
    expect(verdict(snapshot(['a b'], { 'a b': { versions: [] } }))).toMatchObject({
      visible: false,
      because: ['app-key-unsafe', 'no-valid-versions'],
    });
  });
});

describe('symptoms', () => {
  test('confirmed by an error, suspected for a warning, with the rules that say so', () => {
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

  test('an error about a version hides no app as long as another version is valid', () => {
    const report = lint(snapshot(['a'], { a: listed('v1', '1.0.0') }));
    expect(report.symptoms[3]).toEqual({
      id: 'app-does-not-appear',
      status: 'suspected',
      rules: ['version-not-semver'],
    });
  });

  test('notes confirm and suspect nothing', () => {
    const report = lint({ ...snapshot(['a']), orphans: ['x/versions.json'] });
    expect(report.symptoms[3]).toEqual({ id: 'app-does-not-appear', status: 'not-judged', rules: [] });
  });

  test('each has its own', () => {
    const report = lint(snapshot(['a'], { a: { versions: [version({ artifactChecksum: 'sha1:00' })] } }));
    expect(symptoms(report)).toEqual({
      'registry-does-not-refresh': 'not-judged',
      'checksum-mismatch': 'confirmed',
      'icon-does-not-display': 'not-judged',
      'app-does-not-appear': 'not-judged',
    });
  });

  test('what is unknown about one kind of file casts no doubt on the symptoms of another', () => {
    const facts = snapshot(['a']);
    const skipped = { missing: { code: 'not-requested', flag: null }, runWide: true };
    Object.assign(facts.manifest, {
      url: `${BASE}registry.json`,
      web: web(visit(hop({ 'content-type': 'application/json' }))),
    });
    for (const { metadata: file, icon: image, artifacts } of facts.apps) {
      file.web = facts.manifest.web;
      Object.assign(image, { url: 'no URL', web: { missing: { code: 'blocked-by', rule: 'url-malformed' } } });
      for (const one of artifacts) Object.assign(one, { web: skipped, content: skipped, archive: skipped });
    }
    expect(symptoms(lint(facts))).toMatchObject({
      'registry-does-not-refresh': 'clear',
      'checksum-mismatch': 'not-judged',
      'app-does-not-appear': 'clear',
    });
  });

  test('that no earlier state was given casts no doubt', () => {
    const local = rules.filter((rule) => ['metadata', 'manifest'].includes(rule.on));
    const report = lint(snapshot(['a']), { rules: local });
    expect(report.notJudged.length).toBeGreaterThan(0);
    expect(Object.values(symptoms(report))).toEqual(['clear', 'clear', 'clear', 'clear']);
  });
});

const asked = (facts: Snapshot, apps: string[], wanted: string | null = null): Report =>
  lint({ ...facts, requested: { apps, version: wanted } });
const statuses = (report: Report): string[] => Object.values(symptoms(report));

describe('what was asked for by name', () => {
  test('an app that is not listed is hidden, and confirms the symptom', () => {
    const report = asked(snapshot(['a']), ['a', 'b']);
    expect(short(report)).toEqual(['error app-not-listed absent']);
    expect(report.apps).toMatchObject([
      { key: 'a', visible: true },
      { key: 'b', visible: false, because: ['app-not-listed'], latest: null },
    ]);
    expect(report.summary.apps).toBe(1);
    expect(report.symptoms[3]).toMatchObject({ status: 'confirmed', rules: ['app-not-listed'] });
  });

  test('where none of what was asked for is listed, icons and artifacts are not called clear', () => {
    const local = rules.filter((rule) => rule.on === 'manifest');
    const report = lint({ ...snapshot({ apps: {} }), requested: { apps: ['b'], version: null } }, { rules: local });
    expect(statuses(report)).toEqual(['clear', 'not-judged', 'not-judged', 'confirmed']);
  });

  test('with the rule off, the app is as hidden as it was', () => {
    const report = lint(
      { ...snapshot(['a']), requested: { apps: ['b'], version: null } },
      { severities: { 'app-not-listed': 'off' } },
    );
    expect(short(report)).toEqual([]);
    expect(report.apps.find((found) => found.key === 'b')).toMatchObject({ visible: false });
  });

  test('behind a manifest that cannot be read nobody knows', () => {
    const report = asked(snapshot('{'), ['b']);
    expect(short(report)).toEqual(['error document-unreadable truncated']);
    expect(report.apps).toEqual([{ key: 'b', visible: null, because: ['document-unreadable'], latest: null }]);
  });

  test('a version that is not listed confirms the symptom of an app that is visible', () => {
    const report = asked(snapshot(['a']), ['a'], '9.0.0');
    expect(short(report)).toEqual(['error version-not-listed absent']);
    expect(report.findings[0]).toMatchObject({ app: 'a', version: '9.0.0', pointer: '/versions' });
    expect(report.apps).toMatchObject([{ key: 'a', visible: true }]);
    expect(symptoms(report)).toMatchObject({ 'app-does-not-appear': 'confirmed', 'checksum-mismatch': 'not-judged' });
  });

  test('a version that is listed', () => expect(short(asked(snapshot(['a']), ['a'], '1.0.0'))).toEqual([]));
});

describe('settings', () => {
  const facts = snapshot({ apps: { a: entry('a', { name: '' }) } });

  test.each(['note', 'warning', 'error'] as const)('a rule can weigh as %s', (severity) => {
    const report = lint(facts, { severities: { 'text-empty': severity } });
    expect(one(report).severity).toBe(severity);
    expect(report.summary[`${severity}s`]).toBe(1);
  });

  test('a rule that is off says nothing, not even that it was not judged', () => {
    const report = lint(facts, { severities: { 'text-empty': 'off', unreachable: 'off' } });
    expect(short(report)).toEqual([]);
    expect(report.notJudged.filter((n) => n.rule === 'unreachable')).toEqual([]);
  });

  test('a setting beats what a rule says of one case', () => {
    const local = snapshot({ apps: { a: entry('a', { appMetadataUrl: 'http://localhost/a.json' }) } });
    expect(one(lint(local)).severity).toBe('warning');
    expect(one(lint(local, { severities: { 'url-insecure': 'error' } })).severity).toBe('error');
  });

  test('turning any one rule off breaks nothing', () => {
    const odd = snapshot(
      {
        more: 1,
        apps: {
          'a b': entry('a b', { name: '\u202e', appMetadataUrl: ' https://x.test/' }),
          b: entry('b', { blockStyle: { iconUrl: 'https:\\\\x.test', color: 1 } }),
          c: 1,
        },
      },
      {
        'a b': listed('v1', '1.0.0', '1.0.0+a'),
        b: { versions: [version({ artifactUrl: 'https://u:p@x.test/#latest', artifactChecksum: 'x' }), 1] },
      },
    );
    for (const rule of rules) expect(lint(odd, { severities: { [rule.id]: 'off' } }).outcome, rule.id).toBe('findings');
  });

  test('exit codes', () => {
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

describe('not judged', () => {
  test('a rule that throws: the others go on, the run is incomplete, and the exit code is 2', () => {
    const report = lint(snapshot({ apps: { a: entry('a', { name: '' }) } }), { rules: [crash('app'), ...rules] });
    expect(short(report)).toEqual(['warning text-empty']);
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
    const many = snapshot(['a'], { a: listed(...Array.from({ length: 500 }, (_, i) => `1.0.${i}`)) });
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
      check: () => ({ message: 'm', advice: 'a', dedupeKey: 'x.test' }),
    });
    const finding = one(lint(snapshot(['a', 'b', 'c']), { rules: [perHost] }));
    expect(finding).toMatchObject({ app: 'a', evidence: { alsoHit: 2, alsoApps: ['b', 'c'] } });
  });

  test('what several apps name by one URL has its faults once', () => {
    const missing = web(visit([hop({}, { status: 404 })]));
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
    expect(short(report)).toEqual(['error schema-violation missing']);
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
      needs: ['role'],
      severity: 'error',
      spec: null,
      symptom: null,
      hidesApp: true,
      hiddenReason: 'It is hidden.',
      owner: 'author',
      failsWhen: '',
      why: '',
      check: ({ role }) => (role === 'metadata' ? { message: 'm', advice: 'a', dedupeKey: 'x.test' } : null),
    });
    const report = lint(snapshot(['a', 'b']), { rules: [perHost] });
    expect(report.apps).toMatchObject([
      { key: 'a', visible: false, because: ['per-host'] },
      { key: 'b', visible: false, because: ['per-host'] },
    ]);
    one(report);
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
      check: () => ({ message: 'm', advice: 'a', dedupeKey: 'x.test' }),
    });
    const { evidence } = one(lint(snapshot(Array.from({ length: 300 }, (_, i) => `a${i}`)), { rules: [perHost] }));
    expect(evidence['alsoHit']).toBe(299);
    expect(evidence['alsoApps']).toHaveLength(20);
  });
});

describe('against an earlier state', () => {
  const published = [
    { version: '1.0.0', artifactUrl: `${BASE}apps/a/versions/1.0.0.tar.gz`, artifactChecksum: checksum(1) },
  ];

  test('unchanged', () => {
    expect(
      short(lint(snapshot(['a'], { a: listed('1.0.0', '1.1.0') }), { baseline: before(() => published) })),
    ).toEqual([]);
  });

  test('changed, moved, withdrawn', () => {
    const now = { versions: [version({ artifactChecksum: checksum(9) })] };
    expect(short(lint(snapshot(['a'], { a: now }), { baseline: before(() => published) }))).toEqual([
      'error artifact-changed',
    ]);
    expect(
      short(
        lint(snapshot(['a'], { a: { versions: [version({ artifactUrl: `${BASE}b.tar.gz` })] } }), {
          baseline: before(() => published),
        }),
      ),
    ).toEqual(['warning artifact-moved']);
    expect(short(lint(snapshot(['a'], { a: listed('2.0.0') }), { baseline: before(() => published) }))).toEqual([
      'error version-withdrawn',
    ]);
    expect(short(lint(snapshot(['b']), { baseline: before((key) => (key === 'a' ? published : null)) }))).toEqual([
      'warning app-withdrawn',
    ]);
  });

  test('an app that is new has nothing to keep', () => {
    expect(short(lint(snapshot(['a']), { baseline: before(() => null, []) }))).toEqual([]);
  });

  test('what is not known of the earlier state is said', () => {
    const report = lint(snapshot(['a']), {
      baseline: before(() => ({
        missing: { code: 'baseline-without-metadata', state: 'absent', source: 'origin/main' },
      })),
    });
    expect(report.notJudged).toContainEqual({
      rule: 'artifact-changed',
      app: 'a',
      version: null,
      resource: 'metadata',
      code: 'baseline-without-metadata',
      reason: 'its metadata is not in origin/main',
      count: null,
    });
    expect(symptoms(report)['checksum-mismatch']).toBe('not-judged');
  });
});

describe('secrets and hostile text', () => {
  test('no secret that stands in a URL gets into a report', () => {
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
    const earlier = before(() => [
      { version: '1.0.0', artifactUrl: `${url}&x=1`, artifactChecksum: checksum(1) },
      { version: '0.1.0', artifactUrl: url, artifactChecksum: 'x' },
    ]);
    const report = lint(facts, { baseline: { ...earlier, source: url } });
    expect(report.findings.length).toBeGreaterThan(6);
    // A fragment without a name is no usual place for one; everything else is hidden.
    expect(JSON.stringify(report).replaceAll(`#${secret}`, '')).not.toContain(secret);
  });

  test('messages and evidence are bounded', () => {
    const long = 'x'.repeat(100_000);
    const report = lint(
      snapshot(
        { apps: { [long]: entry('a', { name: `${long}\u202e`, appMetadataUrl: long }) }, [long]: 1 },
        { [long]: listed(long) },
      ),
    );
    for (const f of report.findings) {
      expect(f.message.length).toBeLessThanOrEqual(1000);
      expect(f.advice.length).toBeLessThanOrEqual(1000);
      for (const value of Object.values(f.evidence)) expect(String(value).length).toBeLessThanOrEqual(500);
    }
  });
});

/** JSON text of a value with its members and elements in another order, and other white space. */
function respelt(value: unknown, random: () => number): string {
  const shuffle = <T>(list: T[]): T[] =>
    list
      .map((item) => [random(), item] as const)
      .toSorted((a, b) => a[0] - b[0])
      .map(([, item]) => item);
  const gap = (): string => ['', ' ', '\n', '\r\n\t'][Math.floor(random() * 4)]!;
  if (Array.isArray(value))
    return `[${gap()}${shuffle(value.map((item) => respelt(item, random))).join(`${gap()},${gap()}`)}${gap()}]`;
  if (typeof value === 'object' && value !== null)
    return `{${shuffle(Object.entries(value).map(([name, item]) => `${gap()}${JSON.stringify(name)}${gap()}:${gap()}${respelt(item, random)}`)).join(',')}${gap()}}`;
  return JSON.stringify(value);
}

describe('the order of things in a file has no meaning', () => {
  const text = fc.constantFrom('1.0.0', '1.0.1', '2.0.0-rc.1', '1.0.0+b', 'v1', '1.0', '', '10.0.0');
  const url = fc.constantFrom(
    `${BASE}1.tar.gz`,
    `${BASE}2.tar.gz`,
    `${BASE}2.tar.gz#x`,
    'ftp://x.test/',
    'https://x.test/latest/a.zip',
  );
  const sum = fc.constantFrom(checksum(1), checksum(2), 'unknown', checksum(2).toUpperCase());
  const versions = fc.array(
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record(
          { version: text, artifactUrl: url, artifactChecksum: sum, size: fc.constant(1) },
          { requiredKeys: ['version'] },
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom(null, 'x', {}) },
    ),
    { maxLength: 5 },
  );
  test('the same findings, verdicts and symptoms', () => {
    // checksum-shared pairs versions by what the file has first; it is a note.
    const options: Options = { severities: { 'checksum-shared': 'off' } };
    fc.assert(
      fc.property(
        versions,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })),
        (list, stream) => {
          const random = (): number => stream.next().value as number;
          const manifest = { apps: { a: entry('a'), 'b c': entry('b', { name: '' }) }, more: true };
          const plain = lint(snapshot(manifest, { a: { versions: list } }), options);
          const other = lint(snapshot(respelt(manifest, random), { a: respelt({ versions: list }, random) }), options);
          expect(gist(other)).toEqual(gist(plain));
        },
      ),
      { numRuns: runs(600) },
    );
  });
});

describe('portions', () => {
  const odd = snapshot(
    { more: 1, apps: { b: entry('b', { name: '' }), 'a b': entry('a b'), c: 1 } },
    { b: listed('v1', '1.0.0', '1.0.0'), 'a b': '{"versions":[],}' },
  );

  test('judged one by one give the same report as the whole', () => {
    const judging = startJudging({ command: 'lint', target: '.', now: NOW });
    judging.manifest(odd.manifest);
    for (const app of odd.apps) judging.app(app);
    judging.orphans([]);
    expect(judging.finish(0)).toEqual(lint(odd));
  });

  test('judged in another order give the same findings', () => {
    const judging = startJudging({ command: 'lint', target: '.', now: NOW });
    judging.manifest(odd.manifest);
    for (const app of odd.apps.toReversed()) judging.app(app);
    expect(judging.finish(0).findings).toEqual(lint(odd).findings);
  });

  test('saved and judged again give the same report', () => {
    expect(lint(JSON.parse(JSON.stringify(odd)) as Snapshot)).toEqual(lint(odd));
  });

  test('a report goes through JSON unharmed', () => {
    const report = lint(odd);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('a metadata file by itself has no app', () => {
    const judging = startJudging({ command: 'lint', target: 'versions.json', now: NOW });
    judging.metadata(document(listed('v1', '1.0.0'), 'versions.json'), [artifact(), artifact()]);
    const report = judging.finish(0);
    expect(one(report)).toMatchObject({
      rule: 'version-not-semver',
      app: null,
      version: 'v1',
      file: 'versions.json',
      line: 4,
    });
    expect(report.apps).toEqual([]);
    expect(report.summary.versions).toBe(2);
  });

  test('artifacts that were hashed are counted, with their bytes', () => {
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

test('each finding is passed to onFinding when its app is judged', () => {
  const facts = metadata({ versions: [version({ artifactChecksum: 'SHA256:00' }), version({ version: '1' })] });
  const found: Finding[] = [];
  const judging = startJudging({
    command: 'lint',
    target: facts.target,
    now: facts.seenAt,
    onFinding: (finding) => void found.push(finding),
  });
  judging.manifest(facts.manifest);
  expect(found).toEqual([]);
  for (const app of facts.apps) judging.app(app);
  const rulesFound = found.map(({ rule }) => rule);
  const report = judging.finish(0);
  expect(rulesFound.toSorted()).toEqual(report.findings.map(({ rule }) => rule).toSorted());
  expect(rulesFound.length).toBeGreaterThan(1);
});

test('a manifest that nobody asked for over the network leaves nothing judged about how it answers', () => {
  const report = lint(snapshot(['a']));
  expect(report.notJudged.some((n) => n.rule === 'unreachable' && n.code === 'offline')).toBe(true);
});

const heard = (facts: Snapshot, headers: Record<string, string>): Snapshot => {
  facts.manifest.web = web(visit(hop({ 'content-type': 'application/json', ...headers })));
  return facts;
};
const reasons = ({ notJudged }: Report): string[] => notJudged.filter((n) => n.rule === '*').map((n) => n.reason);

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

const adviceFor = (key: string): string =>
  lint(snapshot([key], { [key]: { versions: [] } })).findings.find((f) => f.rule === 'no-valid-versions')!.advice;

describe('advice', () => {
  test('fills the app’s key into commands, where it is one', () => {
    expect(adviceFor('mailer')).toContain('publish-version mailer 1.0.0');
    expect(adviceFor('no key')).toContain('publish-version <app> 1.0.0');
  });
});

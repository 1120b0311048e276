import { expect, test } from 'vitest';
import { judge } from '../../../../src/core/engine/judge.ts';
import { isMissing, type MaterialsFacts, type Missing } from '../../../../src/core/facts/facts.ts';
import { packageVulnerable } from '../../../../src/core/rules/artifacts/package-vulnerable.ts';
import { materialsFacts } from '../../../support/materials.ts';
import { ruleTable } from '../../../support/rule-table.ts';

function facts(...lines: string[]): { materials: MaterialsFacts } {
  return materialsFacts(lines.join('\n')) as { materials: MaterialsFacts };
}

const known = (id: string, fixed: string[], more: object = {}) => ({
  id,
  aliases: [],
  summary: '',
  severity: null,
  fixed,
  ...more,
});
const about = (...advisories: ReturnType<typeof known>[]): { materials: MaterialsFacts } => ({
  materials: { packages: 1, vulnerable: [{ name: 'a', version: '1.0.0', advisories }] },
});

ruleTable(packageVulnerable, {
  clean: [
    ['no packages', facts()],
    ['no advisories', facts('component: pkg:npm/a@1.0.0')],
    ['a fixed version', facts('component: pkg:npm/a@1.0.0', 'advisory: X-1 a <1.0.0')],
    ['another package', facts('component: pkg:npm/a@1.0.0', 'advisory: X-1 b <2.0.0')],
  ],
  faulty: [
    [
      'one',
      facts('component: pkg:npm/a@1.0.0', 'component: pkg:npm/b@1.0.0', 'advisory: X-1 a <1.0.1'),
      {
        message: 'The artifact contains a 1.0.0, which has a known vulnerability: X-1.',
        advice: 'Update a to 1.0.1 or later',
        evidence: { package: 'a', packageVersion: '1.0.0', advisories: ['X-1'], fixed: '1.0.1' },
      },
    ],
    [
      'several packages',
      facts(
        'component: pkg:npm/a@1.0.0',
        'component: pkg:npm/b@1.0.0',
        'advisory: X-1 a <2.0.0',
        'advisory: X-2 b <2.0.0',
      ),
      [{ message: 'a 1.0.0' }, { message: 'b 1.0.0' }],
    ],
    [
      'several advisories: the version in which all are fixed',
      about(known('X-1', ['1.0.5', '2.0.0']), known('X-2', ['1.10.0'])),
      { message: '2 known vulnerabilities: X-1; X-2.', advice: 'Update a to 1.10.0 or later' },
    ],
    [
      'one that is not fixed',
      about(known('X-1', ['1.0.5']), known('X-2', [])),
      {
        advice: 'https://osv.dev/vulnerability/X-2',
        evidence: { package: 'a', packageVersion: '1.0.0', advisories: ['X-1', 'X-2'], fixed: null },
      },
    ],
    [
      'with its details',
      about(known('GHSA-1', ['1.0.1'], { aliases: ['X', 'CVE-2026-1'], severity: 'high', summary: 'Injection in a' })),
      { message: 'vulnerability: GHSA-1 (CVE-2026-1, high), Injection in a.' },
    ],
    [
      'many',
      about(...Array.from({ length: 9 }, (_, i) => known(`X-${i}`, ['2.0.0']))),
      { message: 'X-4; and 4 more.' },
    ],
    [
      'hostile text',
      about(known('X\u001b[31m\n', ['1.0.1\u0007'], { summary: '::error::x' })),
      { message: 'X\\u{1b}[31m' },
    ],
  ],
});

/** The report about a registry whose only artifact has these facts about its packages. */
function reportWith(materials: MaterialsFacts | Missing | undefined) {
  const offline: Missing = { missing: { code: 'offline' }, runWide: true };
  const document = (value: object) => {
    const text = JSON.stringify(value);
    return { url: null, file: 'x.json', web: offline, content: { text, base64: null, bytes: text.length, cut: false } };
  };
  const versions = [
    { version: '1.0.0', artifactUrl: 'https://a.example/a.tar.gz', artifactChecksum: `sha256:${'0'.repeat(64)}` },
  ];
  const blockStyle = { iconUrl: 'https://a.example/i.svg', color: '#112233' };
  const app = { name: 'A', description: 'D', blockStyle, appMetadataUrl: 'https://a.example/a.json' };
  const none = { url: null, file: null, web: offline, content: offline };
  return judge(
    {
      snapshot: 1,
      target: 'x',
      seenAt: '2026-01-01T00:00:00Z',
      origins: [],
      manifest: document({ apps: { a: app } }),
      apps: [
        {
          key: 'a',
          metadata: document({ versions }),
          icon: { ...none, image: offline },
          artifacts: [{ ...none, url: versions[0]!.artifactUrl, archive: offline, ...(materials && { materials }) }],
        },
      ],
      orphans: [],
    },
    { command: 'judge' },
  );
}

test('without advisories the report does not mention the rule', () => {
  expect(JSON.stringify(reportWith(undefined))).not.toContain('package-vulnerable');
});

test('a finding names the version of the app; without a bill of materials the rule is not judged', () => {
  const { materials } = facts('component: pkg:npm/a@1.0.0', 'advisory: X-1 a <1.0.1');
  expect(reportWith(materials).findings).toContainEqual(
    expect.objectContaining({ rule: 'package-vulnerable', severity: 'warning', app: 'a', version: '1.0.0' }),
  );
  const missing: Missing = { missing: { code: 'bill-missing' } };
  expect(isMissing(missing)).toBe(true);
  expect(reportWith(missing).notJudged).toContainEqual(
    expect.objectContaining({ rule: 'package-vulnerable', reason: 'no bill of materials is beside it' }),
  );
});

import { createHash } from 'node:crypto';
import type { Report } from '../../../src/core/findings/report.ts';
import { type AppView, type VersionView } from '../../src/domain/apps.ts';
import { type AttestationView } from '../../src/domain/attestation-view.ts';
import { type PolicyHold } from '../../src/domain/policies.ts';
import { type OrganizationView } from '../../src/domain/organizations.ts';
import { type SubscriptionView } from '../../src/domain/registries.ts';
import { finding, notJudged, report } from '../../../test/support/reports.ts';

/** Sample data for the screens. */

export const NOW = new Date('2026-05-04T10:00:00Z');

export function minutesFrom(from: number): string {
  return new Date(NOW.getTime() + from * 60_000).toISOString();
}

export function organization(more: Partial<OrganizationView> = {}): OrganizationView {
  return {
    id: '3f1f2a52-5a0c-4a3c-9d41-6a2f0f4f7c10',
    name: 'Northwind Automation',
    createdAt: '2026-01-12T09:00:00.000Z',
    tokenSince: '2026-03-02T09:00:00.000Z',
    ...more,
  };
}

export function subscription(more: Partial<SubscriptionView> = {}): SubscriptionView {
  return {
    id: '0b9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
    url: 'https://apps.example.com/registry.json',
    name: 'Example apps',
    official: false,
    auth: null,
    createdAt: '2026-02-03T09:00:00.000Z',
    state: 'good',
    checking: false,
    progress: null,
    checkedAt: minutesFrom(-12),
    goodAt: minutesFrom(-12),
    failingSince: null,
    nextCheckAt: minutesFrom(48),
    errors: 0,
    warnings: 0,
    symptoms: report().symptoms,
    apps: 12,
    visible: 12,
    ...more,
  };
}

export const PROBLEMS = subscription({
  id: '1c9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
  name: 'Vendor tools',
  url: 'https://vendor.example.net/appreg/registry.json',
  state: 'problems',
  errors: 3,
  warnings: 1,
  apps: 5,
  visible: 3,
  symptoms: report().symptoms.map((symptom) =>
    symptom.id === 'checksum-mismatch' || symptom.id === 'app-does-not-appear'
      ? { ...symptom, status: 'confirmed' as const }
      : symptom.id === 'icon-does-not-display'
        ? { ...symptom, status: 'suspected' as const }
        : symptom,
  ),
});

export const SUSPECTED = subscription({
  id: '6c9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
  name: 'Partner blocks',
  warnings: 113,
  symptoms: report().symptoms.map((symptom) =>
    symptom.id === 'registry-does-not-refresh' ? { ...symptom, status: 'suspected' as const } : symptom,
  ),
});

export const FAILING = subscription({
  id: '2c9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
  name: 'Internal',
  url: 'https://git.internal.example/raw/registry.json',
  state: 'failing',
  failingSince: minutesFrom(-190),
  goodAt: minutesFrom(-250),
  nextCheckAt: minutesFrom(100),
  errors: 1,
  apps: 4,
  visible: 4,
  symptoms: report().symptoms.map((symptom) =>
    symptom.id === 'registry-does-not-refresh'
      ? { ...symptom, status: 'confirmed' as const }
      : { ...symptom, status: 'not-judged' as const },
  ),
});

export const FRESH = subscription({
  id: '3c9c4a0e-7b1d-4a56-8f5e-0c1b2a3d4e5f',
  name: 'Brand new',
  state: 'checking',
  checking: true,
  checkedAt: null,
  goodAt: null,
  apps: 0,
  visible: 0,
  symptoms: [],
});

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

export function app(more: Partial<AppView> = {}): AppView {
  return {
    key: 'clock',
    name: 'Clock',
    description: 'Starts a flow at a time of the day, in any time zone, and knows public holidays.',
    color: '#336699',
    iconFragment: '',
    icon: null,
    visible: true,
    reasons: [],
    latest: '2.1.0',
    deprecated: null,
    links: { homepage: null, source: null, licence: null, support: null },
    offered: 4,
    versions: 4,
    failingSince: null,
    ...more,
  };
}

export function version(more: Partial<VersionView> = {}): VersionView {
  const number = more.version ?? '2.1.0';
  return {
    version: number,
    artifactUrl: `https://apps.example.com/clock/clock-${number}.tar.gz`,
    artifactChecksum: `sha256:${digest(number)}`,
    firstSeenAt: '2026-04-02T09:00:00.000Z',
    state: 'verified',
    offered: true,
    reason: null,
    verifiedAt: minutesFrom(-72),
    bytes: 48_213,
    swappedChecksum: null,
    servedChecksum: null,
    published: null,
    notes: null,
    deprecated: null,
    attestation: null,
    policyHold: null,
    withdrawnAt: null,
    lostAt: null,
    ...more,
  };
}

/** A version that is held back because of its age. */
const HOLD: PolicyHold = {
  cause: 'too-new',
  line: 'minimumAge "3d"',
  offeredAt: minutesFrom(3000),
  message: 'It was first seen less than the minimumAge "3d" ago.',
};

export const VERSIONS: VersionView[] = [
  version({ version: '2.2.0', offered: false, policyHold: HOLD }),
  version(),
  version({ version: '2.0.0', state: 'pending', offered: false, verifiedAt: null, bytes: null }),
  version({ version: '1.2.0', swappedChecksum: `sha256:${digest('other')}` }),
  version({
    version: '1.1.0',
    state: 'refused',
    offered: false,
    verifiedAt: null,
    bytes: null,
    reason: { rule: 'artifact-checksum-mismatch', message: 'The artifact’s SHA-256 is not the listed one.' },
  }),
  version({ version: '1.0.0', state: 'withdrawn', offered: false, withdrawnAt: minutesFrom(-3000) }),
];

export const APPS: AppView[] = [
  app(),
  app({
    key: 'lamp',
    name: 'Lamp',
    icon: digest('icon'),
    color: '#f5c518',
    description: 'Switches lamps and reads their state.',
    latest: '1.0.3',
    offered: 3,
  }),
  app({
    key: 'feed-watch',
    name: 'Feed watch',
    color: null,
    visible: false,
    latest: null,
    offered: 0,
    versions: 2,
    description: 'Watches feeds.',
    reasons: [
      { code: 'artifact-refused', message: 'None of its versions can be offered.' },
      { code: 'artifact-checksum-mismatch', message: 'The artifact’s SHA-256 is not the listed one.' },
    ],
  }),
  app({
    key: 'hours',
    name: 'Business hours',
    color: '#0f7b5f',
    visible: null,
    latest: null,
    offered: 0,
    versions: 1,
    reasons: [{ code: 'artifact-unchecked', message: 'Its artifacts have not been checked yet.' }],
  }),
];

export const FINDINGS = [
  finding({
    rule: 'artifact-checksum-mismatch',
    message: 'The artifact’s SHA-256 is not the one in artifactChecksum.',
    advice: 'Publish the changed artifact as a new version; if the bytes are right, list sha256:5e88…42d8.',
    cause: 'changed',
    app: 'feed-watch',
    version: '1.2.0',
    resource: 'artifact',
    url: 'https://vendor.example.net/feed-watch/1.2.0.tar.gz',
    file: null,
    pointer: '/versions/0/artifactChecksum',
    evidence: { listed: `sha256:${digest('a')}`, found: `sha256:${digest('b')}`, bytes: 40_312 },
  }),
  finding({
    rule: 'version-not-semver',
    symptom: 'app-does-not-appear',
    message: '“v1.2” is not a semantic version.',
    advice: 'Write it as MAJOR.MINOR.PATCH: 1.2.0.',
    cause: 'prefix',
    app: 'hours',
    version: 'v1.2',
    url: 'https://vendor.example.net/hours/versions.json',
    file: null,
    pointer: '/versions/0/version',
  }),
  finding({
    rule: 'cors-missing',
    severity: 'warning',
    symptom: 'icon-does-not-display',
    message: 'The icon has no Access-Control-Allow-Origin header.',
    advice: 'Send Access-Control-Allow-Origin: * with it.',
    cause: 'missing',
    app: 'lamp',
    version: null,
    resource: 'icon',
    url: 'https://cdn.example.net/icons/lamp.svg',
    file: null,
    pointer: '/apps/lamp/blockStyle/iconUrl',
    evidence: { status: 200, answered: [], contentType: 'image/svg+xml' },
  }),
];

export const REPORT: Report = report({
  command: 'verify',
  target: PROBLEMS.url,
  findings: FINDINGS,
  symptoms: PROBLEMS.symptoms,
  notJudged: [
    notJudged({ app: 'gone', code: 'blocked-by', reason: 'because of unreachable', blockedBy: 'unreachable' }),
    notJudged({ rule: '*', reason: '12 more findings, which are not listed here' }),
  ],
  summary: {
    ...report().summary,
    errors: 2,
    warnings: 1,
    apps: 5,
    versions: 21,
    artifacts: 21,
    bytes: 4_213_000,
    seconds: 3.2,
  },
});

export const CLEAN: Report = report({
  command: 'verify',
  target: subscription().url,
  summary: { ...report().summary, apps: 12, versions: 40, artifacts: 40, bytes: 8_213_000, seconds: 1.8 },
});

/** Hostile texts; the first one is the longest. */
export const HOSTILE_TEXTS = [
  'Verylongnamewithoutanyspace'.repeat(380),
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  'ab\u202egnp.exe\u2066 \u200f x',
  `Z${'\u0300\u0489\u033f'.repeat(3000)}algo`,
  'متجر التطبيقات العربية 🕰️ with Latin inside',
  '👩‍👩‍👧‍👦🏳️‍🌈 emoji app 👍🏽',
  '\u0000\u001b[31mred\u0007',
  '',
  'مي‌خواهم',
];

/** The attestation of a version, verified. */
export function attestation(more: Partial<AttestationView> = {}): AttestationView {
  return {
    state: 'verified',
    reason: null,
    build: {
      issuer: 'https://token.actions.githubusercontent.com',
      identity: 'https://github.com/acme/apps/.github/workflows/release.yml@refs/tags/v2.1.0',
      key: null,
      repository: 'https://github.com/acme/apps',
      commit: 'f00dcafe'.repeat(5),
      ref: 'refs/tags/v2.1.0',
      run: 'https://github.com/acme/apps/actions/runs/42/attempts/1',
      signedAt: '2026-04-02T08:59:00.000Z',
    },
    held: null,
    offeredBefore: false,
    ...more,
  };
}

/** Findings whose texts are hostile. */
export const HOSTILE_FINDINGS = HOSTILE_TEXTS.map((text, i) => ({
  ...FINDINGS[0]!,
  rule: `rule-${i}`,
  message: text,
  advice: text,
  url: `https://example.com/${text}`,
  app: text,
  evidence: { listed: text, [`name-${i}`]: text, answered: [text, text] },
}));

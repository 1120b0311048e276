import { serviceVersionWithdrawn } from '../../../../src/core/rules/service/service-version-withdrawn.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { knownApp, REGISTRY, servedApp } from '../../../support/subscription-example.ts';

const version = (name: string) => ({ version: name, checksum: null, isVerified: null });
const known = (name: string, more: object = {}) => ({
  version: name,
  artifactChecksum: `sha256:${'a'.repeat(64)}`,
  firstSeenAt: '2026-11-01T08:00:00.000Z',
  state: 'verified',
  offered: true,
  reason: null,
  ...more,
});
const subscription = {
  registry: REGISTRY,
  isManifestUsable: true,
  served: servedApp([version('1.0.0')]),
  known: knownApp([known('1.0.0'), known('1.1.0')]),
  dropped: [],
  explained: new Set<string>(),
};

ruleTable(serviceVersionWithdrawn, {
  clean: [
    ['all known versions are served', { ...subscription, known: knownApp([known('1.0.0')]) }],
    ['a newer version is served', { ...subscription, known: knownApp([]) }],
    ['a metadata file that cannot be read', { ...subscription, served: servedApp([], { isUsable: false }) }],
    ['a manifest that cannot be read', { ...subscription, isManifestUsable: false }],
    ['versions that were not requested', { ...subscription, known: knownApp(null) }],
    ['an app that the service does not know', { ...subscription, known: null }],
    ['a version that another rule reports', { ...subscription, explained: new Set(['1.1.0']) }],
  ],
  faulty: [
    [
      'a version that the service verified',
      subscription,
      {
        cause: 'version',
        version: '1.1.0',
        message: 'The service has known version 1.1.0 since 2026-11-01 08:00 UTC, and the registry no longer lists it.',
        advice: `with the checksum sha256:${'a'.repeat(64)}`,
      },
    ],
    [
      'a version that it has noticed to be gone',
      {
        ...subscription,
        known: knownApp([known('1.1.0', { state: 'withdrawn', verifiedAt: '2026-11-01T09:00:00Z' })]),
      },
      { cause: 'version' },
    ],
    [
      'a version that it never verified',
      { ...subscription, known: knownApp([known('1.1.0', { state: 'refused', verifiedAt: null })]) },
      { cause: 'unverified', severity: 'note', message: 'The service never verified it, and did not offer it.' },
    ],
    [
      'an app',
      { ...subscription, served: null, known: null, dropped: [knownApp([known('1.0.0')])] },
      {
        cause: 'app',
        severity: 'warning',
        app: 'clock',
        message:
          'The service knows the app “clock”, with 1.0.0 as the latest version, and the registry no longer lists it.',
      },
    ],
  ],
});

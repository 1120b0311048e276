import { serviceNotLookedYet } from '../../../../src/core/rules/service/service-not-looked-yet.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { knownApp, REGISTRY, servedApp } from '../../../support/subscription-example.ts';

const version = (name: string) => ({ version: name, checksum: null, isVerified: null });
const known = (name: string) => ({
  version: name,
  artifactChecksum: '',
  firstSeenAt: '2026-11-01T08:00:00.000Z',
  state: 'verified',
  offered: true,
  reason: null,
});
const subscription = {
  registry: REGISTRY,
  isManifestUsable: true,
  served: servedApp([version('1.0.0'), version('1.1.0')]),
  known: knownApp([known('1.0.0')]),
};

ruleTable(serviceNotLookedYet, {
  clean: [
    ['the registry as a whole', { ...subscription, served: null, known: null }],
    ['all versions are known', { ...subscription, known: knownApp([known('1.0.0'), known('1.1.0')]) }],
    ['versions that were not requested', { ...subscription, known: knownApp(null) }],
    [
      'an app that the service cannot read, which another rule reports',
      { ...subscription, known: knownApp([], { failingSince: '2026-11-14T10:00:00.000Z' }) },
    ],
    [
      'a registry that the service cannot read',
      { ...subscription, registry: { ...REGISTRY, failingSince: '2026-11-14T10:00:00.000Z' } },
    ],
  ],
  faulty: [
    [
      'a new version',
      subscription,
      {
        cause: 'before',
        message:
          'does not know 1 version of clock: 1.1.0. It last checked at 2026-11-14 11:00 UTC. The next check is at 2026-11-14 12:00 UTC.',
        advice: `POST /api/registries/${REGISTRY.id}/refresh`,
      },
    ],
    [
      'a corrected checksum of a version that was never verified',
      {
        ...subscription,
        served: servedApp([{ ...version('1.0.0'), checksum: `sha256:${'b'.repeat(64)}` }]),
        known: knownApp([{ ...known('1.0.0'), state: 'refused', verifiedAt: null }]),
      },
      { cause: 'before', message: 'does not know 1 version of clock: 1.0.0.' },
    ],
    ['a new app', { ...subscription, known: null }, { cause: 'before', message: 'does not know the app clock' }],
    [
      'a file that is older than the check',
      {
        ...subscription,
        served: servedApp([version('1.1.0')], { modifiedAt: '2026-11-14T09:00:00.000Z' }),
      },
      { cause: 'older-copy', message: 'the service got an older copy, or the file', advice: '--each-address' },
    ],
  ],
});

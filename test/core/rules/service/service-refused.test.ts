import { serviceRefused } from '../../../../src/core/rules/service/service-refused.ts';
import type { ServiceFinding } from '../../../../src/core/facts/facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { knownApp, REGISTRY, servedApp, SERVICE } from '../../../support/subscription-example.ts';

const found = (change: Partial<ServiceFinding> = {}): ServiceFinding => ({
  rule: 'unreachable',
  cause: 'status-403',
  message: 'The host responds with status 403.',
  app: null,
  version: null,
  resource: 'manifest',
  ...change,
});
const SINCE = '2026-11-13T20:00:00.000Z';
const failing = { ...REGISTRY, state: 'failing', failingSince: SINCE };
const whole = { service: SERVICE, registry: REGISTRY, isManifestUsable: true, served: null, known: null };
const CHECKSUM = `sha256:${'a'.repeat(64)}`;
const ofVersion = (state: string, isVerified: boolean | null) => ({
  ...whole,
  served: servedApp([{ version: '1.0.0', checksum: CHECKSUM, isVerified }]),
  known: knownApp([
    {
      version: '1.0.0',
      artifactChecksum: CHECKSUM,
      firstSeenAt: SINCE,
      state,
      offered: false,
      reason: { rule: 'unreachable', message: 'The connection was closed.' },
    },
  ]),
});

ruleTable(serviceRefused, {
  clean: [
    ['a registry that works', whole],
    ['a manifest that cannot be used here either', { ...whole, registry: failing, isManifestUsable: false }],
    [
      'a setting of the service, which service-policy reports',
      { ...whole, registry: failing, service: { ...SERVICE, findings: [found({ cause: 'port-refused' })] } },
    ],
    ['a version that is verified', ofVersion('verified', true)],
    ['a version that cannot be verified here either', ofVersion('refused', false)],
    ['a version that was not requested', ofVersion('refused', null)],
    [
      'a metadata file that cannot be used here either',
      { ...whole, served: servedApp([], { isUsable: false }), known: knownApp([], { failingSince: SINCE }) },
    ],
  ],
  faulty: [
    [
      'a manifest that failed in several checks',
      { ...whole, registry: failing, service: { ...SERVICE, findings: [found()] } },
      {
        cause: 'repeatedly',
        message: 'since 2026-11-13 20:00 UTC, although it can be used from here: The host responds with status 403.',
        advice: 'firewall',
      },
    ],
    [
      'a manifest that failed once',
      { ...whole, registry: { ...failing, failingSince: REGISTRY.checkedAt } },
      { cause: 'once', severity: 'warning', message: 'the service gives no reason.' },
    ],
    [
      'refused credentials',
      { ...whole, registry: { ...failing, state: 'unauthorized' } },
      { cause: 'credentials', advice: `PUT /api/registries/${REGISTRY.id}/auth` },
    ],
    [
      'a metadata file',
      {
        ...whole,
        served: servedApp([]),
        known: knownApp([], { failingSince: SINCE }),
        service: {
          ...SERVICE,
          findings: [found(), found({ app: 'clock', resource: 'metadata', message: 'Not JSON.' })],
        },
      },
      { cause: 'repeatedly', message: 'the metadata file of clock since 2026-11-13 20:00 UTC' },
    ],
    [
      'an artifact',
      ofVersion('refused', true),
      { cause: 'artifact', version: '1.0.0', symptom: 'checksum-mismatch', message: 'The connection was closed.' },
    ],
  ],
});

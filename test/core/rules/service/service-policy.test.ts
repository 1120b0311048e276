import { servicePolicy } from '../../../../src/core/rules/service/service-policy.ts';
import type { SubscribedVersion } from '../../../../src/core/facts/service.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { knownApp, REGISTRY, servedApp, SERVICE } from '../../../support/subscription-example.ts';

const found = (rule: string, cause: string | null) => ({
  rule,
  cause,
  message: 'It is not requested.',
  app: null,
  version: null,
  resource: 'manifest',
});
const failing = { ...SERVICE, registry: { ...REGISTRY, state: 'failing', failingSince: '2026-11-13T20:00:00.000Z' } };
const whole = { service: SERVICE, isManifestUsable: true, served: null, known: null };

const checksum = `sha256:${'a'.repeat(64)}`;
/** What the service knows about a version that it holds back. */
const held = (version: string, more: Partial<SubscribedVersion> = {}): SubscribedVersion => ({
  version,
  artifactChecksum: checksum,
  firstSeenAt: '2026-11-01T08:00:00.000Z',
  state: 'verified',
  offered: false,
  reason: null,
  attestation: { state: 'missing', reason: null, held: { since: '2026-11-14T11:00:00.000Z' } },
  ...more,
});
const byPolicy = (line: string | null, offeredAt: string | null = null): Partial<SubscribedVersion> => ({
  attestation: null,
  policyHold: { line, message: 'A sentence.', offeredAt },
});
const served = (...versions: string[]) =>
  servedApp(versions.map((version) => ({ version, checksum, isVerified: true })));

ruleTable(servicePolicy, {
  clean: [
    [
      'a version that is offered with its attestation',
      {
        ...whole,
        served: served('1.0.0'),
        known: knownApp([held('1.0.0', { attestation: { state: 'verified', reason: null, held: null } })]),
      },
    ],
    [
      'a version that no policy holds back',
      { ...whole, served: served('1.0.0'), known: knownApp([held('1.0.0', { attestation: null, policyHold: null })]) },
    ],
    [
      'a service that does not say',
      { ...whole, served: served('1.0.0'), known: knownApp([held('1.0.0', { attestation: null })]) },
    ],
    ['a held version that is not served now', { ...whole, served: served('2.0.0'), known: knownApp([held('1.0.0')]) }],
    ['a registry that works', whole],
    [
      'a host that could not be reached, which another rule reports',
      { ...whole, service: { ...failing, findings: [found('unreachable', 'not-reached')] } },
    ],
    [
      'a manifest that cannot be used here either',
      { ...whole, isManifestUsable: false, service: { ...failing, findings: [found('unreachable', 'port-refused')] } },
    ],
    [
      'a limit that another app reached',
      {
        ...whole,
        served: servedApp([]),
        service: { ...SERVICE, overLimit: [{ app: 'notes', version: null, reason: 'over the budget' }] },
      },
    ],
  ],
  faulty: [
    [
      'a version without an attestation that the organization requires',
      { ...whole, served: served('1.0.0'), known: knownApp([held('1.0.0')]) },
      {
        cause: 'attestation',
        severity: 'warning',
        version: '1.0.0',
        message: 'holds back version 1.0.0 of clock, since the organization requires attestations',
      },
    ],
    [
      'several versions with the same reason',
      {
        ...whole,
        served: served('1.0.0', '2.0.0'),
        known: knownApp([
          held('1.0.0', {
            attestation: {
              state: 'refused',
              reason: { rule: 'attestation-identity', cause: 'issuer', message: 'Another issuer signed.' },
              held: { since: '2026-11-14T11:00:00.000Z' },
            },
          }),
          held('2.0.0', {
            attestation: {
              state: 'refused',
              reason: { rule: 'attestation-identity', cause: 'issuer', message: 'Another issuer signed.' },
              held: { since: '2026-11-14T11:00:00.000Z' },
            },
          }),
        ]),
      },
      { cause: 'attestation', message: '2 versions of clock (1.0.0, 2.0.0), since' },
    ],
    [
      'a version that the policy holds back for some time',
      {
        ...whole,
        served: served('1.0.0'),
        known: knownApp([held('1.0.0', byPolicy('minimumAge "3d"', '2026-11-15T08:00:00.000Z'))]),
      },
      {
        cause: 'policy',
        severity: 'warning',
        version: '1.0.0',
        message: 'policy: minimumAge "3d". It will be offered at 2026-11-15 08:00 UTC.',
        evidence: { line: 'minimumAge "3d"', offeredAt: '2026-11-15T08:00:00.000Z', versions: ['1.0.0'] },
      },
    ],
    [
      'versions that the policy refuses',
      {
        ...whole,
        served: served('1.0.0', '2.0.0'),
        known: knownApp([held('1.0.0', byPolicy('deny[0] "*"')), held('2.0.0', byPolicy('deny[0] "*"'))]),
      },
      { cause: 'policy', message: '2 versions of clock (1.0.0, 2.0.0), by this line' },
    ],
    [
      'a version that the policy was not applied to yet',
      { ...whole, served: served('1.0.0'), known: knownApp([held('1.0.0', byPolicy(null))]) },
      { cause: 'policy', severity: 'note', message: 'holds back version 1.0.0 of clock, until it has applied' },
    ],
    [
      'a suspended organization',
      { ...whole, service: { ...SERVICE, registry: null, suspended: 'Its operator suspended it.' } },
      { cause: 'suspended', message: 'refuses all requests of the organization: Its operator suspended it.' },
    ],
    [
      'a port',
      { ...whole, service: { ...failing, findings: [found('unreachable', 'port-refused')] } },
      { cause: 'port', advice: 'port 443' },
    ],
    [
      'plain http',
      { ...whole, service: { ...failing, findings: [found('url-insecure', null)] } },
      { cause: 'insecure', advice: 'https URL' },
    ],
    [
      'a limit',
      {
        ...whole,
        served: servedApp([]),
        service: { ...SERVICE, overLimit: [{ app: 'clock', version: '1.0.0', reason: 'over the budget' }] },
      },
      { cause: 'limit', severity: 'note', message: 'over the budget', evidence: { versions: ['1.0.0'] } },
    ],
  ],
});

import { serviceFirstSeenDiffers } from '../../../../src/core/rules/service/service-first-seen-differs.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { knownApp, servedApp, SERVICE } from '../../../support/subscription-example.ts';

const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
const subscription = (inForce: string, state: string, checksum: string | null, verifiedAt?: null) => ({
  service: SERVICE,
  served: servedApp([{ version: '1.0.0', checksum, isVerified: true }]),
  known: knownApp([
    {
      version: '1.0.0',
      artifactChecksum: inForce,
      firstSeenAt: '2026-11-01T08:00:00.000Z',
      state,
      ...(verifiedAt === undefined ? {} : { verifiedAt }),
      offered: true,
      reason: null,
    },
  ]),
});

ruleTable(serviceFirstSeenDiffers, {
  clean: [
    ['the same digest', subscription(A, 'verified', A)],
    ['a version that was not verified yet: a corrected listing replaces it', subscription(A, 'pending', B)],
    ['a version that was refused, and never verified', subscription(A, 'refused', B, null)],
    ['a listing without a checksum, which another rule reports', subscription(A, 'verified', null)],
    ['an app that the service does not know', { ...subscription(A, 'verified', B), known: null }],
  ],
  faulty: [
    [
      'another digest',
      subscription(A, 'refused', B),
      {
        version: '1.0.0',
        message: `since 2026-11-01 08:00 UTC with ${A}, but the registry now lists ${B}.`,
        evidence: { inForce: A, listed: B, firstSeenAt: '2026-11-01T08:00:00.000Z', state: 'refused' },
      },
    ],
  ],
});

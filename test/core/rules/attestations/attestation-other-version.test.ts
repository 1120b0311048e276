import { expect } from 'vitest';
import { attestationOtherVersion } from '../../../../src/core/rules/attestations/attestation-other-version.ts';
import { attestationFacts, attestationSubject, CLOCK, statementFacts } from '../../../support/attestation-example.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const OLDER = attestationFacts({
  content: { kind: 'statement', statement: statementFacts({ ...CLOCK, version: '1.0.0' }) },
});

ruleTable(attestationOtherVersion, {
  clean: [
    ['a valid attestation', attestationSubject(attestationFacts())],
    ['none', attestationSubject(null)],
  ],
  faulty: [
    [
      'old bytes under a new version',
      attestationSubject(OLDER),
      {
        message: 'is for “clock@1.0.0”, not for “clock@1.2.0”',
        evidence: expect.objectContaining({ subjects: ['clock@1.0.0'] }) as unknown as Record<string, never>,
      },
    ],
    ['and none is required', attestationSubject(OLDER, { isRequired: false }), { severity: 'warning' }],
  ],
});

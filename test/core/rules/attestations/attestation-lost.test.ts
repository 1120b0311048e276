import { attestationLost } from '../../../../src/core/rules/attestations/attestation-lost.ts';
import { attestationFacts, attestationSubject } from '../../../support/attestation-example.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const LOWER = { version: '1.1.0', isSame: false };

ruleTable(attestationLost, {
  clean: [
    ['no version ever had one', attestationSubject(null)],
    ['a lower version and this one have one', attestationSubject(attestationFacts(), { attestedBefore: LOWER })],
  ],
  faulty: [
    [
      'a lower version has one',
      attestationSubject(null, { attestedBefore: LOWER }),
      { cause: 'not-continued', message: 'but version 1.1.0 has one', evidence: { attested: '1.1.0' } },
    ],
    [
      'it had one when it was published',
      attestationSubject(null, { attestedBefore: { version: '1.2.0', isSame: true } }),
      { cause: 'removed', message: 'it had one when it was published', advice: 'Restore the attestation' },
    ],
    [
      'and none is required',
      attestationSubject(null, { attestedBefore: LOWER, isRequired: false }),
      { cause: 'not-continued', severity: 'warning' },
    ],
  ],
});

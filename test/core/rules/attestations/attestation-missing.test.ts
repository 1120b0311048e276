import { attestationMissing } from '../../../../src/core/rules/attestations/attestation-missing.ts';
import { attestationFacts, attestationSubject } from '../../../support/attestation-example.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(attestationMissing, {
  clean: [
    ['a valid attestation', attestationSubject(attestationFacts())],
    ['none, which is not required', attestationSubject(null, { isRequired: false })],
  ],
  faulty: [['none', attestationSubject(null), { message: 'has no attestation', advice: '--attest' }]],
});

import type { FailureCause } from '../../../../src/core/facts/attestation.ts';
import { attestationInvalid } from '../../../../src/core/rules/attestations/attestation-invalid.ts';
import {
  attestationFacts,
  attestationSubject,
  CLOCK,
  failedFacts,
  statementFacts,
} from '../../../support/attestation-example.ts';
import { digest } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const OTHER_BYTES = { kind: 'statement', statement: statementFacts(CLOCK, digest(9)) } as const;
const NO_BUILD = { kind: 'statement', statement: { ...statementFacts(), build: null } } as const;
const failed = (cause: FailureCause, code: string) => attestationSubject(failedFacts({ cause, code }));

ruleTable(attestationInvalid, {
  clean: [
    ['a valid attestation', attestationSubject(attestationFacts())],
    ['none', attestationSubject(null)],
    [
      'a valid one of another version',
      attestationSubject(
        attestationFacts({ content: { kind: 'statement', statement: statementFacts({ ...CLOCK, version: '1.0.0' }) } }),
      ),
    ],
  ],
  faulty: [
    ['no JSON', failed('form', 'json'), { cause: 'form', message: 'not valid JSON' }],
    ['a line for each attestation', failed('form', 'several-lines'), { cause: 'form', message: 'one on each line' }],
    ['a list of attestations', failed('form', 'list'), { cause: 'form', message: 'a list of attestations' }],
    ['too large', failed('form', 'too-large'), { cause: 'form', message: 'larger than 1 MB' }],
    ['a changed payload', failed('signature', 'SIGNATURE_ERROR'), { cause: 'signature' }],
    ['another authority', failed('certificate', 'CERTIFICATE_ERROR'), { cause: 'certificate' }],
    ['not in the log', failed('log', 'TLOG_INCLUSION_PROOF_ERROR'), { cause: 'log' }],
    [
      'a trusted root that is too old: once, and no error',
      failed('root-outdated', 'unknown-transparency-log'),
      {
        cause: 'root-outdated',
        severity: 'warning',
        dedupeKey: 'trusted root',
        message: 'says nothing about the artifact',
        advice: 'Update appreg',
      },
    ],
    [
      'other bytes',
      attestationSubject(attestationFacts({ content: OTHER_BYTES })),
      { cause: 'digest', message: `is for other bytes: sha256:${digest(9)}` },
    ],
    [
      'a statement without provenance',
      attestationSubject(attestationFacts({ content: NO_BUILD })),
      { cause: 'build', message: 'no SLSA provenance' },
    ],
    [
      'other bytes, and none is required',
      attestationSubject(attestationFacts({ content: OTHER_BYTES }), { isRequired: false }),
      { cause: 'digest', severity: 'warning' },
    ],
  ],
});

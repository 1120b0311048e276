import { attestationIdentity } from '../../../../src/core/rules/attestations/attestation-identity.ts';
import { judgeAttestation } from '../../../../src/core/attestation/judge.ts';
import type { SignerPolicy } from '../../../../src/core/facts/attestation.ts';
import {
  attestationFacts,
  attestationSubject,
  CLOCK,
  ISSUER,
  REPOSITORY,
  SHA256,
} from '../../../support/attestation-example.ts';
import { digest } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

function expecting(signer: SignerPolicy, isRequired = true) {
  const facts = attestationFacts();
  const problem = judgeAttestation(facts, { sha256: SHA256, app: CLOCK, sbomSha256: null, signer });
  return attestationSubject(facts, { problem, isRequired });
}

const ANY = { issuer: ISSUER, identity: null, repository: null };

ruleTable(attestationIdentity, {
  clean: [
    ['the expected signer', attestationSubject(attestationFacts())],
    ['none', attestationSubject(null)],
  ],
  faulty: [
    ['a key is expected', expecting({ key: digest(5) }), { cause: 'key' }],
    ['another issuer', expecting({ ...ANY, issuer: 'https://gitlab.com' }), { cause: 'issuer' }],
    [
      'another workflow',
      expecting({ ...ANY, identity: `${REPOSITORY}/.github/workflows/other.yml@**` }),
      { cause: 'identity', message: 'release.yml@refs/tags/v1.2.0' },
    ],
    [
      'another repository',
      expecting({ ...ANY, repository: 'https://github.com/mallory/apps' }),
      { cause: 'repository', advice: 'ask the vendor' },
    ],
    [
      'and none is required',
      expecting({ ...ANY, issuer: 'https://gitlab.com' }, false),
      { cause: 'issuer', severity: 'warning' },
    ],
  ],
});

import type { AttestationFacts, CertificateSigner } from '../../src/core/facts/attestation.ts';
import { judgeAttestation } from '../../src/core/attestation/judge.ts';
import type { ObservedAttestation } from '../../src/core/facts/attestation.ts';
import { APPREG_BUILD } from '../../src/core/attestation/build-types.ts';
import type { AppVersion } from '../../src/core/attestation/statement.ts';
import type { StatementFacts } from '../../src/core/facts/attestation.ts';
import type { Subjects } from '../../src/core/rules/subjects.ts';
import { digest } from './core-facts.ts';

/** Facts about attestations, as verification finds them. */

export const CLOCK: AppVersion = { key: 'clock', version: '1.2.0' };
export const SHA256 = digest(1);
export const ISSUER = 'https://token.actions.githubusercontent.com';
export const REPOSITORY = 'https://github.com/acme/apps';

const SIGNER: CertificateSigner = {
  kind: 'certificate',
  issuer: ISSUER,
  identity: `${REPOSITORY}/.github/workflows/release.yml@refs/tags/v1.2.0`,
  repository: REPOSITORY,
  commit: 'f00dcafef00dcafef00dcafef00dcafef00dcafe',
  ref: 'refs/tags/v1.2.0',
  run: `${REPOSITORY}/actions/runs/1/attempts/1`,
};

/** The statement of a version, built by appreg outside of CI. */
export function statementFacts({ key, version }: AppVersion = CLOCK, sha256: string = SHA256): StatementFacts {
  return {
    subjects: [{ name: `${key}@${version}`, sha256 }],
    predicateType: 'https://slsa.dev/provenance/v1',
    build: {
      buildType: APPREG_BUILD,
      parameters: { app: key, version, workflow: null, unknown: [] },
      commit: null,
      builder: null,
      run: null,
    },
  };
}

/** A valid attestation of CLOCK, with the given differences. */
export function attestationFacts(more: Partial<AttestationFacts> = {}): AttestationFacts {
  return {
    bytes: 9_000,
    sha256: digest(2),
    root: { date: '2026-11-05T00:00:00Z', shipped: true },
    failure: null,
    signer: SIGNER,
    signedAt: '2026-11-10T12:00:00.000Z',
    log: [{ logId: digest(3), index: '1' }],
    content: { kind: 'statement', statement: statementFacts() },
    ...more,
  };
}

/** An attestation that was not verified. */
export function failedFacts(failure: NonNullable<AttestationFacts['failure']>): AttestationFacts {
  return attestationFacts({ failure, signer: null, signedAt: null, log: [], content: null });
}

/** Facts about an attestation, and the problem that is found in it. */
export function attestationSubject(
  facts: AttestationFacts | null,
  more: Partial<Subjects['attestation']> = {},
  sha256: string = SHA256,
): Subjects['attestation'] {
  const observed: ObservedAttestation = facts === null ? { state: 'absent' } : { state: 'present', facts };
  const signer = { issuer: ISSUER, identity: null, repository: REPOSITORY };
  const problem = facts && judgeAttestation(facts, { sha256, app: CLOCK, sbomSha256: null, signer });
  return { observed, problem, attestedBefore: null, isRequired: true, ...more };
}

/**
 * The example of a rule: the responses to requests for attestations, the last one that of the version; or the lines
 * `listed: <key>@<version> sha256:<digest>`, `subject: …`, `signer: <repository>`, `expected: <repository>`.
 */
export function attestationExample(text: string): Record<string, unknown> {
  const statuses = [...text.matchAll(/\/([^/\s]+)\.tar\.gz\.sigstore\.json\nHTTP\/2 (\d+)/g)];
  const last = statuses.at(-1);
  if (last !== undefined) {
    const earlier = statuses.slice(0, -1).find(([, , status]) => status === '200');
    const attestedBefore = earlier === undefined ? null : { version: String(earlier[1]), isSame: false };
    return { ...attestationSubject(last[2] === '200' ? attestationFacts() : null, { attestedBefore }) };
  }
  const lines = new Map(text.split('\n').map((line) => [line.split(': ')[0], line.split(': ')[1] ?? '']));
  const subjectIn = (name: string): { app: AppVersion; sha256: string } => {
    const [, key = '', version = '', sha256 = ''] = /^(.+)@(.+) sha256:(.+)$/.exec(lines.get(name) ?? '') ?? [];
    return { app: { key, version }, sha256 };
  };
  const listed = subjectIn('listed');
  const signed = subjectIn('subject');
  const facts = attestationFacts({
    signer: { ...SIGNER, repository: lines.get('signer') ?? REPOSITORY },
    content: { kind: 'statement', statement: statementFacts(signed.app, signed.sha256) },
  });
  const signer = { issuer: ISSUER, identity: null, repository: lines.get('expected') ?? REPOSITORY };
  const problem = judgeAttestation(facts, { sha256: listed.sha256, app: listed.app, sbomSha256: null, signer });
  return { ...attestationSubject(facts), problem };
}

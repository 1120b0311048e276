import { message, type SafeText } from '../text/message.ts';
import type { AttestationFacts, CertificateSigner, FailureCause } from '../facts/attestation.ts';
import {
  type AttestationPolicy,
  failureProblem,
  identityMismatch,
  type IdentityMismatch,
  sameRepository,
} from './policy.ts';
import { APPREG_BUILD } from './build-types.ts';
import { artifactSubject, type AppVersion, isSbomSubject, sbomSubject } from './statement.ts';
import { type BuildFacts, type StatementFacts } from '../facts/attestation.ts';

/**
 * Reasons why an attestation proves nothing: `digest` and `build` are found in its content, the others by its
 * verification.
 */
type AttestationCause = FailureCause | 'digest' | 'build';

/** The first thing that an attestation does not prove. */
export type AttestationProblem = { message: SafeText; advice: SafeText } & (
  | { rule: 'attestation-invalid'; cause: AttestationCause }
  | { rule: 'attestation-other-version'; cause: null }
  | { rule: 'attestation-identity'; cause: IdentityMismatch['claim'] }
);

/**
 * Judges a verified attestation, in this order: the verification itself, the digest, the name of the app and version,
 * the signer, the build.
 * @returns null if it proves what the policy requires
 */
export function judgeAttestation(facts: AttestationFacts, policy: AttestationPolicy): AttestationProblem | null {
  const { failure, signer, content, claimed = null } = facts;
  if (failure?.code === 'no-key' && claimed !== null && policy.signer === null) return contentProblem(claimed, policy);
  if (failure !== null) return failureProblem(failure, facts.root);
  // Absent only in facts that a failure explains.
  if (signer === null || content === null) return failureProblem({ cause: 'form', code: 'incomplete' }, facts.root);
  const problem = contentProblem(content, policy);
  if (problem !== null) return problem;
  const mismatch = policy.signer === null ? null : identityMismatch(signer, policy.signer);
  if (mismatch !== null) return identityProblem(mismatch);
  return content.kind === 'artifact' || policy.app === null
    ? null
    : buildProblem(content.statement.build, signer, policy.app);
}

/** True if an attestation names a bill of materials, of whatever version. */
export function namesBill({ content, claimed }: AttestationFacts): boolean {
  const signed = content ?? claimed;
  return signed?.kind === 'statement' && signed.statement.subjects.some(({ name }) => isSbomSubject(name));
}

function invalid(cause: AttestationCause, text: SafeText, advice: SafeText): AttestationProblem {
  return { rule: 'attestation-invalid', cause, message: text, advice };
}

const ATTEST_AGAIN = message`Attest the artifact that is listed: an attestation belongs to one version and its bytes.`;

function contentProblem(
  content: Exclude<AttestationFacts['content'], null>,
  policy: AttestationPolicy,
): AttestationProblem | null {
  return content.kind === 'statement'
    ? statementProblem(content.statement, policy)
    : bytesProblem(content.sha256, policy);
}

/** A signature of the bytes says nothing about the version. */
function bytesProblem(signed: string, { sha256, app }: AttestationPolicy): AttestationProblem | null {
  if (signed !== sha256)
    return invalid(
      'digest',
      message`The signature is for other bytes: sha256:${signed}, not sha256:${sha256}.`,
      ATTEST_AGAIN,
    );
  if (app === null) return null;
  return invalid(
    'build',
    message`The bundle contains a signature of the artifact, but no provenance of ${artifactSubject(app)}.`,
    message`Publish the version with --attest, or sign an in-toto statement with SLSA provenance v1.`,
  );
}

function statementProblem({ subjects }: StatementFacts, policy: AttestationPolicy): AttestationProblem | null {
  const { app, sha256, sbomSha256 } = policy;
  const same = subjects.filter((subject) => subject.sha256 === sha256);
  const named = (name: string) => subjects.find((subject) => subject.name === name);
  const names = (same.length > 0 ? same : subjects).map(({ name }) => name);
  if (same.length === 0) {
    const digest = app === null ? undefined : named(artifactSubject(app))?.sha256;
    return invalid(
      'digest',
      message`The attestation is for other bytes: ${digest ? `sha256:${digest}` : listed(names)}, not sha256:${sha256}.`,
      ATTEST_AGAIN,
    );
  }
  if (app === null) return null;
  const name = artifactSubject(app);
  if (!names.includes(name))
    return {
      rule: 'attestation-other-version',
      cause: null,
      message: message`The attestation is for ${listed(names)}, not for “${name}”.`,
      advice: message`Attest the artifact as “${name}”: the name of the subject binds the bytes to the version.`,
    };
  const sbom = named(sbomSubject(app))?.sha256;
  if (sbomSha256 === null || !sbom || sbom === sbomSha256) return null;
  return invalid(
    'digest',
    message`The attestation names another bill of materials: sha256:${sbom}, not sha256:${sbomSha256}.`,
    message`Restore the bill of materials that was published with the version.`,
  );
}

/** Names for a message. */
function listed(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${names
    .slice(0, 3)
    .map((name) => `“${name}”`)
    .join(', ')}${more}`;
}

const CLAIMS: Record<IdentityMismatch['claim'], string> = {
  key: 'key',
  issuer: 'issuer',
  identity: 'identity',
  repository: 'source repository',
};

function identityProblem({ claim, expected, actual }: IdentityMismatch): AttestationProblem {
  const name = CLAIMS[claim];
  return {
    rule: 'attestation-identity',
    cause: claim,
    message:
      actual === null
        ? message`The attestation is signed without ${claim === 'key' ? 'a' : 'an identity that has a'} ${name}; “${expected}” is expected.`
        : message`The ${name} of the signer is “${actual}”, not “${expected}”.`,
    advice: message`If this signer is expected, change the ${name} that is expected. Otherwise, ask the vendor who signed the version.`,
  };
}

function buildProblem(
  build: BuildFacts | null,
  signer: { kind: 'key' } | CertificateSigner,
  app: AppVersion,
): AttestationProblem | null {
  if (build === null) return invalid('build', message`The statement contains no SLSA provenance v1.`, OWN_TOOL);
  const { parameters, buildType } = build;
  if (parameters === null) return invalid('build', message`Unknown build type “${buildType}”.`, OWN_TOOL);
  const [unknown] = parameters.unknown;
  if (unknown !== undefined)
    return invalid(
      'build',
      message`Unknown external parameter “${unknown}” of the build: it may have changed what was built.`,
      OWN_TOOL,
    );
  const stated = `${parameters.app}@${parameters.version}`;
  if (buildType === APPREG_BUILD && stated !== artifactSubject(app))
    return invalid(
      'build',
      message`The build was that of “${stated}”, not of “${artifactSubject(app)}”.`,
      ATTEST_AGAIN,
    );
  const repository = parameters.workflow?.repository;
  if (signer.kind === 'key' || signer.repository === null || repository === undefined) return null;
  if (sameRepository(repository, signer.repository)) return null;
  return invalid(
    'build',
    message`The statement names the repository “${repository}”, and the certificate “${signer.repository}”.`,
    ATTEST_AGAIN,
  );
}

const OWN_TOOL = message`Attest with appreg (--attest, --attest-key-env), or with actions/attest-build-provenance.`;

import { resolve } from 'node:path';
import type { AttestationRequirement } from '../../core/facts/attestation.ts';
import { AppregError, isAppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import type { VerifyBundle } from '../../observe/content/attestation.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { VerifyOptions } from './verify-options.ts';
import { namesSigner, type SignerOptions, signerPolicy, trustOf } from './attester.ts';
import type { LocalAttestations } from '../../observe/workspace/workspace-context.ts';

/** Verification of the attestations of a live registry, and their requirement. */
interface AttestationCheck {
  requirement: AttestationRequirement;
  verify: VerifyBundle;
}

/**
 * From the command line and the configuration; null if attestations are not checked. A signer on the command line
 * replaces that of the configuration.
 * @throws AppregError for invalid options and files, and for a requirement without a signer
 */
export async function attestationCheck(
  cwd: string,
  { config, root }: LoadedConfig,
  options: Pick<VerifyOptions, 'attestations' | 'skipArtifacts'> & SignerOptions,
): Promise<AttestationCheck | null> {
  const { mode: configuredMode = 'off', ...configured } = config.evidence?.attestations ?? {};
  const mode = options.attestations ?? configuredMode;
  if (mode === 'off') {
    if (options.attestations === undefined) refuseUnusedSigner(options);
    return null;
  }
  if (options.skipArtifacts === true)
    throw new AppregError(
      'option-conflict',
      message`Attestations cannot be checked with --skip-artifacts: they are about the bytes of artifacts.`,
      message`Remove one of the options, or use --attestations off.`,
    );
  const inFolder = (file: string | undefined): string | undefined => file && resolve(root, file);
  const signer = namesSigner(options) ? options : { ...configured, key: inFolder(configured.key) };
  const trustedRoot = options.trustedRoot ?? inFolder(configured.trustedRoot);
  const trust = await trustOf(cwd, { key: signer.key, trustedRoot });
  const isAny = mode === 'report' && !namesSigner(signer);
  const { verifyAttestation } = await import('../../attestation/verify.ts');
  return {
    requirement: { mode, signer: isAny ? null : signerPolicy(signer, trust) },
    verify: (bundle) => verifyAttestation(bundle, trust),
  };
}

function refuseUnusedSigner(options: SignerOptions): void {
  if (!namesSigner(options) && options.trustedRoot === undefined) return;
  throw new AppregError(
    'option-missing',
    message`A signer or a trusted root is given, but attestations are not checked.`,
    message`Add --attestations report, or --attestations require.`,
  );
}

/** Verification of the attestations beside artifacts, for `lint`. */
export interface LocalAttestationCheck {
  requirement: AttestationRequirement;
  local: LocalAttestations;
}

/**
 * From the configuration, as for `verify`. Without a mode, those that are there are verified, as far as that is possible
 * without a signer.
 * @returns null with the mode `off`
 * @throws AppregError for an invalid configuration
 */
export async function localAttestations(cwd: string, loaded: LoadedConfig): Promise<LocalAttestationCheck | null> {
  const settings = loaded.config.evidence?.attestations ?? {};
  const { mode } = settings;
  if (mode === 'off') return null;
  const local = { reportsAbsent: mode !== undefined };
  if (Object.keys(settings).length === 0)
    return {
      requirement: { mode: 'report', signer: null },
      local: { ...local, open: () => openUnconfigured(cwd, loaded) },
    };
  const { requirement, verify } = await openConfigured(cwd, loaded);
  return { requirement, local: { ...local, open: async () => verify } };
}

const SIGNER_SETTINGS = message`Set evidence.attestations.key, or issuer with identity or repository: every user of Sigstore can sign with an own identity.`;

async function openConfigured(cwd: string, loaded: LoadedConfig): Promise<AttestationCheck> {
  const attestations = loaded.config.evidence?.attestations?.mode ?? 'report';
  const check = await attestationCheck(cwd, loaded, { attestations }).catch((error: unknown) => {
    // lint has no options for the signer.
    throw isAppregError(error) && error.code === 'option-missing' ? error.with({ hint: SIGNER_SETTINGS }) : error;
  });
  if (check === null) throw new Error('The mode is not off.');
  return check;
}

/** Without a key, what a bundle claims is still compared with the metadata: a mistake of the author needs no proof. */
async function openUnconfigured(cwd: string, loaded: LoadedConfig): Promise<VerifyBundle> {
  const { verify } = await openConfigured(cwd, loaded);
  const { withClaims } = await import('../../attestation/verify.ts');
  return (bundle) => withClaims(bundle, verify(bundle));
}

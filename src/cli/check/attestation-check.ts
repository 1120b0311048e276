import { resolve } from 'node:path';
import type { AttestationRequirement } from '../../core/attestation/observed.ts';
import { AppregError } from '../../core/errors.ts';
import { message } from '../../core/text/message.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import type { VerifyBundle } from '../../observe/registry/attestation.ts';
import { ATTESTATION_MODES, isOneOf } from '../choices.ts';
import type { LoadedConfig } from '../config/config.ts';
import { type SignerOptions, signerPolicy, trustOf } from '../signer-options.ts';
import type { VerifyOptions } from './verify-options.ts';

/** How a check of a live registry verifies and judges attestations. */
export interface AttestationCheck {
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
  const mode = modeOf(options.attestations ?? configuredMode);
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
  const signer = isSignerGiven(options) ? options : { ...configured, key: inFolder(configured.key) };
  const trustedRoot = options.trustedRoot ?? inFolder(configured.trustedRoot);
  const trust = await trustOf(cwd, { key: signer.key, trustedRoot });
  const isAny = mode === 'report' && !isSignerGiven(signer);
  const { verifyAttestation } = await import('../../attestation/verify.ts');
  return {
    requirement: { mode, signer: isAny ? null : signerPolicy(signer, trust) },
    verify: (bundle) => verifyAttestation(bundle, trust),
  };
}

function isSignerGiven({ issuer, identity, repository, key }: SignerOptions): boolean {
  return [issuer, identity, repository, key].some((value) => value !== undefined);
}

function refuseUnusedSigner(options: SignerOptions): void {
  if (!isSignerGiven(options) && options.trustedRoot === undefined) return;
  throw new AppregError(
    'option-missing',
    message`A signer or a trusted root is given, but attestations are not checked.`,
    message`Add --attestations report, or --attestations require.`,
  );
}

function modeOf(text: string): (typeof ATTESTATION_MODES)[number] {
  if (isOneOf(ATTESTATION_MODES, text)) return text;
  throw new AppregError(
    'option-invalid',
    message`--attestations: “${text}” is not a mode.${didYouMean(text, ATTESTATION_MODES)}`,
    message`Use one of: ${ATTESTATION_MODES.join(', ')}`,
  );
}

import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import type { Config, LoadedConfig } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import type { Attester } from '../../publish/artifact.ts';
import type { AttestOptions, AttestWish } from './attester.ts';
import { namesSigner } from './signer-options.ts';

/** How the versions that a command publishes are attested: what its options and settings request. */

/**
 * What attests the versions that a command publishes; undefined if they are not attested.
 * @throws AppregError (exit 2) as `attesterFor` does
 */
export async function attesterOf(
  context: Context,
  loaded: LoadedConfig,
  options: AttestOptions & { dryRun?: boolean },
): Promise<Attester | undefined> {
  const wish = attestWish(options, loaded.config.evidence ?? {});
  if (wish === null) return undefined;
  const { attesterFor } = await import('./attester.ts');
  return attesterFor(context, loaded, { wish, options, dryRun: options.dryRun === true });
}

/** True if an option requests an attestation. */
export function requestsAttestation({ attest, attestKeyEnv, attestation }: AttestOptions): boolean {
  return attest === true || attestKeyEnv !== undefined || attestation !== undefined;
}

/**
 * An option replaces the setting.
 * @returns null if nothing is attested
 * @throws AppregError (exit 2) for options, or settings, that exclude each other
 */
function attestWish(
  options: AttestOptions,
  { attest = false, attestKeyEnv }: NonNullable<Config['evidence']>,
): AttestWish | null {
  checkAttestOptions(options);
  if (options.attestation !== undefined) return { kind: 'given', file: options.attestation };
  if (options.attestKeyEnv !== undefined) return { kind: 'key', variable: options.attestKeyEnv };
  if (options.attest === true) return { kind: 'keyless' };
  if (attest && attestKeyEnv !== undefined)
    throw new AppregError(
      'config-invalid',
      message`The settings evidence.attest and evidence.attestKeyEnv exclude each other: an attestation has one signature.`,
      message`Remove evidence.attest to sign with the key, or evidence.attestKeyEnv to sign with the token of the CI system.`,
    );
  if (attestKeyEnv !== undefined) return { kind: 'key', variable: attestKeyEnv };
  return attest ? { kind: 'keyless' } : null;
}

/** @throws AppregError (exit 2) for options that exclude each other */
function checkAttestOptions(options: AttestOptions): void {
  const { attest, attestKeyEnv, attestation } = options;
  const count = [attest === true, attestKeyEnv !== undefined, attestation !== undefined].filter(Boolean).length;
  if (count > 1)
    throw new AppregError(
      'option-conflict',
      message`Only one of --attest, --attest-key-env and --attestation can be given.`,
      message`Use --attest in a CI system that offers an OIDC token, --attest-key-env with a key of your own, and --attestation for a file that another tool signed.`,
    );
  if (attestation === undefined && (namesSigner(options) || options.trustedRoot !== undefined))
    throw new AppregError(
      'option-conflict',
      message`--issuer, --identity, --repository, --key and --trusted-root are only valid with --attestation: they say who has to have signed that file.`,
      message`Omit them, or add --attestation <file>.`,
    );
}

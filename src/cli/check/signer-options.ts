import type { Trust } from '../../attestation/trust.ts';
import type { SignerPolicy } from '../../core/facts/attestation.ts';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { readInputFile } from '../io/input-file.ts';
import type { signerOptions } from '../define/option-groups.ts';

/** Who has to have signed an attestation, and what that is verified with. */
export type SignerOptions = { readonly [Name in keyof typeof signerOptions]?: string | undefined };

/** True if the options say who has to have signed. */
export function namesSigner({ issuer, identity, repository, key }: SignerOptions): boolean {
  return [issuer, identity, repository, key].some((value) => value !== undefined);
}

/**
 * What attestations are verified with.
 * @param folder that the paths of files are relative to
 * @throws AppregError for files that cannot be used
 */
export async function trustOf(folder: string, { key, trustedRoot }: SignerOptions): Promise<Trust> {
  const { readPublicKey, readTrustedRoot, shippedTrust } = await import('../../attestation/trust.ts');
  const text = (file: string): string => readInputFile(folder, file).toString('utf8');
  const vendorKey = key === undefined ? null : readPublicKey(text(key), key);
  return trustedRoot === undefined
    ? shippedTrust(vendorKey)
    : readTrustedRoot(text(trustedRoot), trustedRoot, vendorKey);
}

/**
 * The signer that the options name. A certificate proves nothing about a signer that is not named: every user of
 * Sigstore gets one.
 * @throws AppregError if they name none, or two
 */
export function signerPolicy({ issuer, identity, repository }: SignerOptions, { key }: Trust): SignerPolicy {
  const isIdentity = issuer !== undefined || identity !== undefined || repository !== undefined;
  if (key !== null && !isIdentity) return { key: key.sha256 };
  if (key !== null)
    throw new AppregError(
      'option-conflict',
      message`--key is used with --issuer, --identity or --repository.`,
      message`Give either a key, or the identity of the signer.`,
    );
  if (issuer === undefined || (identity === undefined && repository === undefined))
    throw new AppregError(
      'option-missing',
      message`The signer is not given.`,
      message`Add --key, or --issuer with --identity or --repository: every user of Sigstore can sign with an own identity.`,
    );
  return { issuer, identity: identity ?? null, repository: repository ?? null };
}

import { type Digest, isAppregError, type SignerPolicy } from 'appreg';
import { readPublicKey } from 'appreg/node';
import { parseTypedUrl } from './fields.ts';

/** Requirements of a subscription on the attestations of its registry. */

/**
 * `off`: attestations are not fetched. `report`: they are shown. `require`: only versions with a valid one are offered,
 * and those that were offered before.
 */
export const ATTESTATION_MODES = ['off', 'report', 'require'] as const;
export type AttestationMode = (typeof ATTESTATION_MODES)[number];

/** Who has to have signed: the holder of a key, or an identity that a certificate authority confirmed. */
export type SignerRequirement = KeyRequirement | IdentityRequirement;

interface KeyRequirement {
  /** PEM, ECDSA P-256. */
  publicKey: string;
  keySha256: Digest;
}

interface IdentityRequirement {
  issuer: string;
  /** One of both is not null. */
  identity: string | null;
  repository: string | null;
}

export type SubscriptionPolicy = { mode: 'off' } | { mode: 'report' | 'require'; signer: SignerRequirement };

export const ATTESTATIONS_OFF: SubscriptionPolicy = { mode: 'off' };

export function policyOf(mode: AttestationMode, signer: SignerRequirement | null): SubscriptionPolicy {
  return mode === 'off' || signer === null ? ATTESTATIONS_OFF : { mode, signer };
}

/** The same for a judge of attestations. */
export function signerPolicy(signer: SignerRequirement): SignerPolicy {
  if ('publicKey' in signer) return { key: signer.keySha256 };
  const { issuer, identity, repository } = signer;
  return { issuer, identity, repository };
}

/** The digest of the key that attestations are verified with; '' without a key. */
export function keyOf(signer: SignerRequirement): string {
  return 'publicKey' in signer ? signer.keySha256 : '';
}

/** Maximum characters of an identity. */
export const LONGEST_IDENTITY = 1000;
/** Maximum characters of a public key; one on the curve P-256 has 180. */
export const LONGEST_KEY = 1000;

/** The fields of a policy, as the API and the form send them. */

export type PolicyField = 'issuer' | 'identity' | 'repository' | 'publicKey';

/** As they were sent; '' for none. */
export type PolicyInput = Record<PolicyField, string> & { mode: string };

/** Fault of a field: worded to follow “The field”. */
export interface PolicyFault {
  field: PolicyField | 'mode';
  fault: string;
}

/** The policy in the fields, or what is wrong with each of them. With `off`, the other fields are ignored. */
export function readPolicy({ mode, ...fields }: PolicyInput): SubscriptionPolicy | { faults: PolicyFault[] } {
  const known = ATTESTATION_MODES.find((one) => one === mode);
  if (known === 'off') return ATTESTATIONS_OFF;
  const input = trimmed(fields);
  const key = input.publicKey === '' ? null : keyIn(input.publicKey);
  const wrong = [...formFaults(input), ...(key !== null && 'fault' in key ? [key] : [])];
  if (known === undefined)
    return { faults: [{ field: 'mode', fault: `is not one of ${ATTESTATION_MODES.join(', ')}.` }, ...wrong] };
  const unfit = signerFaults(input);
  const faults = [...unfit, ...wrong.filter(({ field }) => !unfit.some((one) => one.field === field))];
  if (faults.length > 0) return { faults };
  if (key !== null && 'signer' in key) return { mode: known, signer: key.signer };
  const { issuer, identity, repository } = input;
  return { mode: known, signer: { issuer, identity: identity || null, repository: repository || null } };
}

/** True if the fields together name a signer. */
function signerFaults({ issuer, identity, repository, publicKey }: Record<PolicyField, string>): PolicyFault[] {
  const isKey = publicKey !== '';
  if (isKey && (issuer !== '' || identity !== '' || repository !== ''))
    return [
      {
        field: 'publicKey',
        fault: 'is used with an identity. Give either a key, or issuer with identity or repository.',
      },
    ];
  if (isKey) return [];
  const faults: PolicyFault[] = [];
  if (issuer === '')
    faults.push({
      field: 'issuer',
      fault:
        'is missing: every user of Sigstore can sign with an own identity. Give issuer with identity or repository, or a public key.',
    });
  if (identity === '' && repository === '')
    faults.push({
      field: 'repository',
      fault: 'is missing. Give the source repository, or the identity of the signer.',
    });
  return faults;
}

/** Finds the faults of the given fields, except for the key. */
function formFaults({ issuer, identity, repository }: Record<PolicyField, string>): PolicyFault[] {
  const faults: PolicyFault[] = [];
  if (issuer !== '' && !isHttpsUrl(issuer))
    faults.push({
      field: 'issuer',
      fault: 'is not an https URL, such as https://token.actions.githubusercontent.com.',
    });
  if (repository !== '' && !isHttpsUrl(repository))
    faults.push({ field: 'repository', fault: 'is not an https URL, such as https://github.com/acme/apps.' });
  if (identity.length > LONGEST_IDENTITY)
    faults.push({ field: 'identity', fault: `is longer than ${LONGEST_IDENTITY} characters.` });
  else if (!PRINTABLE.test(identity))
    faults.push({ field: 'identity', fault: 'contains characters other than printable ASCII.' });
  return faults;
}

const PRINTABLE = /^[\x21-\x7e]*$/;

/** It is compared with that of a certificate as it is written, so nothing is encoded or removed. */
function isHttpsUrl(text: string): boolean {
  const parsed = parseTypedUrl(text);
  return 'url' in parsed && parsed.url.protocol === 'https:' && PRINTABLE.test(text);
}

function trimmed(input: Record<PolicyField, string>): Record<PolicyField, string> {
  const { issuer, identity, repository, publicKey } = input;
  return {
    issuer: issuer.trim(),
    identity: identity.trim(),
    repository: repository.trim(),
    publicKey: publicKey.trim(),
  };
}

function keyIn(publicKey: string): { signer: SignerRequirement } | PolicyFault {
  if (publicKey.length > LONGEST_KEY) return { field: 'publicKey', fault: `is longer than ${LONGEST_KEY} characters.` };
  try {
    const key = readPublicKey(publicKey, 'The key');
    // Written again, so that what surrounds it is not stored.
    const text = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    return { signer: { publicKey: text, keySha256: key.sha256 } };
  } catch (error) {
    if (!isAppregError(error)) throw error;
    const fault = 'is not a public key in PEM, ECDSA on the curve P-256: openssl ec -in key.pem -pubout';
    return { field: 'publicKey', fault };
  }
}

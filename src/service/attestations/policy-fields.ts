import { readPublicKey } from '../../attestation/trust.ts';
import { isAppregError } from '../../core/errors.ts';
import { parseTypedUrl } from '../http/fields.ts';
import {
  ATTESTATION_MODES,
  ATTESTATIONS_OFF,
  LONGEST_IDENTITY,
  LONGEST_KEY,
  type SignerRequirement,
  type SubscriptionPolicy,
} from './policy.ts';

/** The fields of a policy, as the API and the form send them. */

export type PolicyField = 'issuer' | 'identity' | 'repository' | 'publicKey';

/** As they were sent; '' for none. */
export type PolicyInput = Record<PolicyField, string> & { mode: string };

/** What is wrong with a field: worded to follow “The field”. */
export interface PolicyFault {
  field: PolicyField | 'mode';
  fault: string;
}

/** The policy in the fields, or what is wrong with each of them. With `off`, the other fields are ignored. */
export function readPolicy({ mode, ...fields }: PolicyInput): SubscriptionPolicy | { faults: PolicyFault[] } {
  const known = ATTESTATION_MODES.find((one) => one === mode);
  if (known === undefined)
    return { faults: [{ field: 'mode', fault: `is not one of ${ATTESTATION_MODES.join(', ')}.` }] };
  if (known === 'off') return ATTESTATIONS_OFF;
  const signer = signerIn(fields);
  return 'faults' in signer ? signer : { mode: known, signer };
}

function signerIn(input: Record<PolicyField, string>): SignerRequirement | { faults: PolicyFault[] } {
  const { issuer, identity, repository, publicKey } = trimmed(input);
  if (publicKey !== '') {
    if (issuer !== '' || identity !== '' || repository !== '')
      return fault('publicKey', 'is used with an identity. Give either a key, or issuer with identity or repository.');
    return keyIn(publicKey);
  }
  const faults: PolicyFault[] = [];
  const urlFault = (field: PolicyField, text: string, example: string): void => {
    const parsed = parseTypedUrl(text);
    if (!('url' in parsed) || parsed.url.protocol !== 'https:')
      faults.push({ field, fault: `is not an https URL, such as ${example}.` });
  };
  if (issuer === '')
    faults.push({
      field: 'issuer',
      fault:
        'is missing: every user of Sigstore can sign with an own identity. Give issuer with identity or repository, or a public key.',
    });
  else urlFault('issuer', issuer, 'https://token.actions.githubusercontent.com');
  if (identity === '' && repository === '')
    faults.push({
      field: 'repository',
      fault: 'is missing. Give the source repository, or the identity of the signer.',
    });
  if (repository !== '') urlFault('repository', repository, 'https://github.com/acme/apps');
  if (identity.length > LONGEST_IDENTITY)
    faults.push({ field: 'identity', fault: `is longer than ${LONGEST_IDENTITY} characters.` });
  else if (!/^[\x21-\x7e]*$/.test(identity))
    faults.push({ field: 'identity', fault: 'contains characters other than printable ASCII.' });
  if (faults.length > 0) return { faults };
  return { issuer, identity: identity || null, repository: repository || null };
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

function keyIn(publicKey: string): SignerRequirement | { faults: PolicyFault[] } {
  if (publicKey.length > LONGEST_KEY) return fault('publicKey', `is longer than ${LONGEST_KEY} characters.`);
  try {
    const key = readPublicKey(publicKey, 'The key');
    // Written again, so that what surrounds it is not stored.
    return { publicKey: key.publicKey.export({ type: 'spki', format: 'pem' }).toString(), keySha256: key.sha256 };
  } catch (error) {
    if (!isAppregError(error)) throw error;
    return fault('publicKey', 'is not a public key in PEM, ECDSA on the curve P-256: openssl ec -in key.pem -pubout');
  }
}

function fault(field: PolicyField, text: string): { faults: PolicyFault[] } {
  return { faults: [{ field, fault: text }] };
}

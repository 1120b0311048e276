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

/** Whether the fields together name a signer. */
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

/** What is wrong with the fields that are given, except for the key. */
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

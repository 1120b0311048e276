import { ATTESTATION_MODES } from './choices.ts';
import type { OptionDefinitions } from './command-definition.ts';

/** Options about the attestations of artifacts. */

/** Who has to have signed an attestation, and what it is verified with. */
export const signerOptions = {
  issuer: {
    type: 'string',
    flags: '--issuer <url>',
    description: 'the OIDC issuer of the signer, such as https://token.actions.githubusercontent.com',
    value: 'text',
  },
  identity: {
    type: 'string',
    flags: '--identity <glob>',
    description: 'the identity of the signer: the URL of a workflow and its ref, or an e-mail address',
    value: 'text',
  },
  repository: {
    type: 'string',
    flags: '--repository <url>',
    description: 'the source repository of the signer',
    value: 'url',
  },
  key: {
    type: 'string',
    flags: '--key <file>',
    description: 'the public key of the signer (PEM, ECDSA P-256), in place of an identity',
    value: 'file',
  },
  trustedRoot: {
    type: 'string',
    flags: '--trusted-root <file>',
    description:
      'the trusted root of a Sigstore instance (default: that of the public one, from this version of appreg)',
    value: 'file',
  },
} as const satisfies OptionDefinitions;

/** Whether attestations of a live registry are checked, and what they have to prove. */
export const attestationOptions = {
  attestations: {
    type: 'string',
    flags: '--attestations <mode>',
    description:
      'report: also verify the attestations of artifacts; require: each artifact must have one (default: off)',
    value: ATTESTATION_MODES,
  },
  ...signerOptions,
} as const satisfies OptionDefinitions;

/** How published versions are attested. */
export const attestOptions = {
  attest: {
    type: 'boolean',
    flags: '--attest',
    description: 'also publish an attestation (Sigstore), signed with the OIDC token of the CI system',
  },
  attestKeyEnv: {
    type: 'string',
    flags: '--attest-key-env <ENV>',
    description: 'also publish an attestation, signed with the private key in this environment variable (ECDSA P-256)',
    value: 'text',
  },
  attestation: {
    type: 'string',
    flags: '--attestation <file>',
    description: 'also publish this attestation (Sigstore bundle), after verifying it',
    value: 'file',
  },
  ...signerOptions,
} as const satisfies OptionDefinitions;

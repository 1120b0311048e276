import { RESULT_FORMATS } from '../../../report/options.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { signerOptions } from '../../attestation-options.ts';

export const attestationCommand = {
  name: 'attestation',
  description: 'verify the attestation of one artifact: who built it, from which commit',
  arguments: [{ usage: '<artifact>', value: 'file', prompt: { message: 'Which artifact?' } }],
  options: {
    bundle: {
      type: 'string',
      flags: '--bundle <file>',
      description: 'the attestation, a Sigstore bundle (default: <artifact>.sigstore.json)',
      value: 'file',
    },
    app: {
      type: 'string',
      flags: '--app <key@version>',
      description: 'the app and version that the attestation must name',
      value: 'text',
    },
    ...signerOptions,
  },
  formats: RESULT_FORMATS,
  notes:
    'Nothing is requested from the network. The signer must be given: --key, or --issuer with --identity or --repository.\n' +
    'In --identity, * matches within a segment of a path, and ** across segments.',
  examples: [
    'attestation clock-1.2.0.tar.gz --app clock@1.2.0 --issuer https://token.actions.githubusercontent.com --repository https://github.com/acme/apps',
    'attestation clock-1.2.0.tar.gz --bundle clock.sigstore.json --key acme.pub',
  ],
} as const satisfies CommandDefinition;

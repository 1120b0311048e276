import { RESULT_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, text } from './command.ts';
import { signerOptions } from './option-groups.ts';

export const attestationCommand = {
  name: 'attestation',
  group: 'evidence',
  description: 'verify who built an artifact, and from which commit',
  arguments: [{ usage: '<artifact>', value: 'file', prompt: { message: 'Which artifact?' } }],
  options: {
    bundle: text('--bundle <file>', 'the attestation, a Sigstore bundle (default: <artifact>.sigstore.json)', 'file'),
    app: text('--app <key@version>', 'the app and version that the attestation must name', 'text'),
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

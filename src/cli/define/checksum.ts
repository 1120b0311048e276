import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';

export const checksumCommand = {
  name: 'checksum',
  group: 'evidence',
  description: 'print the checksum for the metadata: sha256:<64 hex digits>',
  arguments: [{ usage: '<file|url...>', value: 'file-or-url', prompt: { message: 'Which file or URL?' } }],
  options: {},
  formats: RESULT_FORMATS,
  examples: ['checksum clock-1.0.0.tar.gz'],
} as const satisfies CommandDefinition;

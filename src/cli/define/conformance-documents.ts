import { CONFORMANCE_FORMATS } from '../../report/options.ts';
import { type CommandDefinition, flag } from './command.ts';
import { conformanceOptions, implementationOption } from './option-groups.ts';
import { conformanceCommand } from './conformance.ts';

export const conformanceDocumentsCommand = {
  name: 'conformance documents',
  group: conformanceCommand.group,
  description: 'test a validator of registry manifests and app metadata files',
  arguments: [],
  options: {
    ...conformanceOptions,
    ...implementationOption('the validator, which is given the file of a document (default: that of appreg)'),
    batch: flag('--batch', 'run the validator once; it reads the paths of all documents from its standard input'),
  },
  formats: CONFORMANCE_FORMATS,
  notes:
    'The validator exits with 0 for a document that it accepts, and with 1 for one that it rejects. docs/implementers/conformance.md describes the JSON that it can print.',
  examples: ['conformance documents --command "python3 validator.py" --format html --output results.html'],
} as const satisfies CommandDefinition;

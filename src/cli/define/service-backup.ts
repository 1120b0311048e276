import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { dataFolderOption } from './option-groups.ts';
import { serviceCommand } from './service.ts';

export const serviceBackupCommand = {
  name: 'service backup',
  group: serviceCommand.group,
  network: 'always',
  description: "back up the service's database; the service may be running",
  arguments: [{ usage: '<file>', value: 'file', prompt: { message: 'File to write the backup to?' } }],
  options: { ...dataFolderOption },
  formats: RESULT_FORMATS,
  notes: 'The database is that of DATABASE_URL, or the embedded one of --data. An existing file is replaced.',
  examples: ['service backup appreg-backup.gz'],
} as const satisfies CommandDefinition;

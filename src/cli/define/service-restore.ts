import { RESULT_FORMATS } from '../../report/options.ts';
import type { CommandDefinition } from './command.ts';
import { dataFolderOption } from './option-groups.ts';
import { serviceCommand } from './service.ts';

export const serviceRestoreCommand = {
  name: 'service restore',
  group: serviceCommand.group,
  network: 'always',
  description: 'restore a backup into an empty database',
  arguments: [{ usage: '<file>', value: 'file', prompt: { message: 'Backup file to restore?' } }],
  options: { ...dataFolderOption },
  formats: RESULT_FORMATS,
  notes:
    'The database is that of DATABASE_URL, or an embedded one in --data, a folder that is empty or does not exist.',
  examples: ['service restore appreg-backup.gz --data appreg-data'],
} as const satisfies CommandDefinition;

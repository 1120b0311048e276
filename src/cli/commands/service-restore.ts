import { resolveSettings, restore } from 'appreg-service';
import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { printable } from '../../core/text/text.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { quotedPath } from '../io/shown-path.ts';
import { printResult } from '../io/results.ts';
import { untilSignal } from '../io/stop-signal.ts';
import { describeRows } from './service-backup.ts';
import type { serviceRestoreCommand } from '../define/service-restore.ts';

type Options = OptionsOf<typeof serviceRestoreCommand>;

/** The tables with secrets that are sealed if the service has a SECRETS_KEY. */
const SEALED = ['registry_credentials', 'webhooks'];

/** `appreg service restore <file>`: a backup into an empty database, all of it or nothing. */
export async function runServiceRestore(context: Context, file: string, options: Options): Promise<number> {
  const { terminal, env, cwd } = context;
  const settings = resolveSettings(options, env, { cwd, ca: null, machineCa: null, trustedRoot: null });
  const { rows, header } = await untilSignal((signal) => restore(settings, resolve(cwd, file), signal));
  const target = settings.databaseUrl === null ? settings.dataFolder : 'the database of DATABASE_URL';
  const { createdAt, appreg } = header;
  printResult<'service restore'>(context, {
    pretty: () => `Restored ${printable(target)} as of ${printable(createdAt)}: ${describeRows(rows)}.`,
    json: () => ({ target: settings.databaseUrl === null ? target : null, createdAt, appreg, rows }),
  });
  if (SEALED.some((table) => (rows[table] ?? 0) > 0))
    terminal.log(
      message`Start the service with the SECRETS_KEY of the backed-up service: it encrypts the credentials of registries and the secrets of webhooks.`,
    );
  terminal.next(
    settings.databaseUrl === null
      ? message`appreg service --data ${quotedPath(printable(target))}`
      : message`appreg service`,
  );
  return 0;
}

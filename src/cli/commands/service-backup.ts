import { backUp, resolveSettings } from 'appreg-service';
import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { counted, printable } from '../../core/text/text.ts';
import { byteSize } from '../../report/words.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { quotedPath } from '../io/shown-path.ts';
import { printResult } from '../io/results.ts';
import { untilSignal } from '../io/stop-signal.ts';
import type { serviceBackupCommand } from '../define/service-backup.ts';

type Options = OptionsOf<typeof serviceBackupCommand>;

/** `appreg service backup <file>`: all of the database in one file, which only its owner can read. */
export async function runServiceBackup(context: Context, file: string, options: Options): Promise<number> {
  const { terminal, env, cwd } = context;
  const settings = resolveSettings(options, env, { cwd, ca: null, machineCa: null, trustedRoot: null });
  const path = resolve(cwd, file);
  const { rows, bytes } = await untilSignal((signal) => backUp(settings, path, signal));
  printResult<'service backup'>(context, {
    pretty: () => `Wrote ${printable(file)}: ${byteSize(bytes)}, ${describeRows(rows)}.`,
    json: () => ({ file: path, bytes, rows }),
  });
  terminal.next(message`appreg service restore ${quotedPath(printable(file))} --data <folder>`);
  return 0;
}

/** Counts for operators the rows of the main tables. */
export function describeRows(rows: Record<string, number>): string {
  return ['organization', 'subscription', 'app', 'version']
    .map((noun) => counted(rows[`${noun}s`] ?? 0, noun))
    .join(', ');
}

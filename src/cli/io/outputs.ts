import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { AppregError } from '../../core/errors.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import type { CheckFormat, Format } from '../../report/options.ts';
import { isOneOf } from '../choices.ts';
import type { CommandIdentity, GlobalOptions } from '../context.ts';

/** One form in which a result is requested. */
export interface Output {
  format: Format;
  /** Absolute; null for stdout. */
  file: string | null;
}

/**
 * What --format, --output and --report request: the result itself first, then the reports.
 * @throws AppregError for a format that the command does not have, and for an empty file name
 */
export function outputsOf(
  { format, output, report = [] }: GlobalOptions,
  command: CommandIdentity,
  cwd: string,
): Output[] {
  return [
    {
      format: format === undefined ? 'pretty' : formatIn(format, command),
      file: output === undefined ? null : resolve(cwd, nonEmpty(output, '--output')),
    },
    ...report.map((text) => reportIn(text, command, cwd)),
  ];
}

/** A format of a check, whose command offers no other. */
export function checkFormat(format: Format): CheckFormat {
  if (format === 'html') throw new Error('A report of a check has no format html.');
  return format;
}

function reportIn(text: string, command: CommandIdentity, cwd: string): Output {
  const separator = text.indexOf('=');
  if (separator === -1)
    throw new AppregError(
      'option-invalid',
      message`Invalid --report “${safeExcerpt(text, 80)}”: the file is missing.`,
      message`Give a format and a file, such as --report json=report.json. The formats are: ${command.formats.join(', ')}`,
    );
  const format = formatIn(text.slice(0, separator), command);
  return { format, file: resolve(cwd, nonEmpty(text.slice(separator + 1), `--report ${format}=<file>`)) };
}

function formatIn(text: string, { name, formats }: CommandIdentity): Format {
  if (isOneOf(formats, text)) return text;
  throw new AppregError(
    'format-unknown',
    message`${name} has no format “${safeExcerpt(text, 80)}”.${didYouMean(text, formats)}`,
    message`Use one of: ${formats.join(', ')}`,
  );
}

function nonEmpty(file: string, option: string): string {
  if (file.trim() !== '') return file;
  throw new AppregError('option-invalid', message`The file of ${option} is empty.`, message`Give the name of a file.`);
}

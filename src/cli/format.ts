import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';

/** The formats of commands without a report. */
export const RESULT_FORMATS = ['pretty', 'json'] as const;

/** True for --format json. Throws AppregError for a format that a command without a report does not support. */
export function wantsJson(command: string, format: string | undefined): boolean {
  if (format === undefined || format === 'pretty' || format === 'json') return format === 'json';
  throw new AppregError(
    'format-unknown',
    `${command} has no format “${printable(format)}”.`,
    'Use --format pretty or --format json.',
  );
}

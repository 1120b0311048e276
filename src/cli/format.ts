import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';

/** The formats of commands that make no report. */
export const RESULT_FORMATS = ['pretty', 'json'] as const;

/** True for --format json. Throws Trouble for a format that a command which makes no report does not have. */
export function wantsJson(command: string, format: string | undefined): boolean {
  if (format === undefined || format === 'pretty' || format === 'json') return format === 'json';
  throw new AppregError(
    'format-unknown',
    `${command} has no format ${printable(format)}.`,
    'Use --format pretty or --format json.',
  );
}

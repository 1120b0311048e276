import type { ConformanceReport } from 'appreg-conformance';
import type { ReleaseReport } from '../../core/release/report.ts';
import { type SafeText, message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { PLAIN, type Style } from '../../report/style.ts';
import { documentText } from '../../report/envelope.ts';
import type { CheckFormat, Format } from '../../report/options.ts';
import type { Results } from '../../report/results.ts';
import { isOneOf } from '../define/choices.ts';
import type { Invocation } from './invocation.ts';
import type { CommandIdentity, GlobalOptions } from './invocation.ts';
import { shownPath } from './shown-path.ts';

/** The JSON document of each command. */
interface Documents extends Results {
  release: ReleaseReport;
  'conformance documents': ConformanceReport;
  'conformance host': ConformanceReport;
  'conformance subscriber': ConformanceReport;
}

/** A result of a command, in each form that can be requested. */
export interface Result<Fields extends object> {
  /** For people; null if there is only an error, which is on stderr. */
  pretty(style: Style): string | null;
  /** The fields of the JSON document in addition to its envelope. */
  json(): Fields;
  markdown?(): string;
  /** Applied to every text of the JSON document (default: `redact`). */
  conceal?: (text: string) => string;
  /** One line for stderr if the result is in a file (default: the first line for people). */
  summary?(): SafeText;
}

/**
 * Prints the result of a command as --format, --output and --report request it. Called once per run, with the name of the
 * command as type argument: `printResult<'lock'>(…)`.
 */
export function printResult<Name extends keyof Documents = never>(
  context: Invocation,
  result: Result<Documents[Name]>,
): void {
  const render = (format: Format, style: Style): string | null => {
    if (format === 'json') return documentText(context.command.name, result.json(), result.conceal);
    return format === 'markdown' && result.markdown ? result.markdown() : result.pretty(style);
  };
  printRendered(context, render, () => result.summary?.() ?? message`${result.pretty(PLAIN)?.split('\n')[0] ?? ''}`);
}

/**
 * The same for results in other formats.
 * @param summary one line for stderr if the result is in a file
 */
export function printRendered(
  context: Invocation,
  render: (format: Format, style: Style) => string | null,
  summary: () => SafeText,
): void {
  const { terminal, options, cwd, command } = context;
  const [main, ...reports] = outputsOf(options, command, cwd);
  if (main === undefined) return;
  const text = render(main.format, main.file === null ? terminal.style : PLAIN);
  if (text !== null) terminal.out(text, main.file);
  for (const { format, file } of reports) {
    const report = render(format, PLAIN);
    if (report !== null) terminal.out(report, file);
  }
  if (main.file === null) return;
  const line = summary();
  if (line !== '') terminal.log(line);
  terminal.log(message`Written to ${shownPath(cwd, main.file)}`);
}

/** In place of `redact`, for texts of appreg itself: their examples look like secrets. */
export function ownText(text: string): string {
  return text;
}

/** One form in which a result is requested. */
export interface Output {
  format: Format;
  /** Absolute; null for stdout. */
  file: string | null;
}

/**
 * Reads --format, --output and --report: the result itself first, then the reports.
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
      file: output === undefined || output === '-' ? null : resolve(cwd, nonEmpty(output, '--output')),
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

import { isAbout } from '../../core/engine/mark-findings.ts';
import { isOver } from '../../core/findings/exception-end.ts';
import { isCountedFinding, exitCode, type ExceptionList, type Report } from '../../core/findings/report.ts';
import { message } from '../../core/text/message.ts';
import { counted } from '../../core/text/text.ts';
import { explainCommand, render } from '../../report/index.ts';
import { DEFAULTS, type RenderOptions } from '../../report/options.ts';
import { summaryLine } from '../../report/report-text.ts';
import { PLAIN } from '../../report/style.ts';
import type { Context } from '../config/context.ts';
import { checkFormat, printRendered } from '../io/results.ts';
import type { Terminal } from '../io/terminal.ts';
import type { CheckSettings } from './settings.ts';
import { folderInRepository, reportToGitHub } from './ci.ts';

/** The output of a check: its report, and what to do next. */

/**
 * Prints the report to stdout, or to the file of --output, and returns the exit code.
 * @param more what the command knows in addition to the report, such as the severities used
 */
export function printReport(context: Context, report: Report, more: Partial<RenderOptions> = {}): 0 | 1 | 2 {
  const { options, cwd, env } = context;
  const maxWarnings = options.maxWarnings ?? null;
  const renderOptions: RenderOptions = {
    ...DEFAULTS,
    verbose: options.verbose === true,
    folder: folderInRepository(cwd, env),
    maxWarnings,
    ...more,
  };
  printRendered(
    context,
    (format, style) => render(report, checkFormat(format), { ...renderOptions, style }),
    () => message`${summaryLine(report, PLAIN)}`,
  );
  reportToGitHub(context, report, renderOptions);
  return exitCode(report, maxWarnings);
}

/**
 * Prints the report of a whole check, which exceptions are over, and what explains a failure.
 * @param now the time of the check, ISO 8601
 * @param more what the command knows in addition to the report
 * @returns the exit code of the report
 */
export function reportCheck(
  context: Context,
  report: Report,
  { severities, exceptions, now }: Pick<CheckSettings, 'severities' | 'exceptions' | 'now'>,
  more: Partial<RenderOptions> = {},
): 0 | 1 | 2 {
  const code = printReport(context, report, { severities, ...more });
  logEndedExceptions(context.terminal, report, exceptions, now);
  suggestExplanation(context, code, report);
  return code;
}

/** Logs which findings count again, because their exception is over. */
export function logEndedExceptions(terminal: Terminal, report: Report, list: ExceptionList | null, now: string): void {
  for (const exception of list?.entries ?? []) {
    if (!isOver(exception, now)) continue;
    const found = report.findings.filter((finding) => isAbout(exception, finding) && isCountedFinding(finding));
    if (found.length === 0) continue;
    const { rule, app, until, reason } = exception;
    terminal.log(
      message`The exception for ${rule}${app === null ? '' : ` (${app})`} ended on ${String(until)}, so ${counted(found.length, 'finding')} count${found.length === 1 ? 's' : ''} again. Its reason: ${reason}`,
    );
  }
}

/** Suggests the command that explains the most severe finding of a failed check. */
export function suggestExplanation({ terminal }: Context, code: number, { findings }: Report): void {
  const command = code === 0 ? null : explainCommand(findings);
  if (command !== null) terminal.next(message`${command} shows the causes, examples and settings of that rule`);
}

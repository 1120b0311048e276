import { message } from '../../core/text/message.ts';
import type { ExceptionList } from '../../core/engine/exception.ts';
import { isAbout, isOver } from '../../core/engine/mark-findings.ts';
import { counts, type Report, type Severity } from '../../core/engine/report.ts';
import { counted } from '../../core/text/text.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import type { Terminal } from '../io/terminal.ts';
import { readBaselineReport } from './baseline-report.ts';
import { severitiesOf } from './severities.ts';

/** What decides how findings are reported, and which of them count. */
export interface CheckSettings {
  severities: Record<string, Severity | 'off'>;
  exceptions: ExceptionList | null;
  /** The fingerprints of the findings of the baseline report; null without one. */
  known: ReadonlySet<string> | null;
}

/**
 * The settings of a check.
 * @param baseline as given with --baseline
 * @throws AppregError for an invalid setting, and for a file that is not a report
 */
export async function checkSettings(context: Context, loaded: LoadedConfig, baseline?: string): Promise<CheckSettings> {
  return {
    severities: await severitiesOf(context, loaded),
    exceptions: await exceptionsIn(loaded, context.cwd),
    known: baseline === undefined ? null : readBaselineReport(baseline, context.cwd),
  };
}

/** The exceptions of a configuration, whose code is loaded on demand: it contains a parser of version ranges. */
async function exceptionsIn(loaded: LoadedConfig, cwd: string): Promise<ExceptionList | null> {
  if ((loaded.config.exceptions ?? []).length === 0) return null;
  const { exceptionsOf } = await import('./exceptions.ts');
  return exceptionsOf(loaded, cwd);
}

/** Logs which findings count again, because their exception is over. */
export function logEndedExceptions(terminal: Terminal, report: Report, list: ExceptionList | null, now: string): void {
  for (const exception of list?.entries ?? []) {
    if (!isOver(exception, now)) continue;
    const found = report.findings.filter((finding) => isAbout(exception, finding) && counts(finding));
    if (found.length === 0) continue;
    const { rule, app, until, reason } = exception;
    terminal.log(
      message`The exception for ${rule}${app === null ? '' : ` (${app})`} ended on ${String(until)}, so ${counted(found.length, 'finding')} count${found.length === 1 ? 's' : ''} again. Its reason: ${reason}`,
    );
  }
}

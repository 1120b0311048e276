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
import { resolve } from 'node:path';
import type { AdvisoryFolder } from '../../observe/advisories/advisory-folder.ts';

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
  const { exceptionsOf } = await import('./rule-settings.ts');
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

/**
 * The folder of --advisories; null if the option is not given. It is read when the first package is looked up.
 * @throws AppregError `advisories-unusable` (exit 2) if it is not a folder
 */
export async function advisoriesAt(
  { cwd, terminal }: Context,
  { advisories }: { advisories?: string },
): Promise<AdvisoryFolder | null> {
  if (advisories === undefined) return null;
  const { openAdvisories } = await import('../../observe/advisories/advisory-folder.ts');
  return openAdvisories(resolve(cwd, advisories), advisories, {
    onStart: () => terminal.detail(message`Reading the advisories in ${advisories}`),
    onBroken(examples, count) {
      const more = count > examples.length ? ` and ${counted(count - examples.length, 'more file')}` : '';
      terminal.log(
        message`warning: ${advisories} has ${counted(count, 'file')} that cannot be used as advisories: ${examples.join(', ')}${more}`,
      );
    },
  });
}

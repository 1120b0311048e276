import type { ExceptionList } from '../../core/engine/exception.ts';
import type { Severity } from '../../core/engine/report.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import { readBaselineReport } from './baseline-report.ts';
import { severitiesOf } from './severities.ts';
import { exceptionsOf } from './exceptions.ts';

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
    exceptions: exceptionsOf(loaded, context.cwd),
    known: baseline === undefined ? null : readBaselineReport(baseline, context.cwd),
  };
}

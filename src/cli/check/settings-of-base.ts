import { basename } from 'node:path';
import { type JudgeOptions, startJudging, type Judging } from '../../core/engine/judge.ts';
import { relaxedFindings, withRelaxed } from '../../core/engine/relaxed.ts';
import type { Finding, Report } from '../../core/findings/report.ts';
import { message } from '../../core/text/message.ts';
import { counted, safeExcerpt } from '../../core/text/text.ts';
import type { BaseSettings } from '../config/base-config.ts';
import { type LoadedConfig, settingsOf } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import { severitiesOf } from '../config/rules.ts';

/** Judges with the rules and exceptions of a baseline as well, if a change has other ones. */

/**
 * Starts judging with the settings of the baseline; null if they are the same, or not known.
 * @param current the configuration that the facts are judged with
 * @param source of the baseline, as it was given
 */
export async function judgingWithBase(
  context: Context,
  { current, settings, source }: { current: LoadedConfig; settings: BaseSettings | null; source: string },
  options: JudgeOptions,
): Promise<Judging | null> {
  // A configuration that is named is the one of the pipeline, and not of the change.
  const isOther = context.options.config !== undefined && basename(context.options.config) !== settings?.name;
  if (settings === null || isOther) return null;
  const { config } = settings;
  if (config === null) {
    if (relevantIn(current.config) !== relevantIn({}))
      context.terminal.log(
        message`The configuration of ${source} is code or is invalid, so its rules and exceptions are not compared.`,
      );
    return null;
  }
  if (relevantIn(config) === relevantIn(current.config)) return null;
  const { rules } = settingsOf(config, null, current.root);
  const { exceptions } = await rules();
  return startJudging({ ...options, severities: await severitiesOf(context, { rules }), exceptions });
}

function relevantIn({ rules = {}, exceptions = [] }: LoadedConfig['config']): string {
  const levels = Object.entries(rules).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([levels, exceptions]);
}

const NAMED = 5;

/** The report with what the settings of the baseline would have reported in addition, which one line names. */
export function reportRelaxed({ terminal }: Context, report: Report, other: Report, source: string): Report {
  const found = relaxedFindings(report, other);
  if (found.length === 0) return report;
  const listed = found.slice(0, NAMED).map(nameOf).join(', ');
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  terminal.log(
    message`The configuration of ${source} would have reported ${counted(found.length, 'finding')} that the current one omits: ${listed}${more}`,
  );
  return withRelaxed(report, found, source);
}

function nameOf({ rule, app, version, severity }: Finding): string {
  const about = [app, version].filter((name) => name !== null).map((name) => safeExcerpt(name, 60));
  return `${severity} ${rule}${about.length > 0 ? ` (${about.join(' ')})` : ''}`;
}

import { basename } from 'node:path';
import { type JudgeOptions, type Judging, startJudging } from '../../../core/engine/judge.ts';
import { relaxedFindings, withRelaxed } from '../../../core/engine/relaxed.ts';
import type { Finding, Report } from '../../../core/findings/report.ts';
import { message } from '../../../core/text/message.ts';
import { counted, safeExcerpt } from '../../../core/text/text.ts';
import { settings } from '../../check/settings.ts';
import { type Config, settingsOf } from '../../config/config.ts';
import type { Context } from '../../config/context.ts';
import type { ReadyTarget } from './targets.ts';

/** Judging one target, also with the rules and exceptions of its baseline if the change has other ones. */

/**
 * Starts judging a target.
 * @param ready the target, with its settings and its baseline
 * @param run.target of the whole run
 * @param run.source of the baseline, as --against gives it
 */
export async function judgingOf(
  context: Context,
  ready: ReadyTarget,
  run: Pick<JudgeOptions, 'target'> & { source: string | undefined },
): Promise<Judging> {
  const { target, source } = run;
  const options: JudgeOptions = {
    command: 'lint',
    target,
    ...ready.settings,
    registry: ready.registry,
    baseline: ready.against.registry,
    attestations: ready.attestations?.requirement ?? null,
  };
  const judging = startJudging(options);
  const base = source === undefined ? null : settingsOfBase(context, ready, source);
  if (source === undefined || base === null) return judging;
  const { severities, exceptions } = await settings(context, {}, settingsOf(base, null, ready.config.root));
  const other = startJudging({ ...options, severities, exceptions });
  return both(judging, other, (report, relaxed) => reportRelaxed(context, report, relaxed, source));
}

/** Passes the facts of a workspace to both. @param reportOn the report about what both have reported */
function both(first: Judging, second: Judging, reportOn: (report: Report, other: Report) => Report): Judging {
  return {
    ...first,
    manifest(facts) {
      first.manifest(facts);
      second.manifest(facts);
    },
    app(facts) {
      second.app(facts);
      return first.app(facts);
    },
    orphans(...files) {
      first.orphans(...files);
      second.orphans(...files);
    },
    finish: (...ending) => reportOn(first.finish(...ending), second.finish(0)),
  };
}

/** The configuration of the baseline; null if its rules and exceptions are the same, or not known. */
function settingsOfBase(context: Context, { against, config: current }: ReadyTarget, source: string): Config | null {
  const settings = against.settings ?? null;
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
  return relevantIn(config) === relevantIn(current.config) ? null : config;
}

function relevantIn({ rules = {}, exceptions = [] }: Config): string {
  const levels = Object.entries(rules).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([levels, exceptions]);
}

const NAMED = 5;

/** The report with what the settings of the baseline would have reported in addition, which one line names. */
function reportRelaxed({ terminal }: Context, report: Report, other: Report, source: string): Report {
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

import type { JudgeOptions } from '../../core/engine/judge.ts';
import { AppregError } from '../../core/errors/error.ts';
import { ruleById, similarRule } from '../../core/rules/lookup.ts';
import { message } from '../../core/text/message.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import type { Severity } from '../../core/values/severity.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import { exceptionsOf, settingViolations } from '../config/rules.ts';
import { isOneOf, LEVELS } from '../define/choices.ts';
import { knownFindings } from './known-findings.ts';

/** Settings that facts and plans are judged by: from the configuration, and from the command line. */

/** The settings of a plan. */
export type PlanSettings = Required<Pick<JudgeOptions, 'now' | 'severities' | 'appEntry'>>;

/** The settings of a check: in addition, what does not count. */
export type CheckSettings = PlanSettings & Required<Pick<JudgeOptions, 'exceptions' | 'known'>>;

type Configuration = Pick<LoadedConfig, 'config' | 'file'>;

/**
 * The settings of a plan, as of now.
 * @throws AppregError for an invalid setting or --rule
 */
export async function planSettings(context: Context, configuration?: Configuration): Promise<PlanSettings> {
  const { config, file } = configuration ?? (await context.config());
  return {
    now: new Date().toISOString(),
    severities: await severitiesOf(context, { config, file }),
    // Read when it is used: it can be in a variable that is not set.
    get appEntry() {
      return config.artifact?.entry ?? null;
    },
  };
}

/**
 * The settings of a check, as of now.
 * @param configuration of the checked workspace (default: that of the current folder)
 * @param options.baseline as given with --baseline
 * @throws AppregError for an invalid setting or --rule, and for a file that is not a report
 */
export async function settings(
  context: Context,
  { baseline }: { baseline?: string | undefined },
  configuration?: Configuration,
): Promise<CheckSettings> {
  const loaded = configuration ?? (await context.config());
  return Object.assign(await planSettings(context, loaded), {
    exceptions: await exceptionsOf(loaded, context.cwd),
    known: baseline === undefined ? null : knownFindings(baseline, context.cwd),
  });
}

/** Severities from the configuration and from --rule, which takes precedence. */
async function severitiesOf(
  { options }: Context,
  { config, file }: Configuration,
): Promise<Record<string, Severity | 'off'>> {
  await refuseInvalid({ config, file });
  const severities: Record<string, Severity | 'off'> = { ...config.rules };
  for (const text of options.rule ?? []) {
    const [id = '', ...level] = text.split('=');
    severities[checkedRule(id.trim())] = checkedLevel(level.join('=').trim());
  }
  return severities;
}

/** Throws AppregError if `rules` or `exceptions` have values that do not exist; it names them all. */
async function refuseInvalid({ config, file }: Configuration): Promise<void> {
  const violations = settingViolations(config);
  if (violations.length === 0) return;
  const { configError } = await import('../config/config-errors.ts');
  throw await configError(file, violations);
}

function checkedRule(id: string): string {
  if (ruleById(id) !== undefined) return id;
  throw new AppregError(
    'rule-unknown',
    message`--rule: unknown rule “${id}”.${similarRule(id)}`,
    message`appreg rules lists the rules.`,
  );
}

function checkedLevel(level: string): Severity | 'off' {
  if (isOneOf(LEVELS, level)) return level;
  throw new AppregError(
    'rule-level-unknown',
    message`--rule: “${level}” is not a level.${didYouMean(level, LEVELS)}`,
    message`Use one of: ${LEVELS.join(', ')}`,
  );
}

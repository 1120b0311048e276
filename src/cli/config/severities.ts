import { message } from '../../core/text/message.ts';
import type { Severity } from '../../core/values/severity.ts';
import { AppregError } from '../../core/errors/error.ts';
import { ruleById, similarRule } from '../../core/rules/lookup.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { isOneOf, LEVELS } from '../define/choices.ts';
import type { LoadedConfig } from './config.ts';
import type { Context } from './context.ts';

/**
 * Severities from the configuration and from --rule, which takes precedence. Throws AppregError for an unknown rule or
 * level.
 */
export async function severitiesOf(
  context: Context,
  loaded: Pick<LoadedConfig, 'config' | 'file'>,
): Promise<Record<string, Severity | 'off'>> {
  await refuseInvalidSettings(loaded);
  const severities: Record<string, Severity | 'off'> = { ...loaded.config.rules };
  for (const text of context.options.rule ?? []) {
    const [id = '', ...level] = text.split('=');
    severities[checkedRule(id.trim())] = checkedLevel(level.join('=').trim());
  }
  return severities;
}

/** Throws AppregError if `rules` or `exceptions` of the configuration have values that do not exist; it names them all. */
async function refuseInvalidSettings({ config, file }: Pick<LoadedConfig, 'config' | 'file'>): Promise<void> {
  if (config.rules === undefined && config.exceptions === undefined) return;
  const { settingViolations } = await import('./rule-settings.ts');
  const violations = settingViolations(config);
  if (violations.length === 0) return;
  const { configError } = await import('./config-errors.ts');
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

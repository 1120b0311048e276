import type { Severity } from '../../core/engine/report.ts';
import { AppregError } from '../../core/errors.ts';
import { rules } from '../../core/rules/index.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { printable } from '../../core/text/text.ts';
import { isOneOf, LEVELS } from '../choices.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import { similarRule } from './similar-rule.ts';

/**
 * Severities from the configuration and from --rule, which takes precedence. Throws AppregError for an unknown rule or
 * level.
 */
export function severitiesOf(context: Context, config: LoadedConfig['config']): Record<string, Severity | 'off'> {
  const severities: Record<string, Severity | 'off'> = {};
  const known = new Set(rules.map((rule) => rule.id));
  const set = (id: string, level: string, where: string): void => {
    if (!known.has(id))
      throw new AppregError(
        'rule-unknown',
        `${where}: unknown rule “${printable(id)}”.${similarRule(id, [...known])}`,
        'appreg rules lists the rules.',
      );
    if (!isOneOf(LEVELS, level))
      throw new AppregError(
        'rule-level-unknown',
        `${where}: “${printable(level)}” is not a level.${didYouMean(level, LEVELS)}`,
        `Use one of: ${LEVELS.join(', ')}`,
      );
    severities[id] = level;
  };
  for (const [id, level] of Object.entries(config.rules ?? {})) set(id, level, 'Configuration');
  for (const text of context.options.rule ?? []) {
    const [id = '', ...level] = text.split('=');
    set(id.trim(), level.join('=').trim(), '--rule');
  }
  return severities;
}

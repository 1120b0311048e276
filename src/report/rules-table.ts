import type { Severity } from '../core/engine/report.ts';
import type { AnyRule } from '../core/rules/rule.ts';
import { counted, shorten } from '../core/text/text.ts';
import { RULE_GROUPS } from './rule-text.ts';
import type { Style } from './style.ts';

/** A rule with the level that it has here. */
export interface LeveledRule {
  rule: AnyRule;
  level: Severity | 'off';
}

/**
 * The rules by group, in aligned columns: id, level, and when the rule fails.
 * @param width the columns of the terminal; null to shorten nothing
 */
export function rulesTable(rules: readonly LeveledRule[], style: Style, width: number | null): string {
  if (rules.length === 0) return 'No rule matches.';
  const idWidth = Math.max(...rules.map(({ rule }) => rule.id.length));
  const levelWidth = Math.max('level'.length, ...rules.map((one) => levelText(one).length));
  const rest = width === null ? Infinity : Math.max(20, width - idWidth - levelWidth - 6);
  const lines = [style.dim(`  ${'rule'.padEnd(idWidth)}  ${'level'.padEnd(levelWidth)}  fails when`)];
  for (const [on, title] of Object.entries(RULE_GROUPS)) {
    const group = rules.filter(({ rule }) => rule.on === on);
    if (group.length === 0) continue;
    lines.push('', style.underline(title));
    for (const one of group) {
      const when = shorten(one.rule.failsWhen.replaceAll('`', ''), rest);
      const level = colored(one.level, style)(levelText(one).padEnd(levelWidth));
      lines.push(`  ${one.rule.id.padEnd(idWidth)}  ${level}  ${when}`);
    }
  }
  const isChanged = rules.some(({ rule, level }) => rule.severity !== level);
  lines.push('', `${counted(rules.length, 'rule')}${isChanged ? '; * marks a level that is not the default' : ''}`);
  return lines.join('\n');
}

function levelText({ rule, level }: LeveledRule): string {
  return rule.severity === level ? level : `${level}*`;
}

function colored(level: LeveledRule['level'], style: Style): (text: string) => string {
  if (level === 'error') return style.red;
  return level === 'warning' ? style.yellow : style.dim;
}

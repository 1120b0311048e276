import { message } from '../../core/text/message.ts';
import { rules } from '../../core/rules/index.ts';
import { counted } from '../../core/text/text.ts';
import { ruleAsJson } from '../../report/explain.ts';
import { type LeveledRule, rulesTable } from '../../report/rule-text.ts';
import { severitiesOf } from '../config/rules.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { ownText, printResult } from '../io/results.ts';
import { columns, isTerminal } from '../io/streams.ts';
import type { rulesCommand } from '../define/rules.ts';

type Options = OptionsOf<typeof rulesCommand>;

/** `appreg rules`: all rules, with their levels in the current folder. */
export async function runRules(context: Context, options: Options): Promise<number> {
  const { terminal } = context;
  const levels = await severitiesOf(context, await context.config());
  const all: LeveledRule[] = rules.map((rule) => ({ rule, level: levels[rule.id] ?? rule.severity }));
  const { group, level, symptom } = options;
  const chosen = all
    .filter(({ rule }) => group === undefined || rule.on === group)
    .filter((one) => level === undefined || one.level === level)
    .filter(({ rule }) => symptom === undefined || rule.symptom === symptom || rule.symptom === 'by-resource');
  const width = (options.output ?? '-') === '-' && isTerminal(1) ? columns(1) : null;
  printResult<'rules'>(context, {
    pretty: (style) => rulesTable(chosen, style, width),
    json: () => ({ rules: chosen.map((one) => ({ ...ruleAsJson(one.rule), level: one.level })) }),
    summary: () => message`${counted(chosen.length, 'rule')}`,
    conceal: ownText,
  });
  terminal.next(message`appreg explain <rule>`);
  return 0;
}

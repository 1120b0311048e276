import { message } from '../../core/text/message.ts';
import { ERRORS } from '../../core/errors/codes/index.ts';
import { AppregError, type ErrorCode } from '../../core/errors/error.ts';
import { rules } from '../../core/rules/index.ts';
import { ruleById } from '../../core/rules/lookup.ts';
import { didYouMeanAny } from '../../core/text/similar-names.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { errorAsJson, errorAsText, ruleAsJson, ruleAsText } from '../../report/explain.ts';
import type { Context } from '../config/context.ts';
import { ownText, printResult } from '../io/results.ts';

/**
 * `appreg explain <rule>`: everything about a rule, an error code, or both if they have the same name. The
 * configuration is not read, since the explained error may be about it.
 */
export async function runExplain(context: Context, given: string): Promise<number> {
  const id = given.trim().toLowerCase();
  const rule = ruleById(id) ?? null;
  const code = isErrorCode(id) ? id : null;
  if (rule === null && code === null) throw unknown(given);
  printResult<'explain'>(context, {
    pretty(style) {
      const parts = [
        ...(rule === null ? [] : [ruleAsText(rule, style)]),
        ...(code === null ? [] : [errorAsText(code, style)]),
      ];
      return parts.join('\n\n');
    },
    json: () => ({ rule: rule && ruleAsJson(rule), errorCode: code && errorAsJson(code) }),
    summary: () => message`${id}`,
    conceal: ownText,
  });
  return 0;
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

function unknown(id: string): AppregError {
  const known = [...new Set([...rules.map((rule) => rule.id), ...Object.keys(ERRORS)])];
  const meant = didYouMeanAny(id.trim().toLowerCase(), known, 5);
  return new AppregError(
    'rule-unknown',
    message`Unknown rule or error code “${safeExcerpt(id, 80)}”.${meant}`,
    message`appreg rules lists the rules; https://github.com/appreg/appreg/blob/main/docs/errors.md lists the error codes.`,
  );
}

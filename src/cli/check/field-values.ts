import type { AppField, FieldKind } from '../../core/registry/app-fields.ts';
import { recordFrom } from '../../core/values/record.ts';
import { message, type SafeText } from '../../core/text/message.ts';
import { flagOf, type TextOption } from '../define/command.ts';
import { checkUrl } from '../io/input-file.ts';
import type { Invocation } from '../io/invocation.ts';
import { requireValid } from '../io/prompts.ts';

/** The values of options for the fields of an app. */

const PAGE_SCHEMES = message`Give a URL that begins with https:// or http://.`;
const SUPPORT_SCHEMES = message`Give a URL that begins with https://, http:// or mailto:.`;

type Check = (text: string, flag: string) => void;

/** Checks of the kinds that are URLs. The other kinds are checked as values of options. */
const URL_CHECKS: Record<FieldKind, Check | null> = {
  text: null,
  color: null,
  icon: null,
  license: null,
  'metadata-url': checkUrl,
  'page-url': pageCheck(PAGE_SCHEMES),
  'support-url': (text, flag) => {
    if (!text.startsWith('mailto:')) pageCheck(SUPPORT_SCHEMES)(text, flag);
  },
};

function pageCheck(hint: SafeText): Check {
  return (text, flag) => checkUrl(text, flag, hint);
}

/**
 * The values that were given for fields, by the name of the field.
 * @throws AppregError (exit 2) for an invalid one
 */
export function givenFields<Name extends string, OptionName extends string>(
  context: Invocation,
  fields: readonly AppField<Name, OptionName>[],
  definitions: Readonly<Record<OptionName, TextOption>>,
  options: Readonly<Partial<Record<OptionName, string | undefined>>>,
): Partial<Record<Name, string>> {
  return picked(fields, ({ kind, option: { name } }) => {
    const value = options[name];
    if (value === undefined) return undefined;
    const definition = definitions[name];
    requireValid(definition, value, context);
    URL_CHECKS[kind]?.(value, flagOf(definition));
    return value;
  });
}

/** The texts of fields, by the name of the field; those that are undefined are absent. */
export function picked<Name extends string, OptionName extends string>(
  fields: readonly AppField<Name, OptionName>[],
  valueOf: (field: AppField<Name, OptionName>) => string | undefined,
): Partial<Record<Name, string>> {
  return recordFrom(
    fields.flatMap((field) => {
      const value = valueOf(field);
      return value === undefined ? [] : [[field.name, value] as const];
    }),
  );
}

/** The fields in the order in which they are prompted for: the icon last, since its default is made from the others. */
export function inPromptOrder<Field extends Pick<AppField, 'kind'>>(fields: readonly Field[]): Field[] {
  return [...fields.filter(({ kind }) => kind !== 'icon'), ...fields.filter(({ kind }) => kind === 'icon')];
}

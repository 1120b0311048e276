import { printable, redact, safeExcerpt, withoutCommands } from './text.ts';

/**
 * Text that is safe by construction: the only way to make it is `message`, which escapes and redacts what it inserts.
 * Errors, problems, warnings and logs accept no other text.
 */

declare const MADE_SAFE: unique symbol;

/** Text in which every inserted value is on one line, without control characters, CI commands and secrets. */
export type SafeText = string & { readonly [MADE_SAFE]: true };

/** Text of any origin. Safe text is excluded, so that it is inserted by `safe`, and not processed twice. */
type AnyText = string & { readonly [MADE_SAFE]?: never; readonly length: number };

/** Values that `message` may insert. */
export type Inserted = AnyText | number | bigint | boolean | Safe;

/** Safe text that is inserted unchanged, with its line breaks. */
class Safe {
  readonly text: SafeText | '';

  constructor(text: SafeText | '') {
    this.text = text;
  }
}

/** Inserted values are cut to this number of characters. */
const LONGEST = 1000;
/** Characters that do not occur in a URL which is part of a message, and those that show that a text is one. */
const NOT_IN_URL = /[\s“"(]/;
const IN_URL = '/?&#=';
/** The longest beginning of a URL that is searched for. */
const LONGEST_START = 200;
/** A longer text is cut before secrets are searched. */
const SEARCHED = 20_000;

/**
 * The text of a template. Every inserted text is redacted, shortened to 1,000 characters and escaped, except safe text
 * in `safe(…)`.
 */
export function message(parts: TemplateStringsArray, ...values: readonly Inserted[]): SafeText {
  let text = parts[0] ?? '';
  // Without entries(), which creates a list for each value: messages are made for each resource.
  let i = 0;
  for (const value of values) text += shown(value, text) + (parts[++i] ?? '');
  return made(values.length === 0 ? text : withoutCommands(text));
}

/** Safe text, to be inserted into a message unchanged. */
export function safe(text: SafeText | ''): Safe {
  return new Safe(text);
}

/** Several safe texts as one. */
export function joined(
  texts: readonly (SafeText | '')[],
  separator: '' | ' ' | ', ' | '; ' | '\n' | '\n  ' | '\n\n',
): SafeText {
  return made(texts.join(separator));
}

/** A line of a log in a format of its own: escaped, and not shortened. */
export function safeLine(line: string): SafeText {
  return made(printable(line));
}

export function trimmedEnd(text: SafeText): SafeText {
  return made(text.trimEnd());
}

/** @param before the text that precedes the value, which may show that the value is a secret */
function shown(value: Inserted, before: string): string {
  if (value instanceof Safe) return value.text;
  if (typeof value !== 'string') return String(value);
  const start = urlStartIn(before);
  const whole = start === '' ? '' : redact(start + value.slice(0, SEARCHED));
  return safeExcerpt(whole.startsWith(start) && start !== '' ? whole.slice(start.length) : value, LONGEST);
}

/**
 * The beginning of a URL or a query at the end of a text, or ''. What follows may be its userinfo, or the value of a
 * parameter.
 */
function urlStartIn(text: string): string {
  let start = text.length;
  let isUrl = false;
  for (; start > 0 && text.length - start < LONGEST_START; start--) {
    const character = text.charAt(start - 1);
    if (NOT_IN_URL.test(character)) break;
    isUrl ||= IN_URL.includes(character);
  }
  return isUrl ? text.slice(start) : '';
}

/** The only place where text is declared safe. */
function made(text: string): SafeText {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the brand exists only in types
  return text as SafeText;
}

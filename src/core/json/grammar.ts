import { message } from '../text/message.ts';
import {
  codePoint,
  documentSyntaxError,
  type DocumentSyntaxError,
  type SyntaxErrorCause,
  unexpectedText,
} from './document-syntax-error.ts';
import { safeExcerpt } from '../text/text.ts';

/**
 * The first grammar fault or lone surrogate in a JSON text; null if there is none. The nesting must be bounded.
 * @param start the offset where the JSON begins, after a BOM
 */
export function grammarError(text: string, start: number): DocumentSyntaxError | null {
  return new Checker(text, start).run();
}

/** Strict RFC 8259 grammar, stopping at the first fault. The caller guarantees bounded nesting. */
class Checker {
  readonly text: string;
  at: number;
  loneSurrogate: DocumentSyntaxError | null = null;

  constructor(text: string, start: number) {
    this.text = text;
    this.at = start;
  }

  run(): DocumentSyntaxError | null {
    try {
      this.space();
      this.value();
      this.space();
      if (this.at < this.text.length) throw this.afterEnd();
      return this.loneSurrogate;
    } catch (found) {
      if (isFault(found)) return found;
      throw found;
    }
  }

  space(): void {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  value(): void {
    const c = this.text[this.at];
    if (c === '{') this.container('}', true);
    else if (c === '[') this.container(']', false);
    else if (c === '"') this.string();
    else this.literal();
  }

  container(close: string, named: boolean): void {
    const what = named ? 'object' : 'array';
    this.at++;
    this.space();
    if (this.text[this.at] === close) {
      this.at++;
      return;
    }
    for (;;) {
      if (named) {
        if (this.text[this.at] !== '"') throw this.unexpected('a property name in double quotes');
        this.string();
        this.space();
        if (this.text[this.at] !== ':')
          throw this.text[this.at] === undefined
            ? this.truncated()
            : this.unexpected('":" after the property name', 'missing-colon');
        this.at++;
        this.space();
      }
      this.value();
      this.space();
      const c = this.text[this.at];
      if (c === close) {
        this.at++;
        return;
      }
      if (c === undefined) throw this.truncated();
      if (c !== ',')
        throw this.unexpected(`"," or "${close}" in the ${what}`, /["{[\w-]/.test(c) ? 'missing-comma' : 'unexpected');
      const comma = this.at;
      this.at++;
      this.space();
      if (this.text[this.at] === close)
        throw documentSyntaxError(
          'trailing-comma',
          comma,
          message`Trailing comma before the closing "${close}".`,
          message`Remove the comma; JSON allows none after the last element.`,
        );
      if (this.text[this.at] === ',')
        throw documentSyntaxError(
          'trailing-comma',
          this.at,
          message`Two commas in a row.`,
          message`Remove one of them.`,
        );
    }
  }

  string(): void {
    const start = this.at++;
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (Number.isNaN(c)) throw this.truncated(start);
      if (c === 34) break;
      if (c < 32) {
        throw documentSyntaxError(
          'control-character',
          this.at,
          message`${controlName(c)} is not allowed inside a string.`,
          message`Write it as an escape (\\n, \\t, \\u0000 …), or close the string before it.`,
        );
      }
      if (c === 92) this.escape();
      else this.at++;
    }
    this.at++;
    if (!this.loneSurrogate) this.surrogates(start);
  }

  escape(): void {
    const letter = this.text[this.at + 1];
    if (letter === undefined) throw this.truncated();
    if (letter === 'u') {
      const hex = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hex))
        throw documentSyntaxError(
          'bad-escape',
          this.at,
          message`A \\u escape needs four hexadecimal digits.`,
          message`Write it as \\uXXXX, or double the backslash.`,
        );
      this.at += 6;
    } else if ('"\\/bfnrt'.includes(letter)) this.at += 2;
    else
      throw documentSyntaxError(
        'bad-escape',
        this.at,
        message`\\${letter} is not a JSON escape.`,
        message`Double the backslash (\\\\), as in Windows paths and patterns.`,
      );
  }

  surrogates(start: number): void {
    const raw = this.text.slice(start, this.at);
    if (!/\\u[dD][89a-fA-F]/.test(raw)) return;
    if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(JSON.parse(raw))) {
      this.loneSurrogate = documentSyntaxError(
        'lone-surrogate',
        start,
        message`A string contains half of a surrogate pair, which cannot be encoded in UTF-8.`,
        message`Write the whole character, or both halves of its \\u escape.`,
      );
    }
  }

  literal(): void {
    const word = /[^\s,:[\]{}"]*/y;
    word.lastIndex = this.at;
    const found = word.exec(this.text)?.[0] ?? '';
    if (/^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(found)) {
      this.at += found.length;
      return;
    }
    const atEnd = this.at + found.length === this.text.length;
    if (found === '' && atEnd) throw this.truncated();
    const begun =
      ['true', 'false', 'null'].some((w) => w.startsWith(found)) || /^-?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?)?$/.test(found);
    if (atEnd && this.at > 0 && begun) throw this.truncated();
    if (/^[+-]?\.?\d/.test(found))
      throw documentSyntaxError(
        'bad-number',
        this.at,
        message`${safeExcerpt(found, 40)} is not a JSON number.`,
        message`Write it without a leading zero, plus sign or bare point, or as a string in quotes.`,
      );
    if (/^(True|False|None|NaN|-?Infinity|undefined|nil|TRUE|FALSE|NULL)$/.test(found))
      throw documentSyntaxError(
        'bad-literal',
        this.at,
        message`${found} is not a JSON value.`,
        message`Write true, false, null, a number or a string in double quotes.`,
      );
    throw this.unexpected('a value');
  }

  truncated(from?: number): DocumentSyntaxError {
    const end = this.text.length;
    return documentSyntaxError(
      'truncated',
      end,
      from === undefined
        ? message`The text ends before the document is complete.`
        : message`The text ends inside a string.`,
      message`The file was truncated: write or upload it again, and compare its size.`,
    );
  }

  afterEnd(): DocumentSyntaxError {
    const c = this.text[this.at];
    if (c === '{' || c === '[')
      return documentSyntaxError(
        'trailing-data',
        this.at,
        message`A second document follows the first.`,
        message`Keep one JSON value in the file.`,
      );
    if (c === '}' || c === ']')
      return documentSyntaxError('trailing-data', this.at, message`There is an extra "${c}".`, message`Remove it.`);
    return this.unexpected('the end of the file', 'trailing-data');
  }

  unexpected(expected: string, cause: SyntaxErrorCause = 'unexpected'): DocumentSyntaxError {
    if (this.at >= this.text.length) return this.truncated();
    return unexpectedText(this.text, this.at, expected, cause);
  }
}

/** The subject of a sentence about a control character in a string. */
function controlName(code: number): string {
  if (code === 10 || code === 13) return 'A line break';
  return code === 9 ? 'A tab' : `The control character ${codePoint(code)}`;
}

function isFault(thrown: unknown): thrown is DocumentSyntaxError {
  return typeof thrown === 'object' && thrown !== null && 'cause' in thrown && 'offset' in thrown;
}

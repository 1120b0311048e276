import { message, type SafeText } from '../text/message.ts';
import { safeExcerpt } from '../text/text.ts';

/** Reasons why a text is not JSON, or not a text at all. */
export type SyntaxErrorCause =
  | 'empty'
  | 'html-page'
  | 'xml-error'
  | 'git-lfs-pointer'
  | 'text-message'
  | 'yaml'
  | 'program-message'
  | 'svg-image'
  | 'source-code'
  | 'javascript'
  | 'jsonp'
  | 'script-prefix'
  | 'text-before-json'
  | 'gzip'
  | 'zstd'
  | 'not-utf8'
  | 'lone-surrogate'
  | 'truncated'
  | 'trailing-data'
  | 'trailing-comma'
  | 'missing-comma'
  | 'missing-colon'
  | 'comment'
  | 'merge-conflict'
  | 'single-quotes'
  | 'unquoted-name'
  | 'odd-space'
  | 'control-character'
  | 'bad-escape'
  | 'bad-number'
  | 'bad-literal'
  | 'unexpected';

/** The first reason why bytes are not a JSON document, worded for the author of the file. */
export interface DocumentSyntaxError {
  cause: SyntaxErrorCause;
  message: SafeText;
  advice: SafeText;
  /** UTF-16 offset into the text (BOM included); the byte offset for bytes that are not text. */
  offset: number;
  evidence?: Record<string, string | number>;
}

/** Creates an error without evidence. */
export function documentSyntaxError(
  cause: SyntaxErrorCause,
  offset: number,
  message: SafeText,
  advice: SafeText,
): DocumentSyntaxError {
  return { cause, offset, message, advice };
}

/** Such as `U+00A0`. */
export function codePoint(code: number): string {
  return `U+${code.toString(16).padStart(4, '0').toUpperCase()}`;
}

/**
 * The error of text that does not continue a JSON document: the common ways in which text is almost JSON, by name.
 * @param expected what belongs there, as a noun phrase
 */
export function unexpectedText(
  text: string,
  offset: number,
  expected: string,
  cause: SyntaxErrorCause,
): DocumentSyntaxError {
  const rest = text.slice(offset, offset + 40);
  const c = rest.charAt(0);
  if (rest.startsWith('//') || rest.startsWith('/*') || c === '#')
    return documentSyntaxError('comment', offset, message`JSON does not allow comments.`, message`Remove the comment.`);
  if (/^(<{7}|={7}|>{7})/.test(rest))
    return documentSyntaxError(
      'merge-conflict',
      offset,
      message`A merge conflict was left in the file.`,
      message`Resolve the conflict and remove its markers.`,
    );
  if (c === "'" || c === '‘' || c === '’' || c === '“' || c === '”' || c === '`')
    return documentSyntaxError(
      'single-quotes',
      offset,
      message`The character ${c} is used instead of a double quote.`,
      message`JSON strings and property names need straight double quotes.`,
    );
  if (/[\u00a0\u000b\u000c\u2000-\u200b\u202f\u3000\ufeff]/.test(c))
    return documentSyntaxError(
      'odd-space',
      offset,
      message`The invisible character ${codePoint(c.charCodeAt(0))} is not allowed between tokens.`,
      message`Replace it with a space.`,
    );
  if (expected.startsWith('a property name') && /[\w$]/.test(c))
    return documentSyntaxError(
      'unquoted-name',
      offset,
      message`The property name ${safeExcerpt(rest.replace(/[^\w$-].*/s, ''), 40)} has no quotes.`,
      message`Put it in double quotes.`,
    );
  return documentSyntaxError(
    cause,
    offset,
    message`Unexpected “${safeExcerpt(rest.split(/\s/)[0] || c, 20)}”, expected ${expected}.`,
    cause === 'missing-comma' ? message`Add a comma between the two.` : message`Correct the syntax at this position.`,
  );
}

import type { SafeText } from '../text/message.ts';

/** Why a text is not JSON, or not a text at all. */
export type SyntaxErrorCause =
  | 'empty'
  | 'html-page'
  | 'xml-error'
  | 'git-lfs-pointer'
  | 'text-message'
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

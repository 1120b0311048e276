/** The first fault that keeps bytes from being a JSON document, named so that its author knows what happened. */
export interface DocumentSyntaxError {
  /** Machine-readable: empty, html-page, truncated, comment, trailing-comma, … */
  cause: string;
  message: string;
  advice: string;
  /** UTF-16 offset into the text (BOM included); the byte offset for bytes that are not text. */
  offset: number;
  evidence?: Record<string, string | number>;
}

export function documentSyntaxError(
  cause: string,
  offset: number,
  message: string,
  advice: string,
): DocumentSyntaxError {
  return { cause, offset, message, advice };
}

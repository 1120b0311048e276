import { AppregError } from '../core/errors/error.ts';
import { message } from '../core/text/message.ts';

/**
 * The text of a document, including a byte order mark, so that it can be written back unchanged.
 * @throws AppregError `not-utf8` (exit 2)
 */
export function decodeDocument(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppregError(
      'not-utf8',
      message`${path} is not UTF-8, so it was not edited: the edit would also change other bytes.`,
      message`Save it as UTF-8. appreg lint shows the position of the error.`,
      { cause },
    );
  }
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { AppregError, isAppregError } from '../../core/errors/error.ts';
import { urlError } from '../../core/url/url-error.ts';
import { type ReadFailure, readRegularFile, whyNotRegularFile, whyUnreadable } from '../../platform/regular-file.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** Files and URLs that a command is given. */

/**
 * Refuses a URL that clients could not use (exit 2).
 * @param flag that it was passed with
 * @param schemes says which schemes are permitted, for a URL that is not that of a file of the registry
 */
export function checkUrl(url: string, flag: string, schemes?: SafeText): void {
  const fault = urlError(url);
  if (fault)
    throw new AppregError(
      'url-invalid',
      message`${flag} “${safeExcerpt(url)}”: ${safe(fault.message)}`,
      fault.cause === 'scheme' ? (schemes ?? fault.advice) : fault.advice,
    );
}

/** Advice for a folder that was given in place of an artifact. */
export const INSTEAD_OF_FOLDER = message`Give a .tar.gz file, or pack the folder with appreg bundle.`;

/**
 * A local file as a whole; `-` is the standard input.
 * @param folder that a relative path is relative to
 * @param file as given
 * @param adviceForFolder as for `unreadableFile`
 * @throws AppregError (exit 2) if it cannot be read
 */
export function readInputFile(folder: string, file: string, adviceForFolder?: SafeText): Buffer {
  try {
    const read = file === '-' ? { bytes: readFileSync(STDIN) } : readRegularFile(resolve(folder, file));
    if ('bytes' in read) return read.bytes;
    throw unreadableInput(file, read, adviceForFolder);
  } catch (error) {
    throw unreadableFile(file, error, adviceForFolder);
  }
}

const STDIN = 0;

/** Throws AppregError (exit 2) for a path that is not a readable file; a named pipe would have to be waited for. */
export function refuseUnreadableInput(path: string, shownAs: string, adviceForFolder?: SafeText): void {
  const failure = whyNotRegularFile(path);
  if (failure !== null) throw unreadableInput(shownAs, failure, adviceForFolder);
}

function unreadableInput(
  shownAs: string,
  { failure, code }: ReadFailure,
  adviceForFolder = message`Give the path of a file.`,
  cause?: unknown,
): AppregError {
  return new AppregError(
    'file-unreadable',
    message`${shownAs} ${failure}.`,
    code === 'EISDIR' ? adviceForFolder : message`Check the path and its permissions.`,
    { cause },
  );
}

/**
 * A system error as an AppregError that names the file; anything else is returned unchanged.
 * @param adviceForFolder what to do if the path is a folder
 */
export function unreadableFile(shownAs: string, error: unknown, adviceForFolder?: SafeText): unknown {
  if (isAppregError(error)) return error;
  const code = systemErrorCode(error);
  const failure = code === 'ERR_FS_FILE_TOO_LARGE' ? 'is larger than 2 GiB' : whyUnreadable(shownAs, error);
  return failure === null ? error : unreadableInput(shownAs, { failure, code }, adviceForFolder, error);
}

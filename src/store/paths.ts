import { message } from '../core/text/message.ts';
import { safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';

// Control characters; backslashes separate folders on Windows, and there a colon names a drive or an alternate stream.
const FORBIDDEN = /[\u0000-\u001f\u007f\\:]/;
// Windows treats these as devices, whatever suffix they have.
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/**
 * The segments of a store's path: relative, with forward slashes, never leading out of the root, and with the same
 * meaning on every system.
 * @throws AppregError `path-refused`
 */
export function checkedSegments(path: string): string[] {
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..')
      throw pathRefused(path, 'a path must be relative to the root, without empty parts, “.” and “..”');
    if (FORBIDDEN.test(segment))
      throw pathRefused(path, 'a path must not contain a backslash, colon or control character');
    if (/[. ]$/.test(segment))
      throw pathRefused(path, 'a part of a path must not end in a dot or a space, which Windows removes');
    if (DEVICE.test(segment)) throw pathRefused(path, `“${segment}” is a device name on Windows`);
  }
  return segments;
}

export function pathRefused(path: string, why: string): AppregError {
  return new AppregError(
    'path-refused',
    message`The path “${safeExcerpt(path)}” was rejected: ${why}.`,
    message`Use a path inside the folder, with forward slashes.`,
    { effect: 'none' },
  );
}

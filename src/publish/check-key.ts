import { message, type SafeText } from '../core/text/message.ts';
import { isSafeKey, safeKeyFor } from '../core/registry/app-key.ts';
import { safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';

// Device names reserved by Windows, in every folder and with any suffix.
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Refuses a key that is not URL-safe, or not a valid folder name on every system, before a path is built from it (exit
 * 1).
 */
export function checkNewKey(key: string): void {
  checkKey(key);
  if (DEVICE.test(key))
    throw refusedKey(key, 'is a device name on Windows, so it cannot be a folder name', message`Choose another key.`);
  if (key.length > 200)
    throw refusedKey(
      key,
      `has ${key.length} characters, which is too long for a folder name`,
      message`Choose a key of at most 64 characters.`,
    );
}

/** Refuses a key that is not URL-safe (spec 2.1; exit 1). */
export function checkKey(key: string): void {
  if (isSafeKey(key)) return;
  const meant = safeKeyFor(key);
  throw refusedKey(
    key,
    'is not a valid app key: only letters, digits, - and _ are allowed',
    meant === null ? message`Choose a key such as my-app.` : message`Did you mean ${meant}?`,
  );
}

function refusedKey(key: string, what: string, hint: SafeText): AppregError {
  return new AppregError('app-key-invalid', message`“${safeExcerpt(key, 80)}” ${what}.`, hint);
}

import { AppregError } from '../../core/errors.ts';

/** The error for a setting with a value that cannot be used. */
export function invalidSetting(message: string, hint: string): AppregError {
  return new AppregError('setting-invalid', message, hint);
}

import { type SafeText } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors.ts';

/** The error for a setting with a value that cannot be used. */
export function invalidSetting(message: SafeText, hint: SafeText): AppregError {
  return new AppregError('setting-invalid', message, hint);
}

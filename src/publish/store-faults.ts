import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';

/** Errors of a store whose responses do not match its behavior. */

const HINT =
  'Check whether a cache or a replica responds instead of the store, or ask its operator; then run the same command again.';

/** @param has what the store contains instead, as the end of a sentence */
export function notKept(path: string, has: string, cause?: unknown): AppregError {
  const message = `The store confirmed that it stored ${printable(path)}, but did not keep the write: it ${has}.`;
  return new AppregError('write-lost', message, HINT, { cause, advisesRepeat: true });
}

export function refusesTheSame(path: string): AppregError {
  return new AppregError(
    'store-stale',
    `The store refuses to replace ${printable(path)} because it has changed, but returns the same document each time. It probably serves an old copy.`,
    HINT,
    { advisesRepeat: true },
  );
}

export function unreadableYetThere(path: string): AppregError {
  const message = `The store reports that ${printable(path)} exists when it is created, but that it is missing when it is read.`;
  return new AppregError('store-stale', message, HINT, { advisesRepeat: true });
}

import { isSafeKey } from '../../core/registry/app-key.ts';
import { shorten } from '../../core/text/text.ts';
import type { ObserveProgress } from '../../observe/registry/options.ts';

/**
 * The progress of an observation in one line. It contains no URL, since a URL may hold secrets.
 * @param seconds since the observation began
 */
export function describeProgress(
  { done, known, bytes, announced, host, app }: Readonly<ObserveProgress>,
  seconds: number,
): string {
  const rate = bytes / Math.max(0.1, seconds);
  const size = announced > bytes ? `${megabytes(bytes)} of ${megabytes(announced)} MB` : `${megabytes(bytes)} MB`;
  return [
    `${done} of ${known} files`,
    `${size} at ${megabytes(rate)} MB/s`,
    ...(host === null ? [] : [host]),
    // Other keys may contain workflow commands of a CI system.
    ...(app === null || !isSafeKey(app) ? [] : [shorten(app, 60)]),
  ].join(', ');
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}

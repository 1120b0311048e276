import { joined, message, safe, type SafeText } from '../core/text/message.ts';
import type { WriteState } from '../core/errors.ts';

/** What is stored and what is not, in sentences; '' if there is nothing to say. */
export function describeWriteState({ stored, notStored, unknown }: WriteState): SafeText {
  const parts: SafeText[] = [];
  if (stored.length > 0) parts.push(message`Stored: ${safe(named(stored))}.`);
  if (notStored.length > 0) parts.push(message`Not stored: ${safe(named(notStored))}.`);
  if (unknown.length > 0) parts.push(message`It is unknown whether this was stored: ${safe(named(unknown))}.`);
  return joined(parts, ' ');
}

function named(paths: readonly string[]): SafeText {
  return joined(
    paths.map((path) => message`${path}`),
    ', ',
  );
}

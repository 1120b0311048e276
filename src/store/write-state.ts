import { printable } from '../core/text/text.ts';
import type { WriteState } from '../core/errors.ts';

/** What is stored and what is not, in sentences; '' if there is nothing to say. */
export function describeWriteState({ stored, notStored, unknown }: WriteState): string {
  const parts = [];
  if (stored.length > 0) parts.push(`Stored: ${named(stored)}.`);
  if (notStored.length > 0) parts.push(`Not stored: ${named(notStored)}.`);
  if (unknown.length > 0) parts.push(`It is unknown whether this was stored: ${named(unknown)}.`);
  return parts.join(' ');
}

function named(paths: readonly string[]): string {
  return paths.map(printable).join(', ');
}

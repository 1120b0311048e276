import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemErrorCode } from './system-error.ts';

/** Files that the resolver of the system opens at once. */
const NEEDED = 4;

/**
 * True if this process cannot open as many files as the resolver of the system needs, which then reports that a name
 * does not exist, or that the name servers do not respond.
 */
export function areFilesExhausted(): boolean {
  const open: number[] = [];
  try {
    while (open.length < NEEDED) open.push(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EMFILE' || code === 'ENFILE') return true;
    throw error;
  } finally {
    for (const file of open) closeSync(file);
  }
}

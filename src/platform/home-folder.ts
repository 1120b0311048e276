import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The home folder of the user, absolute; null if there is none: HOME is empty or relative, or neither HOME nor the list
 * of users has one. A relative folder would be created wherever a command runs.
 */
export function homeFolder(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

import { shellWord } from '../../core/text/shell-word.ts';
import { isSemver } from '../../core/registry/version.ts';
import { sanitized } from '../pages/untrusted-text.ts';

/** Commands that verify a version without the service. */

export interface VerifyCommands {
  /** Prints the SHA-256 of the artifact. */
  fetch: string;
  /** What it has to print: hexadecimal digits. */
  digest: string;
  verify: string;
}

const DIGEST = /^sha256:([0-9a-f]{64})$/;

/**
 * @returns null if the version cannot be verified by pasted commands: its digest is not valid, or a text contains
 * characters that a terminal could interpret or that are hidden here
 */
export function commandsToVerify(
  { version, artifactUrl, artifactChecksum }: { version: string; artifactUrl: string; artifactChecksum: string },
  registryUrl: string,
  appKey: string,
): VerifyCommands | null {
  const digest = DIGEST.exec(artifactChecksum)?.[1];
  if (digest === undefined) return null;
  if (![version, artifactUrl, registryUrl, appKey].every(isPastable)) return null;
  return {
    fetch: `curl -fsSL -- ${shellWord(artifactUrl)} | sha256sum`,
    digest,
    verify: `appreg verify ${shellWord(registryUrl)} --app=${shellWord(appKey)}${isSemver(version) ? ` --versions=${shellWord(version)}` : ''}`,
  };
}

/** Whether the text is shown as it is: without control or invisible characters, secrets, and not truncated. */
function isPastable(text: string): boolean {
  return text !== '' && text === sanitized(text, 1000) && !text.includes('REDACTED');
}

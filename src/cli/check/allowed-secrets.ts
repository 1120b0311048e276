import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { Artifact } from '../../publish/artifact.ts';
import { unusedSecret, withoutAllowed } from '../../publish/check-content.ts';
import type { Terminal } from '../io/terminal.ts';

/** The fingerprints of `--allow-secret`. Throws AppregError (exit 2) for a value that is not one. */
export function allowedSecrets({ allowSecret = [] }: { allowSecret?: readonly string[] }): string[] {
  const wrong = allowSecret.find((text) => !/^[0-9a-f]{16}$/.test(text));
  if (wrong === undefined) return [...new Set(allowSecret)];
  // A mistaken value may be the secret itself.
  throw new AppregError(
    'option-invalid',
    message`--allow-secret: a value of ${wrong.length} characters is not a fingerprint.`,
    message`Copy the fingerprint from the message about the secret: 16 hexadecimal digits, such as 0f3a5c7e9b1d2468. Never pass the secret itself.`,
  );
}

/**
 * The artifact with the allowed secrets left out of its facts; a fingerprint that it does not have is a warning.
 * @param excepted by the configuration: the artifact need not have them
 */
export function withoutSecrets<A extends Artifact>(
  artifact: A,
  { allowed, excepted }: { allowed: readonly string[]; excepted: readonly string[] },
  terminal: Pick<Terminal, 'log'>,
): A {
  const { archive, unused } = withoutAllowed(artifact.archive, allowed, excepted);
  for (const fingerprint of unused) terminal.log(message`warning: ${unusedSecret(fingerprint)}`);
  return { ...artifact, archive };
}

import type { Attester } from '../publish/artifact.ts';
import { type AttestOptions, attestWish } from './attest-options.ts';
import type { LoadedConfig } from './config/config.ts';
import type { Context } from './context.ts';

/**
 * What attests the versions that a command publishes; undefined if they are not attested.
 * @throws AppregError (exit 2) as `attesterFor` does
 */
export async function attesterOf(
  context: Context,
  loaded: LoadedConfig,
  options: AttestOptions & { dryRun?: boolean },
): Promise<Attester | undefined> {
  const wish = attestWish(options, loaded.config.evidence ?? {});
  if (wish === null) return undefined;
  const { attesterFor } = await import('./attester.ts');
  return attesterFor(context, loaded, { wish, options, dryRun: options.dryRun === true });
}

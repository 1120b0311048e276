import type { AttestationRequirement } from '../../core/attestation/observed.ts';
import type { LocalAttestations } from '../../observe/workspace/workspace-context.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { AttestationCheck } from './attestation-check.ts';

/** How `lint` verifies and judges the attestations beside artifacts. */
export interface LocalAttestationCheck {
  requirement: AttestationRequirement;
  local: LocalAttestations;
}

/**
 * From the configuration, as for `verify`. Without a mode, those that are there are verified, as far as that is possible
 * without a signer.
 * @returns null with the mode `off`
 * @throws AppregError for an invalid configuration
 */
export async function localAttestations(cwd: string, loaded: LoadedConfig): Promise<LocalAttestationCheck | null> {
  const settings = loaded.config.evidence?.attestations ?? {};
  const { mode } = settings;
  if (mode === 'off') return null;
  const local = { reportsAbsent: mode !== undefined };
  if (Object.keys(settings).length === 0)
    return {
      requirement: { mode: 'report', signer: null },
      local: { ...local, open: async () => (await openUnconfigured(cwd, loaded)).verify },
    };
  const { requirement, verify } = await openConfigured(cwd, loaded);
  return { requirement, local: { ...local, open: async () => verify } };
}

async function openConfigured(cwd: string, loaded: LoadedConfig): Promise<AttestationCheck> {
  const { attestationCheck } = await import('./attestation-check.ts');
  const attestations = loaded.config.evidence?.attestations?.mode ?? 'report';
  const check = await attestationCheck(cwd, loaded, { attestations });
  if (check === null) throw new Error('The mode is not off.');
  return check;
}

/** Without a key, what a bundle claims is still compared with the metadata: a mistake of the author needs no proof. */
async function openUnconfigured(cwd: string, loaded: LoadedConfig): Promise<Pick<AttestationCheck, 'verify'>> {
  const { verify } = await openConfigured(cwd, loaded);
  const { withClaims } = await import('../../attestation/verify.ts');
  return { verify: (bundle) => withClaims(bundle, verify(bundle)) };
}

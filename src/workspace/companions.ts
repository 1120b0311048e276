import { resolve } from 'node:path';
import { companionPath } from '../core/registry/companion.ts';
import { type ArtifactFacts, isMissing, type Snapshot } from '../core/facts/facts.ts';
import type { RegistryCompanions, CompanionDigests } from '../core/diff/state.ts';
import { listedVersionsIn, versionFields } from '../core/registry/manifest.ts';
import { diskError, nullIfMissing } from '../store/directory/disk-error.ts';
import { digestOfChunks } from '../store/bytes.ts';
import { readChunks } from '../platform/read-chunks.ts';

/**
 * The companion files beside the artifacts of a state: those in the folder that it was read from, or the attestations
 * that its saved facts contain. Of any other state nothing is known.
 * @param cwd the folder that the file names in the facts are relative to, absolute
 * @throws AppregError if one cannot be read
 */
export async function companionsOf({ apps }: Snapshot, cwd: string): Promise<RegistryCompanions> {
  const companions = new Map<string, Map<string, CompanionDigests>>();
  for (const { key, metadata, artifacts } of apps) {
    const versions = new Map<string, CompanionDigests>();
    for (const [index, item] of (listedVersionsIn(metadata.content) ?? []).entries()) {
      const { version } = versionFields(item);
      const facts = artifacts[index];
      if (version === null || facts === undefined || versions.has(version)) continue;
      versions.set(version, isLocal(facts) ? await digestsBeside(resolve(cwd, facts.file)) : observedDigests(facts));
    }
    companions.set(key, versions);
  }
  return companions;
}

/** True for an artifact that was read from a folder. */
function isLocal(facts: ArtifactFacts): facts is ArtifactFacts & { file: string } {
  return facts.local === undefined && facts.file !== null;
}

async function digestsBeside(artifact: string): Promise<CompanionDigests> {
  return {
    attestation: await digestAt(companionPath(artifact, 'attestation')),
    sbom: await digestAt(companionPath(artifact, 'sbom')),
  };
}

/** From facts that were saved while attestations were checked. */
function observedDigests({ attestation }: ArtifactFacts): CompanionDigests {
  if (attestation === undefined || isMissing(attestation)) return {};
  return { attestation: attestation.state === 'present' ? attestation.facts.sha256 : null };
}

async function digestAt(file: string): Promise<string | null> {
  try {
    return (await nullIfMissing(digestOfChunks(readChunks(file))))?.sha256 ?? null;
  } catch (error) {
    throw diskError(error, file, null);
  }
}

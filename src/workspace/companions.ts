import { resolve } from 'node:path';
import { companionPath } from '../core/attestation/companion.ts';
import type { ArtifactFacts, Snapshot } from '../core/facts/facts.ts';
import type { RegistryCompanions, CompanionDigests } from '../core/registry/companion-diff.ts';
import { listedVersionsIn, versionFields } from '../core/registry/metadata.ts';
import { diskError, nullIfMissing } from '../store/directory/disk-error.ts';
import { digestOfChunks } from '../store/bytes.ts';
import { readChunks } from '../platform/read-chunks.ts';

/**
 * The companion files beside the artifacts of a state that was read from a folder; empty for any other state.
 * @param cwd the folder that the file names in the facts are relative to, absolute
 * @throws AppregError if one cannot be read
 */
export async function companionsBeside({ apps }: Snapshot, cwd: string): Promise<RegistryCompanions> {
  const companions = new Map<string, Map<string, CompanionDigests>>();
  for (const { key, metadata, artifacts } of apps) {
    const versions = new Map<string, CompanionDigests>();
    for (const [index, item] of (listedVersionsIn(metadata.content) ?? []).entries()) {
      const { version } = versionFields(item);
      const file = localFile(artifacts[index]);
      if (version === null || file === null || versions.has(version)) continue;
      versions.set(version, {
        attestation: await digestAt(cwd, companionPath(file, 'attestation')),
        sbom: await digestAt(cwd, companionPath(file, 'sbom')),
      });
    }
    companions.set(key, versions);
  }
  return companions;
}

/** The file of an artifact that was read from a folder. */
function localFile(facts: ArtifactFacts | undefined): string | null {
  return facts === undefined || facts.local !== undefined ? null : facts.file;
}

async function digestAt(cwd: string, file: string): Promise<string | null> {
  try {
    return (await nullIfMissing(digestOfChunks(readChunks(resolve(cwd, file)))))?.sha256 ?? null;
  } catch (error) {
    throw diskError(error, file, null);
  }
}

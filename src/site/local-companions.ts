import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aboutPath } from '../core/about/about-url.ts';
import { companionPath, LARGEST_COMPANION } from '../core/attestation/companion.ts';
import type { AttestationFacts } from '../core/attestation/facts.ts';
import { artifactUrlOf, listedVersionsIn } from '../core/registry/metadata.ts';
import { readDocumentFile } from '../observe/workspace/documents.ts';
import { localPath, staysInside } from '../observe/workspace/places.ts';
import type { RegistryDocuments } from '../observe/workspace/tree-snapshot.ts';
import { diskError } from '../store/directory/disk-error.ts';
import type { Companions } from './catalogue.ts';

/** The files beside those of a registry in a folder. */

interface RegistryFolder {
  /** Absolute. */
  root: string;
  /** From `asBase`. */
  base: string | null;
}

/** True if an artifact of the registry has an attestation beside it. */
export function hasAttestations(folder: RegistryFolder, { apps }: RegistryDocuments): boolean {
  for (const { metadata } of apps)
    for (const item of listedVersionsIn(metadata.content) ?? []) {
      const url = artifactUrlOf(item);
      if (url !== null && attestationAt(folder, url) !== null) return true;
    }
  return false;
}

/** The path of the attestation of an artifact; null if there is none. */
function attestationAt({ root, base }: RegistryFolder, artifactUrl: string): string | null {
  const artifact = localPath(artifactUrl, base);
  if (artifact === null) return null;
  const path = companionPath(artifact, 'attestation');
  return existsSync(join(root, path)) && staysInside(root, path) ? join(root, path) : null;
}

/** @param verify verifies a bundle; null if there is none */
export function companionsIn(
  folder: RegistryFolder,
  verify: ((bundle: Uint8Array) => AttestationFacts) | null,
): Companions {
  const { root, base } = folder;
  return {
    about({ metadata }) {
      const path = metadata.url === null ? null : localPath(metadata.url, base);
      if (path === null || !staysInside(root, aboutPath(path))) return null;
      const found = readDocumentFile(join(root, aboutPath(path)));
      return typeof found === 'string' ? null : found;
    },
    attestation(_app, artifactUrl) {
      const path = verify === null ? null : attestationAt(folder, artifactUrl);
      return path === null || verify === null ? null : verify(bundleAt(path));
    },
  };
}

/** A bundle that is too large is not verified, and read only as far as that shows. */
function bundleAt(path: string): Uint8Array {
  try {
    return readFileSync(path).subarray(0, LARGEST_COMPANION.attestation + 1);
  } catch (error) {
    throw diskError(error, path, null);
  }
}

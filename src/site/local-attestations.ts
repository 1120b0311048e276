import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { companionPath, LARGEST_COMPANION } from '../core/registry/companion.ts';
import type { AttestationFacts } from '../core/facts/attestation.ts';
import { localPath, staysInside } from '../observe/workspace/places.ts';
import { diskError, errno } from '../store/directory/disk-error.ts';
import type { AttestationOf } from './catalogue.ts';

/** The attestations beside the artifacts of a registry in a folder. */

interface RegistryFolder {
  /** Absolute. */
  root: string;
  /** From `asBase`. */
  base: string | null;
}

/** Verifies a bundle. A bundle that is not valid is a fact, not an error. */
type Verify = (bundle: Uint8Array) => AttestationFacts;

/** @param openVerifier is called once, if there is an attestation */
export function localAttestations({ root, base }: RegistryFolder, openVerifier: () => Promise<Verify>): AttestationOf {
  let verifier: Promise<Verify> | null = null;
  const verify = async (path: string): Promise<AttestationFacts> => {
    verifier ??= openVerifier();
    return (await verifier)(bundleAt(path));
  };
  // The artifacts of an app are usually in one folder.
  let listed: { folder: string; names: ReadonlySet<string> } = { folder: '', names: new Set() };
  return (_app, artifactUrl) => {
    const artifact = localPath(artifactUrl, base);
    if (artifact === null) return null;
    const path = companionPath(artifact, 'attestation');
    const folder = join(root, posix.dirname(path));
    if (listed.folder !== folder) listed = { folder, names: filesIn(folder) };
    return listed.names.has(posix.basename(path)) && staysInside(root, path) ? verify(join(root, path)) : null;
  };
}

/** The names of the files in a folder; none for a folder that does not exist, as for artifacts that are elsewhere. */
function filesIn(folder: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return new Set(entries.filter((one) => one.isFile() || one.isSymbolicLink()).map(({ name }) => name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errno(error))) return new Set();
    throw diskError(error, folder, null);
  }
}

/** A bundle that is too large is not verified, and read only as far as that shows. */
function bundleAt(path: string): Uint8Array {
  try {
    return readFileSync(path).subarray(0, LARGEST_COMPANION.attestation + 1);
  } catch (error) {
    throw diskError(error, path, null);
  }
}

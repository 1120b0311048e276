import { message } from '../core/text/message.ts';
import type { Document } from '../author/document.ts';
import type { NewVersion } from '../author/metadata.ts';
import { companionPath } from '../core/attestation/companion.ts';
import { AppregError } from '../core/errors.ts';
import type { Digest } from '../store/bytes.ts';
import {
  type Artifact,
  artifactPath,
  type ArtifactToStore,
  checksumOf,
  type HostedArtifact,
  isStoredAs,
} from './artifact.ts';
import { companionsFit, companionSteps } from './companion.ts';
import type { CreateStep } from './plan.ts';
import type { RegistryLocation } from './registry-location.ts';

/** Where the artifact of a version is, or is to be stored: `path` is null if it is hosted elsewhere. */
type ArtifactTarget = { entry: NewVersion } & (
  | { path: null; artifact: HostedArtifact }
  | { path: string; artifact: ArtifactToStore }
);

export function targetOf(
  { base }: RegistryLocation,
  metadata: Document,
  version: string,
  artifact: Artifact,
): ArtifactTarget {
  const artifactChecksum = checksumOf(artifact);
  if (artifact.bytes === null)
    return { path: null, artifact, entry: { version, artifactUrl: artifact.url, artifactChecksum } };
  const path = artifactPath(metadata.path, version);
  const artifactUrl = base + path.split('/').map(encodeURIComponent).join('/');
  return { path, artifact, entry: { version, artifactUrl, artifactChecksum } };
}

/** The paths of the artifact and of its companion files, if they are to be stored. */
export function filesOf({ path, artifact, entry }: ArtifactTarget): string[] {
  if (path === null) return [];
  return [path, ...(artifact.companions?.(entry) ?? []).map(({ kind }) => companionPath(path, kind))];
}

/** The steps that store the files of a version. */
interface CreateSteps {
  artifact: CreateStep;
  /** Whether the artifact exists already. */
  exists: boolean;
  /** The companion files that do not exist yet. */
  companions: CreateStep[];
}

/**
 * @returns null if the artifact is hosted elsewhere
 * @throws AppregError `immutable` (exit 1) if a file exists with other bytes
 */
export async function createFiles(
  { store }: RegistryLocation,
  key: string,
  { path, artifact, entry }: ArtifactTarget,
): Promise<CreateSteps | null> {
  if (path === null) return null;
  const stored = await store.digest(path);
  if (stored !== null && !isStoredAs(stored, artifact)) throw occupied(path, stored, entry);
  const of = `${key} ${entry.version}`;
  return {
    artifact: { kind: 'create', path, bytes: artifact.bytes, what: `the artifact of ${of}` },
    exists: stored !== null,
    companions: await companionSteps(store, path, artifact.companions?.(entry) ?? [], of),
  };
}

/** True if the version was never published, and its files do not exist with other bytes. */
export async function isFree(
  { firstSeen, store }: RegistryLocation,
  key: string,
  { path, artifact, entry }: ArtifactTarget,
): Promise<boolean> {
  const { version, artifactChecksum } = entry;
  if ((firstSeen?.(key, version) ?? artifactChecksum) !== artifactChecksum) return false;
  if (path === null) return true;
  const stored = await store.digest(path);
  if (stored !== null && !isStoredAs(stored, artifact)) return false;
  return companionsFit(store, path, artifact.companions?.(entry) ?? []);
}

function occupied(path: string, { sha256 }: Digest, { version, artifactChecksum }: NewVersion): AppregError {
  return new AppregError(
    'immutable',
    message`${path} already exists with different bytes: its checksum is sha256:${sha256}, yours is ${artifactChecksum}.`,
    message`Publish your bytes as a new version. If ${version} was never published, and no other publisher is writing it now, delete the file.`,
    { effect: 'none' },
  );
}

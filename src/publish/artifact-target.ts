import { message } from '../core/text/message.ts';
import type { Document } from '../author/document.ts';
import type { NewVersion } from '../author/metadata.ts';
import { companionPath } from '../core/attestation/companion.ts';
import { AppregError } from '../core/errors.ts';
import { type Digest, sha256Of } from '../store/bytes.ts';
import {
  type Artifact,
  artifactPath,
  type ArtifactToStore,
  checksumOf,
  type HostedArtifact,
  isStoredAs,
} from './artifact.ts';
import { type Companion, companionsFit, companionSteps } from './companion.ts';
import type { CreateStep, SignStep } from './plan.ts';
import type { RegistryLocation } from './registry-location.ts';

/** Where the artifact of a version is, or is to be stored: `path` is null if it is hosted elsewhere. */
type ArtifactTarget = StoredTarget | { entry: NewVersion; path: null; artifact: HostedArtifact };
interface StoredTarget {
  entry: NewVersion;
  path: string;
  artifact: ArtifactToStore;
}

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
  const kinds = (artifact.companions?.(entry) ?? []).map(({ kind }) => kind);
  if (artifact.attester !== undefined) kinds.push('attestation');
  return [path, ...kinds.map((kind) => companionPath(path, kind))];
}

/** The companion files; the attestation is about the bill of materials that is stored already, if there is one. */
async function companionsOf(
  { store }: RegistryLocation,
  key: string,
  { path, artifact, entry }: StoredTarget,
): Promise<readonly Companion[]> {
  const companions = artifact.companions?.(entry) ?? [];
  if (artifact.attester === undefined) return companions;
  const bill = companions.find(({ kind }) => kind === 'sbom');
  const stored = bill === undefined ? null : await store.digest(companionPath(path, 'sbom'));
  const sbomSha256 = stored?.sha256 ?? (bill?.bytes ? sha256Of(bill.bytes) : null);
  const app = { key, version: entry.version };
  return [...companions, artifact.attester({ app, sha256: artifact.content.sha256, sbomSha256 })];
}

/** The steps that store the files of a version. */
interface CreateSteps {
  artifact: CreateStep;
  /** Whether the artifact exists already. */
  exists: boolean;
  /** The companion files that do not exist yet. */
  companions: (CreateStep | SignStep)[];
}

/**
 * @returns null if the artifact is hosted elsewhere
 * @throws AppregError `immutable` (exit 1) if a file exists with other bytes
 */
export async function createFiles(
  place: RegistryLocation,
  key: string,
  target: ArtifactTarget,
): Promise<CreateSteps | null> {
  if (target.path === null) return null;
  const { store } = place;
  const { path, artifact, entry } = target;
  const stored = await store.digest(path);
  if (stored !== null && !isStoredAs(stored, artifact)) throw occupied(path, stored, entry);
  const of = `${key} ${entry.version}`;
  return {
    artifact: { kind: 'create', path, bytes: artifact.bytes, what: `the artifact of ${of}` },
    exists: stored !== null,
    companions: await companionSteps(store, path, await companionsOf(place, key, target), of),
  };
}

/** True if the version was never published, and its files do not exist with other bytes. */
export async function isFree(place: RegistryLocation, key: string, target: ArtifactTarget): Promise<boolean> {
  const { firstSeen, store } = place;
  const { version, artifactChecksum } = target.entry;
  if ((firstSeen?.(key, version) ?? artifactChecksum) !== artifactChecksum) return false;
  if (target.path === null) return true;
  const { path, artifact } = target;
  const stored = await store.digest(path);
  if (stored !== null && !isStoredAs(stored, artifact)) return false;
  return companionsFit(store, path, await companionsOf(place, key, target));
}

function occupied(path: string, { sha256 }: Digest, { version, artifactChecksum }: NewVersion): AppregError {
  return new AppregError(
    'immutable',
    message`${path} already exists with different bytes: its checksum is sha256:${sha256}, yours is ${artifactChecksum}.`,
    message`Publish your bytes as a new version. If ${version} was never published, and no other publisher is writing it now, delete the file.`,
    { effect: 'none' },
  );
}

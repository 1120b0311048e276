import type { NewVersion } from '../author/metadata.ts';
import type { ArchiveFacts, Content } from '../core/facts/facts.ts';
import type { Bytes, Digest } from '../store/bytes.ts';
import type { StatementInput } from '../core/attestation/statement.ts';
import type { Companion } from './companion.ts';

/** What to publish. */
export type Artifact = ArtifactToStore | HostedArtifact;

interface InspectedArtifact {
  content: Content;
  archive: ArchiveFacts;
}

/** Bytes that are written to the store. */
export interface ArtifactToStore extends InspectedArtifact {
  bytes: Bytes;
  url: null;
  /** The files that are stored beside it; absent for none. */
  companions?(entry: NewVersion): readonly Companion[];
  /** Makes the attestation that is stored beside it; absent for none. */
  attester?: Attester;
}

/** An artifact that is hosted elsewhere, at `url`. */
export interface HostedArtifact extends InspectedArtifact {
  bytes: null;
  url: string;
}

/** What an attestation is about: a version, its artifact and its bill of materials. */
export type Attested = Pick<StatementInput, 'app' | 'sha256' | 'sbomSha256'>;

/**
 * The attestation of a version: made before, or signed once its plan is applied.
 * @throws AppregError if one that was made before is not of this version
 */
export type Attester = (attested: Attested) => Companion;

/** The checksum as it is listed (spec 2.2). */
export function checksumOf({ content }: Artifact): string {
  return `sha256:${content.sha256}`;
}

/** True if the stored file has the bytes of the artifact. */
export function isStoredAs(stored: Digest, { bytes, content }: Artifact): boolean {
  return bytes !== null && stored.sha256 === content.sha256;
}

/** Next to the metadata file: the artifacts of apps/a/versions.json are in apps/a/versions/. */
export function artifactPath(metadataPath: string, version: string): string {
  const stem = metadataPath.replace(/\.[^./]+$/, '');
  return `${stem === metadataPath ? `${stem}-artifacts` : stem}/${version}.tar.gz`;
}

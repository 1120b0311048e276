import { artifactFolder } from '../core/registry/file-names.ts';
import type { NewVersion } from '../author/metadata.ts';
import type { StatementInput } from '../core/attestation/statement.ts';
import type { ArchiveFacts, Content } from '../core/facts/facts.ts';
import type { CompanionKind } from '../core/registry/companion.ts';
import type { SafeText } from '../core/text/message.ts';
import type { Bytes } from '../store/bytes.ts';
import type { SignStep } from './plan.ts';

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
interface HostedArtifact extends InspectedArtifact {
  bytes: null;
  url: string;
}

/** Evidence beside an artifact: created before the version is listed, or added later, and never replaced. */
export type Companion = {
  kind: CompanionKind;
  /** As messages call it: `the bill of materials`. */
  what: string;
  /**
   * The reason why a stored file with other bytes is not evidence about the same artifact; null if it is, and is kept.
   */
  difference(stored: Uint8Array): SafeText | null;
} & ({ bytes: Uint8Array } | Pick<SignStep, 'bytes' | 'sign'>);

/** Subject of an attestation: a version, its artifact and its bill of materials. */
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

/** Next to the metadata file: the artifacts of apps/a/versions.json are in apps/a/versions/. */
export function artifactPath(metadataPath: string, version: string): string {
  return `${artifactFolder(metadataPath)}${version}.tar.gz`;
}

/** A version with its number, and what the metadata file says about it. */
export type ChosenVersion = StoredVersion | (NumberedVersion & { artifact: Artifact; path: null });

interface NumberedVersion {
  /** Of the app. */
  key: string;
  /** As it is listed, or will be. */
  entry: NewVersion;
  /** The entry that the metadata file has; null for a new version. */
  listed: NewVersion | null;
  /** True if its number was chosen from those that are free. */
  isIncrement: boolean;
  /** The numbers that an increment skipped. */
  skipped: readonly SkippedNumber[];
}

/** A number that is taken, although it is not listed. */
export interface SkippedNumber {
  version: string;
  /** The file that takes it: it is of another artifact, or records other bytes. */
  file: string;
}

/** One whose artifact is in the store, or is to be. `path` of others is null: their artifact is hosted elsewhere. */
export interface StoredVersion extends NumberedVersion {
  artifact: ArtifactToStore;
  path: string;
}

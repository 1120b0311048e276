import type { NewVersion } from '../author/metadata.ts';
import { sameDigest } from '../core/registry/baseline.ts';
import type { ArchiveFacts, Content } from '../core/facts/facts.ts';
import { type Bytes, type Digest, sha256Of } from '../store/bytes.ts';
import type { StatementInput } from '../core/attestation/statement.ts';
import { type Companion, companionsFit, companionSteps } from './companion.ts';
import { message } from '../core/text/message.ts';
import type { Document } from '../author/document.ts';
import { companionPath } from '../core/registry/companion.ts';
import { AppregError } from '../core/errors/error.ts';
import { attestationMissing } from '../core/rules/attestations/attestation-missing.ts';
import type { JudgeSettings } from './check-change.ts';
import { ruleViolation } from './check-content.ts';
import type { CreateStep, SignStep } from './plan.ts';
import { haveSameTar } from './same-tar.ts';
import type { RegistryLocation } from './registry-location.ts';

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
interface HostedArtifact extends InspectedArtifact {
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
function isStoredAs(stored: Digest, { bytes, content }: Artifact): boolean {
  return bytes !== null && stored.sha256 === content.sha256;
}

/** Next to the metadata file: the artifacts of apps/a/versions.json are in apps/a/versions/. */
export function artifactPath(metadataPath: string, version: string): string {
  const stem = metadataPath.replace(/\.[^./]+$/, '');
  return `${stem === metadataPath ? `${stem}-artifacts` : stem}/${version}.tar.gz`;
}

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
  if (stored !== null && !isStoredAs(stored, artifact)) {
    const found = await store.read(path);
    throw occupied(path, stored, entry, found !== null && (await haveSameTar(found.bytes, artifact.bytes)));
  }
  const of = `${key} ${entry.version}`;
  return {
    artifact: { kind: 'create', path, bytes: artifact.bytes, what: `the artifact of ${of}` },
    exists: stored !== null,
    companions: await companionSteps(store, path, await companionsOf(place, key, target), of),
  };
}

/**
 * Refuses a version without an attestation, as `lint` and `verify` would once it is listed. Nothing is known about an
 * artifact that is hosted elsewhere.
 * @throws AppregError `rule-violation` (exit 1)
 */
export async function requireAttestation(
  { store }: RegistryLocation,
  { path, artifact }: ArtifactTarget,
  severities: JudgeSettings['severities'],
): Promise<void> {
  const severity = severities[attestationMissing.id] ?? attestationMissing.severity;
  if (path === null || artifact.attester !== undefined || severity !== 'error') return;
  if ((await store.digest(companionPath(path, 'attestation'))) !== null) return;
  const missing = {
    rule: attestationMissing.id,
    text: 'attestation-missing: The artifact has no attestation, which evidence.attestations of the configuration requires.',
    advice: message`Add --attest, --attest-key-env or --attestation, or set evidence.attest or evidence.attestKeyEnv.`,
    evidence: {},
  };
  throw ruleViolation([missing], 'publish');
}

/** True if the version was never published, and its files do not exist with other bytes. */
export async function isFree(place: RegistryLocation, key: string, target: ArtifactTarget): Promise<boolean> {
  const { firstSeen, store } = place;
  const { version, artifactChecksum } = target.entry;
  if (!sameDigest(firstSeen?.(key, version) ?? artifactChecksum, artifactChecksum)) return false;
  if (target.path === null) return true;
  const { path, artifact } = target;
  const stored = await store.digest(path);
  if (stored !== null && !isStoredAs(stored, artifact)) return false;
  return companionsFit(store, path, await companionsOf(place, key, target));
}

function occupied(
  path: string,
  { sha256 }: Digest,
  { version, artifactChecksum }: NewVersion,
  hasSameTar: boolean,
): AppregError {
  const difference = hasSameTar ? 'with the same content, compressed differently' : 'with different bytes';
  return new AppregError(
    'immutable',
    message`${path} already exists ${difference}: its checksum is sha256:${sha256}, yours is ${artifactChecksum}.`,
    hasSameTar
      ? message`Publish that file instead, with --artifact, or your bytes as a new version.`
      : message`Publish your bytes as a new version. If ${version} was never published, and no other publisher is writing it now, delete the file.`,
    { effect: 'none' },
  );
}

import { message, safe, type SafeText } from '../core/text/message.ts';
import { basename } from 'node:path';
import type { Bundle } from '../bundle/bundle.ts';
import { billOfMaterials } from '../bundle/packages/bill-of-materials.ts';
import type { Materials } from '../bundle/packages/materials.ts';
import { describedArtifact } from '../core/registry/bill-of-materials.ts';
import { companionPath, LARGEST_COMPANION } from '../core/registry/companion.ts';
import { documentContent, parseDocument } from '../core/json/json.ts';
import { AppregError } from '../core/errors/error.ts';
import type { ArtifactToStore, Companion } from '../publish/artifact.ts';
import { readRegularFile } from '../platform/regular-file.ts';
import type { BillWish } from './repository.ts';

/** Bills of materials: of what is built, and beside an archive that was built before. Loaded if one is wanted. */

type WantedBill = Exclude<BillWish, 'none'>;

/**
 * An artifact that was built, with its bill of materials.
 * @param key of the app
 * @throws AppregError `sbom-unavailable` (exit 2) if a bill is required, and the packages are not known
 */
export function withBill(
  artifact: ArtifactToStore,
  { materials }: Pick<Bundle, 'materials'>,
  key: string,
  wanted: WantedBill,
): ArtifactToStore {
  if (!isPossible(materials, wanted)) return artifact;
  return {
    ...artifact,
    companions: ({ version, artifactChecksum }) => [
      companionOf(billOfMaterials(materials, { name: key, version, checksum: artifactChecksum }), artifact),
    ],
  };
}

/**
 * The bill of materials of an archive that is not published yet, named after its file, and its path beside it; null if
 * it is not wanted.
 * @param output the path of the archive
 * @throws AppregError `sbom-unavailable` (exit 2)
 */
export function billFor(
  { materials, checksum }: Pick<Bundle, 'materials' | 'checksum'>,
  output: string,
  wanted: WantedBill,
): { path: string; bytes: Uint8Array } | null {
  if (!isPossible(materials, wanted)) return null;
  const bytes = billOfMaterials(materials, { name: basename(output, '.tar.gz'), version: null, checksum });
  return { path: companionPath(output, 'sbom'), bytes };
}

/** @throws AppregError `sbom-unavailable` (exit 2) if a bill is required, and the packages are not known */
function isPossible(materials: Materials | null, wanted: WantedBill): materials is Materials {
  if (materials === null && wanted === 'required')
    throw unavailable(message`a folder is packed as it is, and its packages are not known`);
  return materials !== null;
}

/**
 * An existing archive, with the bill of materials that is beside it, as `appreg bundle --sbom` writes it.
 * @param path of the archive, absolute
 * @param shownAs as messages name it
 * @throws AppregError `sbom-unavailable` (exit 2) if a bill is required, and there is none; `sbom-invalid` (exit 2) if the
 * file is not a bill of this archive
 */
export function withBillBeside(
  artifact: ArtifactToStore,
  path: string,
  shownAs: string,
  wanted: WantedBill,
): ArtifactToStore {
  const file = companionPath(shownAs, 'sbom');
  const read = readRegularFile(companionPath(path, 'sbom'), LARGEST_COMPANION.sbom);
  if ('failure' in read) {
    if (wanted === 'if-known' && read.code === 'ENOENT') return artifact;
    throw unavailable(message`${file} ${read.failure}`);
  }
  if (!describes(read.bytes, artifact))
    throw new AppregError(
      'sbom-invalid',
      message`${file} is not a bill of materials of ${shownAs}: it must be a CycloneDX document in JSON whose metadata.component has the SHA-256 digest of the archive.`,
      message`Build both again: appreg bundle <entry> ${shownAs} --sbom`,
    );
  return { ...artifact, companions: () => [companionOf(read.bytes, artifact)] };
}

function companionOf(bytes: Uint8Array, artifact: ArtifactToStore): Companion {
  return {
    kind: 'sbom',
    bytes,
    what: 'the bill of materials',
    difference: (stored) =>
      describes(stored, artifact) ? null : message`It is not a bill of materials with the digest of the artifact.`,
  };
}

/** True if a file is a bill of materials that names the digest of the artifact. */
function describes(bytes: Uint8Array, { content }: ArtifactToStore): boolean {
  return describedArtifact(parseDocument(documentContent(bytes)).value) === content.sha256;
}

/** @param why as the end of a sentence */
function unavailable(why: SafeText): AppregError {
  return new AppregError(
    'sbom-unavailable',
    message`There is no bill of materials: ${safe(why)}.`,
    message`Build the artifact with --entry <file>, or with appreg bundle --sbom; or omit --sbom.`,
    { effect: 'none' },
  );
}

import type { NewVersion } from '../../author/metadata.ts';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import type { Digest } from '../../store/bytes.ts';
import type { ArtifactToStore, ChosenVersion, StoredVersion } from '../artifact.ts';
import type { RegistryLocation } from '../registry-location.ts';
import { likenessOf } from '../same-content.ts';
import type { Likeness } from '../../core/release/state.ts';
import { NOTHING, type Part } from './part.ts';

/**
 * The artifact. A new version has the step also for a file that an earlier run created: it is read back from its public
 * URL before it is listed.
 * @throws AppregError `immutable` (exit 1) if the file exists with other bytes
 */
export async function artifactPart({ store }: RegistryLocation, version: ChosenVersion): Promise<Part> {
  if (version.path === null) return NOTHING;
  const { path, artifact, entry, key, listed } = version;
  const stored = await store.digest(path);
  if (stored !== null && !isSame(stored, artifact)) {
    const found = await store.read(path);
    throw occupied(path, stored, entry, found && (await likenessOf(found.bytes, artifact.bytes)));
  }
  const what = `the artifact of ${key} ${entry.version}`;
  const isNeeded = listed === null || stored === null;
  const step = { kind: 'create', role: 'artifact', path, bytes: artifact.bytes, what } as const;
  return { steps: isNeeded ? [{ ...step, artifactOf: listed ?? entry }] : [], files: [path] };
}

/** True if no other artifact is where that of the version would be. */
export async function artifactFits({ store }: RegistryLocation, { path, artifact }: StoredVersion): Promise<boolean> {
  const stored = await store.digest(path);
  return stored === null || isSame(stored, artifact);
}

function isSame(stored: Digest, { content }: ArtifactToStore): boolean {
  return stored.sha256 === content.sha256;
}

function occupied(
  path: string,
  { sha256 }: Digest,
  { version, artifactChecksum }: NewVersion,
  likeness: Likeness | null,
): AppregError {
  return new AppregError(
    'immutable',
    message`${path} already exists ${likeness === null ? 'with different bytes' : DIFFERENCES[likeness.kind]}: its checksum is sha256:${sha256}, yours is ${artifactChecksum}.`,
    likeness === null
      ? message`Publish your bytes as a new version. If ${version} was never published, and no other publisher is writing it now, delete the file.`
      : message`Publish that file instead, with --artifact, or your bytes as a new version.`,
    { effect: 'none' },
  );
}

const DIFFERENCES: Readonly<Record<Likeness['kind'], string>> = {
  compression: 'with the same content, compressed differently',
  'line-ends': 'with the same content, but other line ends (CRLF and LF)',
};

import { message } from '../core/text/message.ts';
import type { Document } from '../author/document.ts';
import type { AppFacts, ArtifactFacts, DocumentFacts, Missing } from '../core/facts/facts.ts';
import { documentContent, type JsonObject } from '../core/json/json.ts';
import { AppregError } from '../core/errors/error.ts';
import type { Store } from '../store/store.ts';
import { StoredDocument } from './stored-document.ts';
import { listedVersionsIn, manifestApps, versionFields } from '../core/registry/manifest.ts';

/** The location of a registry's files in the store and on the web. */
export interface RegistryLocation {
  store: Store & { forget?(): void };
  /** Path of the manifest in the store. */
  manifest: string;
  /** The URL of the store's root, normalized, with a trailing slash. */
  base: string;
  /** The path in the store for a URL; null if the URL is outside. */
  pathOf(url: string): string | null;
  /** Refuses a base URL that does not fit the apps of the manifest; absent if it is not configured. */
  checkBase?(apps: JsonObject): Promise<void>;
  /** The checksum with which a version was first published, if recorded; otherwise null. */
  firstSeen?(app: string, version: string): string | null;
}

/** For facts that are not observed while something is added: lint and verify judge them. */
export const NOT_OBSERVED: Missing = { missing: { code: 'additions-only' }, runWide: true, intentional: true };

/** Reads a document of the store; null if missing. Throws AppregError if it must not be edited. */
export function readDocument(store: Store, path: string): Promise<StoredDocument | null> {
  return StoredDocument.read(store, path);
}

/** Reads the manifest, which must exist. @throws AppregError (exit 2), also if the base URL does not fit it */
export async function readManifest({ store, manifest, checkBase }: RegistryLocation): Promise<StoredDocument> {
  const found = await readDocument(store, manifest);
  if (!found) throw manifestMissing(store, manifest);
  const apps = manifestApps(found.value);
  if (apps !== null) await checkBase?.(apps);
  return found;
}

/** @returns the error for a store without a manifest: exit 2 */
export function manifestMissing({ name }: Pick<Store, 'name'>, manifest: string): AppregError {
  return new AppregError(
    'manifest-missing',
    message`${manifest} does not exist in ${name}.`,
    message`Create the registry first: appreg init`,
  );
}

/** A document of the registry as facts, which the rules judge. */
export function factsOf({ path, content }: Document, url: string | null = null): DocumentFacts {
  return { url, file: path, web: NOT_OBSERVED, content };
}

/** Facts about an app that is already listed, for the rules. */

/** The metadata file of an app in its present state, whatever that is; not observed if it is elsewhere, or missing. */
export async function metadataFacts(place: RegistryLocation, url: string | null): Promise<DocumentFacts> {
  const file = url === null ? null : place.pathOf(url);
  const stored = file === null ? null : await place.store.read(file);
  return { url, file, web: NOT_OBSERVED, content: stored === null ? NOT_OBSERVED : documentContent(stored.bytes) };
}

/** An app with this metadata file; its artifacts and its icon are not observed. */
export function appFactsWith(
  key: string,
  metadata: DocumentFacts,
  icon: Partial<AppFacts['icon']> & Pick<AppFacts['icon'], 'url'>,
): AppFacts {
  return {
    key,
    metadata,
    icon: { file: null, web: NOT_OBSERVED, content: NOT_OBSERVED, image: NOT_OBSERVED, ...icon },
    artifacts: artifactsOf(metadata),
  };
}

/** The artifacts of a metadata file, in its order, which are not observed. @param known what is known of a version */
export function artifactsOf(
  metadata: DocumentFacts,
  known: (version: string | null) => Partial<ArtifactFacts> = () => ({}),
): ArtifactFacts[] {
  return (listedVersionsIn(metadata.content) ?? []).map((item) => {
    const { version, artifactUrl: url } = versionFields(item);
    const facts = { url, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED, archive: NOT_OBSERVED };
    return { ...facts, ...known(version) };
  });
}

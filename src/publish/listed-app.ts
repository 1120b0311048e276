import { message, type SafeText } from '../core/text/message.ts';
import { type Document, requireApps, requireVersions } from '../author/document.ts';
import type { AppEntry } from '../author/manifest.ts';
import { newMetadata } from '../author/metadata.ts';
import { member, type JsonValue } from '../core/json/json.ts';
import { manifestApps, metadataUrlOf } from '../core/registry/manifest.ts';
import { didYouMean, didYouMeanAny } from '../core/text/similar-names.ts';
import { safeExcerpt, printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { checkKey } from './check-key.ts';
import { type RegistryLocation, readDocument, readManifest } from './registry-location.ts';
import { StoredDocument } from './stored-document.ts';

/** An app of the registry whose entry can be changed. */
export interface ListedEntry {
  key: string;
  manifest: StoredDocument;
  entry: JsonValue;
}

/**
 * Finds an app by its key, which may be one that is not URL-safe.
 * @throws AppregError `app-unknown` (exit 2), with the closest keys, and as `readManifest` does
 */
export async function listedEntry(place: RegistryLocation, key: string): Promise<ListedEntry> {
  return entryIn(await readManifest(place), key);
}

/** The same in a manifest that was already read. */
function entryIn(manifest: StoredDocument, key: string): ListedEntry {
  return { key, manifest, entry: requireEntry(manifest, key) };
}

/** The entry of an app in a manifest. @throws AppregError as `listedEntry` does */
export function requireEntry(manifest: Document, key: string): JsonValue {
  const apps = requireApps(manifest);
  const entry = member(apps, key);
  if (entry !== undefined) return entry;
  throw unknownApp(
    key,
    manifest.path,
    Object.keys(apps),
    message`App keys are case-sensitive. appreg add-app adds an app.`,
  );
}

/**
 * The error for a key that is not listed.
 * @param where the manifest, as messages name it
 * @param known the listed keys
 */
export function unknownApp(key: string, where: string, known: readonly string[], hint: SafeText): AppregError {
  return new AppregError(
    'app-unknown',
    message`The app “${safeExcerpt(key, 80)}” is not listed in ${where}.${closestKeys(key, known)}`,
    hint,
    { effect: 'none' },
  );
}

/** The keys that may have been meant; all of them if there are only a few. */
function closestKeys(key: string, known: readonly string[]): string {
  const close = didYouMeanAny(key, known);
  if (close !== '' || known.length > 8) return close;
  if (known.length === 0) return ' It lists no apps.';
  return ` It lists ${known.map((one) => printable(shorten(one, 80))).join(', ')}.`;
}

/** An app of the registry whose metadata file can be edited. */
export interface AppToPublish {
  key: string;
  manifest: StoredDocument;
  /** True if the manifest has it; otherwise it is listed with the version. */
  isListed: boolean;
  metadata: StoredDocument;
  metadataUrl: string;
}

/**
 * Finds an app and reads its metadata file.
 * @throws AppregError: exit 2 if the app is not listed, or its metadata is hosted elsewhere; exit 1 if its file must not
 * be edited
 */
export async function appToPublish(place: RegistryLocation, key: string): Promise<AppToPublish> {
  checkKey(key);
  return listedApp(place, await readManifest(place), key);
}

/**
 * Finds an app in the manifest alone, before something is built for it.
 * @throws AppregError as `appToPublish` does, except for the content of the metadata file
 */
export async function requirePublishable(place: RegistryLocation, key: string): Promise<void> {
  checkKey(key);
  metadataPath(place, key, listedMetadataUrl(await readManifest(place), key));
}

async function listedApp(place: RegistryLocation, manifest: StoredDocument, key: string): Promise<AppToPublish> {
  const metadataUrl = listedMetadataUrl(manifest, key);
  const path = metadataPath(place, key, metadataUrl);
  const metadata = await readDocument(place.store, path);
  if (!metadata)
    throw new AppregError(
      'metadata-missing',
      message`The metadata file of “${key}” does not exist: ${path}`,
      message`Restore it from version control. For an app without versions, create it with { "versions": [] }.`,
    );
  // Throws if the file has no list of versions.
  requireVersions(metadata);
  return { key, manifest, isListed: true, metadata, metadataUrl };
}

/**
 * The same for an app with a description, which is listed with its entry if the manifest does not have it. Its metadata
 * file may be missing: then it has no versions.
 */
export async function describedAppToPublish(
  place: RegistryLocation,
  key: string,
  { appMetadataUrl: metadataUrl }: AppEntry,
): Promise<AppToPublish> {
  checkKey(key);
  const manifest = await readManifest(place);
  if (member(requireApps(manifest), key) !== undefined) return listedApp(place, manifest, key);
  const path = metadataPath(place, key, metadataUrl);
  const metadata = (await readDocument(place.store, path)) ?? StoredDocument.missing(path, newMetadata());
  requireVersions(metadata);
  return { key, manifest, isListed: false, metadata, metadataUrl };
}

/** The path of a metadata file. @throws AppregError `metadata-outside-workspace` (exit 2) */
function metadataPath(place: RegistryLocation, key: string, metadataUrl: string): string {
  const path = place.pathOf(metadataUrl);
  if (path === null) {
    throw new AppregError(
      'metadata-outside-workspace',
      message`The metadata file of “${key}” is not in this workspace: its URL is ${safeExcerpt(metadataUrl)}, but the workspace is served at ${safeExcerpt(place.base)}.`,
      message`Publish from the workspace that contains the file, or correct appMetadataUrl or baseUrl.`,
    );
  }
  return path;
}

function listedMetadataUrl(manifest: Document, key: string): string {
  const apps = manifestApps(manifest.value) ?? {};
  const entry = member(apps, key);
  if (entry === undefined)
    throw new AppregError(
      'app-unknown',
      message`The app “${key}” is not listed in ${manifest.path}.${didYouMean(key, Object.keys(apps))}`,
      message`Add it first: appreg add-app ${key}`,
    );
  const url = metadataUrlOf(entry);
  if (url !== null) return url;
  throw new AppregError(
    'document-invalid',
    message`The app “${key}” has no appMetadataUrl in ${manifest.path}.`,
    message`Fix its entry; appreg lint reports what is missing.`,
  );
}

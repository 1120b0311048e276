import { isMissing, type Missing } from '../facts/facts.ts';
import type { DocumentContent } from '../json/content.ts';
import { isObject, type JsonObject, type JsonValue, member, parseDocument, stringOrNull } from '../json/json.ts';

/** Typed access to a manifest (spec 2.1). A field that is absent, or is not a string, is null. */

/** The texts of an entry of `apps`. */
export interface AppFields {
  name: string | null;
  description: string | null;
  iconUrl: string | null;
  color: string | null;
  appMetadataUrl: string | null;
}

/** The entries of `apps` by key; null if the document has no object `apps`. */
export function manifestApps(manifest: JsonValue | undefined): JsonObject | null {
  const apps = member(manifest, 'apps');
  return isObject(apps) ? apps : null;
}

/** The same for a document as it was observed; null also if it is missing or is not JSON. */
export function manifestAppsIn(content: DocumentContent | Missing): JsonObject | null {
  return isMissing(content) ? null : manifestApps(parseDocument(content).value);
}

/** The texts of an app's entry. */
export function appFields(entry: JsonValue | undefined): AppFields {
  const style = member(entry, 'blockStyle');
  return {
    name: stringOrNull(member(entry, 'name')),
    description: stringOrNull(member(entry, 'description')),
    iconUrl: stringOrNull(member(style, 'iconUrl')),
    color: stringOrNull(member(style, 'color')),
    appMetadataUrl: metadataUrlOf(entry),
  };
}

/** The URL of an app's metadata file. */
export function metadataUrlOf(entry: JsonValue | undefined): string | null {
  return stringOrNull(member(entry, 'appMetadataUrl'));
}

/** The URL of an app's icon. */
export function iconUrlOf(entry: JsonValue | undefined): string | null {
  return stringOrNull(member(member(entry, 'blockStyle'), 'iconUrl'));
}

/** Typed access to a metadata file (spec 2.2). A field that is absent, or is not a string, is null. */

/** The texts of an element of `versions`. */
export interface VersionFields {
  version: string | null;
  artifactUrl: string | null;
  artifactChecksum: string | null;
}

/** The elements of `versions`, of any type; null if the document has no array `versions`. */
export function listedVersions(metadata: JsonValue | undefined): JsonValue[] | null {
  const versions = member(metadata, 'versions');
  return Array.isArray(versions) ? versions : null;
}

/** The same for a document as it was observed; null also if it is missing or is not JSON. */
export function listedVersionsIn(content: DocumentContent | Missing): JsonValue[] | null {
  return isMissing(content) ? null : listedVersions(parseDocument(content).value);
}

/** The texts of an element of `versions`. */
export function versionFields(item: JsonValue | undefined): VersionFields {
  return {
    version: stringOrNull(member(item, 'version')),
    artifactUrl: artifactUrlOf(item),
    artifactChecksum: stringOrNull(member(item, 'artifactChecksum')),
  };
}

/** The URL of a version's artifact. */
export function artifactUrlOf(item: JsonValue | undefined): string | null {
  return stringOrNull(member(item, 'artifactUrl'));
}

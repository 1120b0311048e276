import { type DocumentContent, isMissing, type Missing } from '../facts/facts.ts';
import { type JsonValue, member, parseDocument, stringOrNull } from '../json/json.ts';

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

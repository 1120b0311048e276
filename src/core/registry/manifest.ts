import { recordFrom } from '../values/record.ts';
import { APP_FIELDS, type AppField, type FieldOptionName, type ManifestFieldName } from './app-fields.ts';
import { isMissing, type Missing } from '../facts/facts.ts';
import type { DocumentContent } from '../json/content.ts';
import { isObject, type JsonObject, type JsonValue, member, parseDocument, stringOrNull } from '../json/json.ts';

/** Typed access to a manifest (spec 2.1). A field that is absent, or is not a string, is null. */

/** The texts of an entry of `apps`, by the name of the field. */
export type AppFields = Record<ManifestFieldName, string | null>;

/** The fields of an app in a manifest (spec 2.1). */
export const MANIFEST_FIELDS = APP_FIELDS.filter(
  (field): field is AppField<ManifestFieldName, FieldOptionName> => field.in === 'manifest',
);

/** The entries of `apps` by key; null if the document has no object `apps`. */
export function manifestApps(manifest: JsonValue | undefined): JsonObject | null {
  const apps = member(manifest, 'apps');
  return isObject(apps) ? apps : null;
}

/** The entries of `apps` by key in an observed manifest; null also if it is missing or is not JSON. */
export function manifestAppsIn(content: DocumentContent | Missing): JsonObject | null {
  return isMissing(content) ? null : manifestApps(parseDocument(content).value);
}

/** The texts of an app's entry. */
export function appFields(entry: JsonValue | undefined): AppFields {
  return recordFrom(
    MANIFEST_FIELDS.map(({ name, at }) => {
      const [first, second] = at;
      const value = member(entry, first);
      return [name, stringOrNull(second === undefined ? value : member(value, second))];
    }),
  );
}

/** True if each required text of an app entry is a string (spec 2.1). */
export function hasAllFields(entry: JsonValue): boolean {
  const fields = appFields(entry);
  return MANIFEST_FIELDS.every(({ name, required }) => required === undefined || fields[name] !== null);
}

const TEXTS_FOR_PEOPLE = MANIFEST_FIELDS.filter(({ kind }) => kind === 'text');

/** The fields of an entry that are texts for people, with their values; null if a required one is not a string. */
export function textsForPeople(fields: AppFields): { field: AppField; text: string }[] | null {
  const texts = TEXTS_FOR_PEOPLE.map((field) => ({ field, text: fields[field.name] }));
  if (texts.some(({ field, text }) => text === null && field.required === true)) return null;
  return texts.flatMap(({ field, text }) => (text === null ? [] : { field, text }));
}

/** An entry with these texts; what else it has is preserved. An absent text is kept, and null removes an optional one. */
export function withFields(entry: JsonObject, texts: Partial<AppFields>): JsonObject {
  let edited = entry;
  for (const { name, at } of MANIFEST_FIELDS) {
    const text = texts[name];
    const [first, second] = at;
    const group = edited[first];
    if (second === undefined) edited = withMember(edited, first, text);
    else if (text != null) edited = { ...edited, [first]: withMember(isObject(group) ? group : {}, second, text) };
    else if (isObject(group)) edited = { ...edited, [first]: withMember(group, second, text) };
  }
  return edited;
}

function withMember(object: JsonObject, name: string, text: string | null | undefined): JsonObject {
  if (text === undefined) return object;
  if (text !== null) return { ...object, [name]: text };
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

export function metadataUrlOf(entry: JsonValue | undefined): string | null {
  return stringOrNull(member(entry, 'appMetadataUrl'));
}

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

/** The elements of `versions` in an observed metadata file; null also if it is missing or is not JSON. */
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

export function artifactUrlOf(item: JsonValue | undefined): string | null {
  return stringOrNull(member(item, 'artifactUrl'));
}

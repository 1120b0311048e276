import { message } from '../core/text/message.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../core/json/json.ts';
import { pointerTo } from '../core/json/pointer.ts';
import { entriesOf } from '../core/values/record.ts';
import type { AppField, RequiredFieldName } from '../core/registry/app-fields.ts';
import { type AppFields, appFields, MANIFEST_FIELDS, withFields } from '../core/registry/manifest.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { addMember, isSame, checkedResult } from './edit.ts';
import { requireApps, type Document } from './document.ts';
import { childrenAt, locate } from '../core/json/positions.ts';
import { startOf } from './layout.ts';

/** Edits a document by replacing or removing one piece of text; every other byte is preserved. */

/** Replaces the value at `pointer`, which must exist. */
export function replaceText(document: Document, pointer: string, value: string): Document {
  const { text } = document;
  const span = locate(text, [pointer]).get(pointer);
  if (span === undefined) throw new Error(`the document has no value at "${pointer}"`);
  const edited = text.slice(0, span.start) + JSON.stringify(value) + text.slice(span.end);
  return checkedResult(document, edited, pointer, (_, after) => after === value);
}

/** Removes a member, which must exist, from the object at `pointer`, with the comma that separated it. */
export function removeMember(document: Document, pointer: string, name: string): Document {
  const { text } = document;
  const container = childrenAt(text, pointer);
  const index = container?.children.findIndex((child) => child.name === name) ?? -1;
  const child = container?.children[index];
  if (!container || !child) throw new Error(`the object at "${pointer}" has no member "${name}"`);
  const { span, children } = container;
  const before = children[index - 1];
  const next = children[index + 1];
  let [from, to] = [span.start + 1, span.end - 1];
  // The last member takes the comma before it along; an empty object keeps no white space.
  if (next !== undefined) [from, to] = [startOf(child), startOf(next)];
  else if (before !== undefined) [from, to] = [before.end, child.end];
  return checkedResult(document, text.slice(0, from) + text.slice(to), pointer, (old, after) =>
    isSame(without(old, name), after),
  );
}

function without(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
}

/** An entry of the manifest's `apps` (spec 2.1), with its URLs and the other fields (core/registry/app-fields.ts). */
export type AppEntry = JsonObject & { blockStyle: JsonObject & { iconUrl: string }; appMetadataUrl: string };

export type EntryTexts = Partial<AppFields> & Record<RequiredFieldName, string>;

export function appEntry(texts: EntryTexts): AppEntry {
  // The URLs are among the required texts.
  return withFields({}, texts) as AppEntry;
}

/** The text of an empty manifest. */
export function newManifest(): string {
  return '{\n  "apps": {}\n}\n';
}

/**
 * Adds an app to a manifest; every other byte is preserved (spec 2.1).
 * @returns the new manifest; null if an identical entry exists
 * @throws AppregError `already-exists` (exit 1) if the key is used by another entry; `document-invalid` (exit 1)
 */
export function addAppEntry(manifest: Document, key: string, entry: AppEntry): Document | null {
  const existing = member(requireApps(manifest), key);
  if (existing === undefined) return addMember(manifest, '/apps', key, entry);
  if (isSame(existing, entry)) return null;
  throw new AppregError(
    'already-exists',
    message`The app “${key}” is already listed in ${manifest.path}, with a different entry.`,
    message`Choose another key, or change its entry: appreg edit-app ${key}`,
    { effect: 'none' },
  );
}

/** New texts of an entry; a field that is absent is kept. */
export type AppChanges = Partial<Record<keyof AppFields, string>>;

/**
 * Changes texts of an app's entry, and adds those that it lacks; every other byte is preserved.
 * @returns the new manifest; null if the entry has all of these texts
 * @throws AppregError `document-invalid` (exit 1) if the entry or an object in it that contains a field is not an object
 */
export function editAppEntry(manifest: Document, key: string, changes: AppChanges): Document | null {
  const entry = member(requireApps(manifest), key);
  let edited = manifest;
  for (const [field, text] of entriesOf(changes)) {
    const found = MANIFEST_FIELDS.find(({ name }) => name === field);
    if (found === undefined || text === undefined || appFields(entry)[field] === text) continue;
    edited = setText(edited, key, found, text);
  }
  return edited === manifest ? null : edited;
}

function setText(manifest: Document, key: string, { at }: AppField, text: string): Document {
  const entry = member(requireApps(manifest), key);
  if (!isObject(entry)) throw notAnObject(manifest, `The entry of the app “${printable(key)}”`);
  const [first, second] = at;
  const place = pointerTo('apps', key);
  if (second === undefined) return setMember(manifest, place, entry, first, text);
  const group = entry[first];
  if (group === undefined) return addMember(manifest, place, first, { [second]: text });
  if (!isObject(group)) throw notAnObject(manifest, `The ${first} of the app “${printable(key)}”`);
  return setMember(manifest, place + pointerTo(first), group, second, text);
}

/** Sets a member of the object at `place`, which is replaced or added; every other byte is preserved. */
export function setMember(document: Document, place: string, object: JsonObject, name: string, text: string): Document {
  return Object.hasOwn(object, name)
    ? replaceText(document, place + pointerTo(name), text)
    : addMember(document, place, name, text);
}

/**
 * Removes an app from a manifest; every other byte is preserved.
 * @returns the new manifest; null if the app is not listed
 */
export function removeAppEntry(manifest: Document, key: string): Document | null {
  return member(requireApps(manifest), key) === undefined ? null : removeMember(manifest, '/apps', key);
}

function notAnObject({ path }: Document, what: string): AppregError {
  return new AppregError(
    'document-invalid',
    message`${what} in ${path} is not an object. The file was left as it is.`,
    message`Correct it by hand; appreg lint lists its errors.`,
  );
}

import { message } from '../core/text/message.ts';
import { readAboutFile, type About, type Retirement } from '../core/about/about-file.ts';
import { AppregError } from '../core/errors/error.ts';
import { faultText } from '../core/json/input-file.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../core/json/json.ts';
import { pointerTo } from '../core/json/pointer.ts';
import { addMember } from './edit.ts';
import type { Document } from './document.ts';
import { removeMember, replaceText } from './manifest.ts';

/** Edits about files; every other byte is preserved. */

/** The text of an empty about file. */
export function newAbout(): string {
  return '{\n  "schema": 1,\n  "versions": {}\n}\n';
}

/**
 * Reads an about file.
 * @throws AppregError `about-invalid` (exit 1) with all faults: nothing is added to an invalid file
 */
export function requireAbout({ content, path }: Document): About {
  const { about, faults } = readAboutFile(content);
  if (about !== null) return about;
  throw new AppregError(
    'about-invalid',
    faultText(path, faults),
    message`Correct the file, and run the command again. schemas/about.schema.json describes it.`,
    { effect: 'none' },
  );
}

/** New fields of the app; an absent one is kept. */
export type AboutAppChanges = Partial<Record<keyof About['app'], string>>;

/** Sets fields of the app. @returns the new file; null if it has them all. Throws as `requireAbout` does */
export function setAboutApp(document: Document, changes: AboutAppChanges): Document | null {
  requireAbout(document);
  return unlessSame(document, setMembers(document, ['app'], changes));
}

/** Notes about a version that is published. */
export interface VersionNotes {
  /** When the version is published (ISO 8601); a time that the file has is kept. Null: it is not known. */
  published: string | null;
  /** Markdown; null to keep what the file has. */
  notes: string | null;
}

/** Sets what is known about a version. @returns as `setAboutApp` does */
export function setVersionNotes(
  document: Document,
  version: string,
  { published, notes }: VersionNotes,
): Document | null {
  const known = requireAbout(document).versions.get(version)?.published ?? null;
  const fields = {
    ...(published !== null && known === null && { published }),
    ...(notes !== null && { notes }),
  };
  return unlessSame(document, setMembers(document, ['versions', version], fields));
}

/** Retires a version, or changes its retirement. @returns as `setAboutApp` does */
export function setRetirement(document: Document, version: string, retirement: Retirement): Document | null {
  requireAbout(document);
  const { reason, message: text, use, since } = retirement;
  const fields = { reason, message: text, ...(use !== null && { use }), ...(since !== null && { since }) };
  const place = ['versions', version, 'deprecated'];
  const set = setMembers(document, place, fields);
  const isNamed = member(valueAt(set.value, place), 'use') !== undefined;
  return unlessSame(document, use === null && isNamed ? removeMember(set, pointerTo(...place), 'use') : set);
}

/** Withdraws the retirement of a version; an entry without other fields is removed. @returns as `setAboutApp` does */
export function removeRetirement(document: Document, version: string): Document | null {
  const about = requireAbout(document);
  if ((about.versions.get(version)?.deprecated ?? null) === null) return null;
  const place = pointerTo('versions', version);
  const without = removeMember(document, place, 'deprecated');
  const left = valueAt(without.value, ['versions', version]);
  return isObject(left) && Object.keys(left).length === 0 ? removeMember(without, '/versions', version) : without;
}

function unlessSame(before: Document, after: Document): Document | null {
  return after.text === before.text ? null : after;
}

/** Sets texts of the object at a place, which is created if it does not exist, as are those around it. */
function setMembers(
  document: Document,
  place: readonly string[],
  fields: Readonly<Record<string, string | undefined>>,
): Document {
  const wanted = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  if (wanted.length === 0) return document;
  const depth = existingDepth(document.value, place);
  const [name, ...deeper] = place.slice(depth);
  if (name !== undefined) {
    const value = deeper.reduceRight<JsonObject>((inner, step) => ({ [step]: inner }), Object.fromEntries(wanted));
    return addMember(document, pointerTo(...place.slice(0, depth)), name, value);
  }
  let edited = document;
  for (const [field, text] of wanted) {
    const now = member(valueAt(edited.value, place), field);
    if (now === text) continue;
    const pointer = pointerTo(...place);
    edited =
      now === undefined
        ? addMember(edited, pointer, field, text)
        : replaceText(edited, pointerTo(...place, field), text);
  }
  return edited;
}

/** Number of steps of a place that exist. */
function existingDepth(value: JsonValue, place: readonly string[]): number {
  const missing = place.findIndex((_, index) => valueAt(value, place.slice(0, index + 1)) === undefined);
  return missing === -1 ? place.length : missing;
}

function valueAt(value: JsonValue, place: readonly string[]): JsonValue | undefined {
  return place.reduce<JsonValue | undefined>(member, value);
}

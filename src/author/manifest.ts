import { member } from '../core/json/json.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { addMember, isSame } from './edit.ts';
import { appsIn } from './usable.ts';

/** An entry of the manifest's `apps` (spec 2.1). */
export interface AppEntry {
  name: string;
  description: string;
  blockStyle: { iconUrl: string; color: string };
  appMetadataUrl: string;
}

/** The text of an empty manifest. */
export function newManifest(): string {
  return '{\n  "apps": {}\n}\n';
}

/**
 * Adds an app to a manifest; every other byte is preserved (spec 2.1).
 * @param file the manifest's name in messages
 * @returns the new text; null if an identical entry exists
 * @throws AppregError `already-exists` (exit 1) if the key is used by another entry; `document-invalid` (exit 1)
 */
export function addApp(text: string, key: string, entry: AppEntry, file: string): string | null {
  const there = member(appsIn(text, file), key);
  const { name, description, blockStyle, appMetadataUrl } = entry;
  const added = { name, description, blockStyle: { ...blockStyle }, appMetadataUrl };
  if (there === undefined) return addMember(text, '/apps', key, added);
  if (isSame(there, added)) return null;
  throw new AppregError(
    'already-exists',
    `There is an app “${printable(key)}” in ${printable(file)} already, with another entry. Nothing was changed.`,
    'Choose another key, or edit its entry by hand and check it with appreg lint.',
  );
}

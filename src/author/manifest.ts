import { member } from '../core/json/json.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { addMember, isSame } from './edit.ts';
import { appsIn, type Document } from './document.ts';

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
 * @returns the new manifest; null if an identical entry exists
 * @throws AppregError `already-exists` (exit 1) if the key is used by another entry; `document-invalid` (exit 1)
 */
export function addApp(manifest: Document, key: string, entry: AppEntry): Document | null {
  const existing = member(appsIn(manifest), key);
  const { name, description, blockStyle, appMetadataUrl } = entry;
  const added = { name, description, blockStyle: { ...blockStyle }, appMetadataUrl };
  if (existing === undefined) return addMember(manifest, '/apps', key, added);
  if (isSame(existing, added)) return null;
  throw new AppregError(
    'already-exists',
    `The app “${printable(key)}” is already listed in ${printable(manifest.path)}, with a different entry.`,
    'Choose another key, or edit its entry by hand and check it with appreg lint.',
    { effect: 'none' },
  );
}

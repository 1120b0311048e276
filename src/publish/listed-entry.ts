import { message, type SafeText } from '../core/text/message.ts';
import { requireApps, type Document } from '../author/document.ts';
import { type JsonValue, member } from '../core/json/json.ts';
import { didYouMeanAny } from '../core/text/similar-names.ts';
import { printable, shorten, safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { type RegistryLocation, readManifest } from './registry-location.ts';

/** An app of the registry whose entry can be changed. */
export interface ListedEntry {
  key: string;
  manifest: Document;
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
export function entryIn(manifest: Document, key: string): ListedEntry {
  const apps = requireApps(manifest);
  const entry = member(apps, key);
  if (entry !== undefined) return { key, manifest, entry };
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

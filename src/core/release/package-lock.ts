import { documentContent, type JsonValue, member, parseDocument } from '../json/json.ts';
import { pointerTo } from '../json/pointer.ts';
import { locate } from '../json/positions.ts';

/** The lock files of npm: they repeat the version of the package beside them, and those of its workspaces. */

export const PACKAGE_LOCKS = ['npm-shrinkwrap.json', 'package-lock.json'] as const;

/**
 * The lock file with another version of a package, as `npm version` writes it; everything else stays as it is, byte for
 * byte.
 * @param folder of the package, relative to the lock file and with slashes; '' if it is beside it
 * @returns null if the file does not list the package
 */
export function withPackageVersion(bytes: Uint8Array, folder: string, version: string): string | null {
  const content = documentContent(bytes);
  const { text } = content;
  const { value } = parseDocument(content);
  if (text === null || value === undefined) return null;
  const spans = [...locate(text, versionsOf(value, folder)).values()];
  if (spans.length === 0) return null;
  let after = text;
  // From the end, so that the other offsets stay valid.
  for (const { start, end } of spans.toSorted((a, b) => b.start - a.start))
    after = after.slice(0, start) + JSON.stringify(version) + after.slice(end);
  return after;
}

/** The pointers to the version of a package; lock files before version 2 have no `packages`. */
function versionsOf(lock: JsonValue, folder: string): string[] {
  const own = member(member(lock, 'packages'), folder);
  return [
    ...(folder === '' && typeof member(lock, 'version') === 'string' ? [pointerTo('version')] : []),
    ...(typeof member(own, 'version') === 'string' ? [pointerTo('packages', folder, 'version')] : []),
  ];
}

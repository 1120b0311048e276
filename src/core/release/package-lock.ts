import { documentContent, type JsonValue, member, parseDocument } from '../json/json.ts';
import { pointerTo } from '../json/pointer.ts';
import { locate } from '../json/positions.ts';

/** The lock file of npm beside a package.json, which repeats the version of the package. */

export const PACKAGE_LOCKS = ['npm-shrinkwrap.json', 'package-lock.json'] as const;

/**
 * The lock file with another version of the package itself, as `npm version` writes it; everything else stays as it is,
 * byte for byte.
 * @returns null if it does not have that version
 */
export function withPackageVersion(bytes: Uint8Array, version: string): string | null {
  const content = documentContent(bytes);
  const { text } = content;
  const { value } = parseDocument(content);
  if (text === null || value === undefined) return null;
  const spans = [...locate(text, versionsOf(value)).values()];
  if (spans.length === 0) return null;
  let after = text;
  // From the end, so that the other offsets stay valid.
  for (const { start, end } of spans.toSorted((a, b) => b.start - a.start))
    after = after.slice(0, start) + JSON.stringify(version) + after.slice(end);
  return after;
}

/** The pointers to the version of the package itself; lock files before version 2 have no `packages`. */
function versionsOf(lock: JsonValue): string[] {
  const own = member(member(lock, 'packages'), '');
  return [
    ...(typeof member(lock, 'version') === 'string' ? [pointerTo('version')] : []),
    ...(typeof member(own, 'version') === 'string' ? [pointerTo('packages', '', 'version')] : []),
  ];
}

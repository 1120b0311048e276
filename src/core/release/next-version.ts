import { bump, comparePrecedence, isSemver } from '../registry/version.ts';

/**
 * The lowest patch version above all of these, which an app declares next.
 * @param versions semantic versions; others are ignored
 * @param taken versions that were published before
 */
export function nextVersion(versions: Iterable<string>, taken: ReadonlySet<string>): string {
  let highest = '0.0.0';
  for (const version of versions) if (isSemver(version) && comparePrecedence(version, highest) > 0) highest = version;
  const plain = highest.replace(/[-+].*$/, '');
  let next = comparePrecedence(plain, highest) > 0 ? plain : patchOf(plain);
  while (taken.has(next)) next = patchOf(next);
  return next;
}

function patchOf(version: string): string {
  const next = bump(version, 'patch');
  if (next === null) throw new Error(`${version} is not a plain version`);
  return next;
}

import { urlParts, withoutFragment } from '../http/url.ts';
import { isSignedByQuery } from '../attestation/companion.ts';

/** Where the about file of an app is: beside its metadata file. Manifest and metadata do not mention it. */

const SUFFIX = '.about.json';

/** The path of the about file of a metadata file in a workspace or store: `versions.json` → `versions.about.json`. */
export function aboutPath(metadata: string): string {
  return `${metadata.replace(/\.json$/i, '')}${SUFFIX}`;
}

/** The path of the metadata file that an about file is beside. */
export function metadataPath(about: string): string {
  return `${about.slice(0, -SUFFIX.length)}.json`;
}

/** True for the name or path of an about file. */
export function isAboutPath(path: string): boolean {
  return path.endsWith(SUFFIX);
}

/**
 * The URL of the about file: the suffix of the path is replaced, and the query is kept.
 *
 * @param metadataUrl as listed in the manifest, before redirects
 * @returns null for an invalid URL, and for one that is signed by its query: the signature is only valid for its path
 */
export function aboutUrl(metadataUrl: string): string | null {
  const parts = urlParts(metadataUrl);
  if (parts === null || isSignedByQuery(parts.searchParams)) return null;
  const url = withoutFragment(metadataUrl);
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  return `${aboutPath(path)}${query < 0 ? '' : url.slice(query)}`;
}

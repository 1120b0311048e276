import { signatureExpiry } from '../url/signed-url.ts';
import { urlParts, withoutFragment } from '../url/url.ts';
import { kindOf } from '../text/file-type.ts';

/** Companion files: evidence beside an artifact. Manifest and metadata do not mention them; their URL is derived. */

/** The suffix of each companion file: an attestation (Sigstore bundle), and a bill of materials (CycloneDX). */
const COMPANION_SUFFIXES = { attestation: '.sigstore.json', sbom: '.cdx.json' } as const;
export type CompanionKind = keyof typeof COMPANION_SUFFIXES;
export const COMPANION_KINDS: readonly CompanionKind[] = ['attestation', 'sbom'];

export const COMPANION_TYPES = {
  attestation: 'application/vnd.dev.sigstore.bundle.v0.3+json',
  sbom: 'application/vnd.cyclonedx+json',
} as const;

/**
 * Larger companion files are not read, in bytes. An attestation has about 10 kB; a bill of materials about 1 kB for each
 * package.
 */
export const LARGEST_COMPANION = { attestation: 1_000_000, sbom: 10_000_000 } as const;

/** The path of a companion file of a file in a workspace or store. */
export function companionPath(path: string, kind: CompanionKind): string {
  return `${path}${COMPANION_SUFFIXES[kind]}`;
}

/** The paths of all companion files that a file may have. */
export function companionPaths(path: string): string[] {
  return COMPANION_KINDS.map((kind) => companionPath(path, kind));
}

/** The kind of companion file that has this name or path; null for any other file. */
export function companionKindOf(path: string): CompanionKind | null {
  return COMPANION_KINDS.find((kind) => path.endsWith(COMPANION_SUFFIXES[kind])) ?? null;
}

/**
 * The URL of a companion file: the suffix is added to the path, and the query is kept.
 *
 * @param artifactUrl as listed in the metadata, before redirects
 * @returns null for an invalid URL, and for one that is signed by its query: the signature is only valid for its path
 */
export function companionUrl(artifactUrl: string, kind: CompanionKind): string | null {
  const parts = urlParts(artifactUrl);
  if (parts === null || isSignedByQuery(parts.searchParams)) return null;
  const url = withoutFragment(artifactUrl);
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  return `${companionPath(path, kind)}${query < 0 ? '' : url.slice(query)}`;
}

/** True for a query that signs its URL: SigV4, SAS, Google, CloudFront, and the schemes that resemble them. */
function isSignedByQuery(query: URLSearchParams): boolean {
  return signatureExpiry(query) !== null || [...query.keys()].some((name) => URL_SIGNATURE.test(name));
}

/** Parameters that are valid for one path. Others that authorize, such as `token`, may be valid for several. */
const URL_SIGNATURE = /(?:^|[-_.])(?:signature|sig|sign|hmac)$/i;

/**
 * Existence of a companion file, according to a response. An unknown one may exist: the host did not respond as it
 * should.
 */
export type CompanionState = 'present' | 'absent' | 'unknown';

/** The response to a GET request for a companion file, after redirects. */
interface CompanionResponse {
  /** The HTTP status; null without a response, as after a time-out. */
  status: number | null;
  /** The first bytes of the body. */
  head: Uint8Array;
}

/**
 * True if a companion file exists. Hosts respond to missing files with 404, 403 (S3 without permission to list), 410, or
 * with 200 and a web page.
 */
export function companionState({ status, head }: CompanionResponse): CompanionState {
  if (status === 404 || status === 403 || status === 410) return 'absent';
  if (status !== 200) return 'unknown';
  return kindOf(head) === 'html' ? 'absent' : 'present';
}

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

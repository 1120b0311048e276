import { existsSync, realpathSync } from 'node:fs';
import nodePath, { join } from 'node:path';
import type { OtherBase } from '../../core/facts/facts.ts';
import { parseUrl } from '../../core/url/url.ts';

/** Maps URLs of the workspace to local files. */

/** A workspace: a folder, and the address that its files are served at (null: no URL is local). */
export interface Workspace {
  /** Absolute. */
  root: string;
  /** File name of the manifest, relative to the root. */
  manifest: string;
  baseUrl: string | null;
}

/** The address with its trailing slash, normalized by `URL`. */
export function asBase(baseUrl: string): string {
  const href = parseUrl(baseUrl)?.href ?? baseUrl;
  return href.endsWith('/') ? href : `${href}/`;
}

/** A path that a URL and a file system write alike, and that stays below the root. */
const PLAIN_PATH = /^[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/;

/**
 * The path below the root, with forward slashes, of a URL under `base`; null if the URL is not local, or would lead out
 * of the root.
 * @param base from `asBase`
 */
export function localPath(url: string, base: string | null): string | null {
  const below = base === null ? null : belowBase(url, base);
  if (below === null) return null;
  if (PLAIN_PATH.test(below)) return below;
  const rest = below.replace(/[?#].*$/s, '');
  let path: string;
  try {
    path = rest.includes('%') ? decodeURIComponent(rest) : rest;
  } catch {
    return null;
  }
  // oxlint-disable-next-line no-control-regex
  if (path === '' || path.endsWith('/') || /[\\\u0000]|^[a-z]:|(^|\/)\.{0,2}(\/|$)/i.test(path)) return null;
  return path;
}

/** The part of a URL after the base, which the URL may write differently (capitals, a default port, IDN). */
function belowBase(url: string, base: string): string | null {
  if (url.startsWith(base)) return url.slice(base.length);
  // Parsing removes the segments that are never local.
  if (/[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i.test(url) || url.includes('\\')) return null;
  const href = parseUrl(url)?.href;
  return href?.startsWith(base) ? href.slice(base.length) : null;
}

/** True if a path, with links resolved, is below the root. Paths that do not exist are not resolved. */
export function staysInside(root: string, path: string): boolean {
  let real: string;
  try {
    real = realpathSync.native(join(root, path));
  } catch {
    return true;
  }
  return isWithin(realpathSync.native(root), real);
}

/**
 * True if `file` is `root` or below it; both absolute, with links resolved.
 * @param path `node:path` of the paths' system: on Windows, another drive is outside
 */
export function isWithin(root: string, file: string, path: nodePath.PlatformPath = nodePath): boolean {
  const fromRoot = path.relative(root, file);
  return fromRoot !== '..' && !fromRoot.startsWith(`..${path.sep}`) && !path.isAbsolute(fromRoot);
}

/** Number of URLs that a base URL is inferred from. */
const MAX_URLS = 20;

/**
 * The base URL that a registry's URLs appear to have: the one under which most of them name an existing file. For a
 * folder without a configuration. Null if none does.
 */
export function inferBase(
  urls: Iterable<string>,
  has: (path: string) => boolean,
  most: number = MAX_URLS,
): string | null {
  const votes = new Map<string, number>();
  let count = 0;
  for (const url of urls) {
    if (count++ === most) break;
    const base = possiblePlaces(url).find(({ path }) => has(path))?.base;
    if (base !== undefined) votes.set(base, (votes.get(base) ?? 0) + 1);
  }
  return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/** The bases that a URL may be below, shortest first, each with the path below it; files beside a manifest do not count. */
export function possiblePlaces(url: string): { base: string; path: string }[] {
  const [, origin, path] = /^(https?:\/\/[^/?#]+\/)([^?#]+)/.exec(url) ?? [];
  if (origin === undefined || path === undefined) return [];
  const steps = path.split('/');
  return steps.flatMap((_, skip) => {
    const before = steps.slice(0, skip).map((step) => `${step}/`);
    const base = origin + before.join('');
    const below = localPath(url, base);
    return below?.includes('/') === true ? [{ base, path: below }] : [];
  });
}

/** Number of URLs by which a base URL is found in place of a configured one. */
const MAX_OTHER_URLS = 1000;

/**
 * The base URL of the files of a workspace, if the URLs of its manifest show another one than the configured: they name
 * files of the workspace below the other one, and none below the configured one; or some do, and the two differ only in
 * the scheme, a port or `www.`. Null if the configured one fits, and for metadata files that are elsewhere.
 * @param urls of the metadata files
 */
export function otherBase(
  urls: readonly string[],
  configured: string,
  has: (path: string) => boolean,
): OtherBase | null {
  const base = asBase(configured);
  const isBelow = (url: string): boolean => {
    const path = localPath(url, base);
    return path !== null && has(path);
  };
  const fits = urls.some(isBelow);
  const foreign = fits ? urls.filter((url) => localPath(url, base) === null && isSimilar(url, base)) : urls;
  const shown = foreign.length === 0 ? null : inferBase(foreign, has, MAX_OTHER_URLS);
  if (shown === null || shown === base || (fits && similarPart(shown) !== similarPart(base))) return null;
  const apps = foreign.filter((url) => localPath(url, shown) !== null).length;
  return { configured, shown, apps, isPart: fits };
}

/** Where the files of a workspace on disk are. */
export interface WorkspacePlaces {
  /** The base URL below which they are listed; null if there is none. */
  base: string | null;
  /** Set if that is not the configured one, or not for all apps. */
  other: OtherBase | null;
  /** The path of a metadata file; null if it is not in the workspace. */
  pathOf(url: string): string | null;
}

/** @param urls of the metadata files in the manifest */
export function openPlaces(
  { root, baseUrl }: Pick<Workspace, 'root' | 'baseUrl'>,
  urls: readonly string[],
): WorkspacePlaces {
  const other = baseUrl === null ? null : otherBase(urls, baseUrl, (path) => existsSync(join(root, path)));
  const configured = baseUrl === null ? null : asBase(baseUrl);
  const base = other?.isPart === false ? other.shown : configured;
  return { base, other, pathOf: (url) => localPath(url, base) ?? localPath(url, other?.shown ?? null) };
}

/** A URL without what is easily mistaken in it. */
function similarPart(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?([^/:]+)(?::\d+)?/i, (_, host: string) => host.toLowerCase());
}

function isSimilar(url: string, base: string): boolean {
  return similarPart(url).startsWith(similarPart(base));
}

/** For a workspace with a store other than its folder: true if the folder has no manifest because it is in the store. */
export function isStored(root: string, folder: string, manifest: string): boolean {
  return folder === root && !existsSync(join(folder, manifest));
}

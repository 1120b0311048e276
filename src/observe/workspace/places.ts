import { existsSync, realpathSync } from 'node:fs';
import nodePath, { join } from 'node:path';
import { parseUrl } from '../../core/http/url.ts';

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
 * Whether `file` is `root` or below it; both absolute, with links resolved.
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
export function inferBase(urls: Iterable<string>, has: (path: string) => boolean): string | null {
  const votes = new Map<string, number>();
  let count = 0;
  for (const url of urls) {
    if (count++ === MAX_URLS) break;
    const [, origin, path] = /^(https?:\/\/[^/?#]+\/)([^?#]+)/.exec(url) ?? [];
    if (origin === undefined || path === undefined) continue;
    const steps = path.split('/');
    for (let skip = 0; skip < steps.length; skip++) {
      const base =
        origin +
        steps
          .slice(0, skip)
          .map((step) => `${step}/`)
          .join('');
      const path = localPath(url, base);
      if (path === null || !path.includes('/') || !has(path)) continue;
      votes.set(base, (votes.get(base) ?? 0) + 1);
      break;
    }
  }
  return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/** For a workspace with a store other than its folder: true if the folder has no manifest because it is in the store. */
export function isStored(root: string, folder: string, manifest: string): boolean {
  return folder === root && !existsSync(join(folder, manifest));
}

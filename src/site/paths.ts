import { createHash } from 'node:crypto';

export interface SiteRegistry {
  /** The URL of its manifest, without secrets. */
  url: string;
  /** As the pages name it. */
  title: string;
  /** The address that the site is served at, with a trailing slash; null if it is not known. */
  base: string | null;
}

// The paths of the files of a site.

export const LIST_PAGE = 'index.html';
export const REGISTRY_FEED = 'feed.xml';
export const STYLE = 'assets/site.css';
export const SCRIPT = 'assets/site.js';
export const SITE_ICON = 'assets/site.svg';

/** The files of an app, relative to the site. */
export interface AppPaths {
  page: string;
  feed: string;
  badge: string;
}

/** Characters of a name; file systems allow 255 with the suffix. */
const LONGEST_NAME = 150;

/** Names that Windows reserves, with any suffix. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * The paths of an app's files. They depend on its key alone, so that links to them stay valid, and differ also on file
 * systems that ignore case: `feedWatch` is `feed~watch`, as in the paths of Go's module proxy. `~` is not part of keys.
 * @param key a URL-safe key
 */
export function appPaths(key: string): AppPaths {
  const name = `apps/${fileName(key)}`;
  return { page: `${name}.html`, feed: `${name}.xml`, badge: `${name}.badge.json` };
}

function fileName(key: string): string {
  const name = key.replace(/[A-Z]/g, (letter) => `~${letter.toLowerCase()}`);
  if (name.length > LONGEST_NAME)
    return `${name.slice(0, LONGEST_NAME)}~~${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
  return RESERVED.test(name) ? `${name}~` : name;
}

const SITE_PATH =
  /^(?:index\.html|feed\.xml|assets\/site\.(?:css|js|svg)|apps\/[a-z0-9_~-]{1,170}\.(?:html|xml|badge\.json))$/;

/** True for a path that a file of a site can have; never for one that leads out of the folder. */
export function isSitePath(path: string): boolean {
  return SITE_PATH.test(path);
}

/**
 * A reference from a page to another URL of the same origin, which stays valid where the files are moved together.
 * @param from the URL of the page
 * @returns the URL itself if it is of another origin
 */
export function referenceTo(url: URL, from: URL): string {
  if (url.origin !== from.origin) return url.href;
  const [target, base] = [url.pathname.split('/'), from.pathname.split('/').slice(0, -1)];
  let common = 0;
  while (common < base.length && common < target.length - 1 && base[common] === target[common]) common += 1;
  const path = [...base.slice(common).map(() => '..'), ...target.slice(common)].join('/');
  // A colon in the first segment would make it a scheme.
  return `${path.startsWith('..') ? '' : './'}${path}${url.search}${url.hash}`;
}

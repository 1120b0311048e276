import { join } from 'node:path';
import { documentContent, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { parseUrl } from '../../core/url/url.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

/**
 * The source of a package that is not from a registry: a commit, as in SPDX (`git+https://host/repository.git@commit`), or
 * a file; empty for a local file or folder.
 */
export type Origin = { vcsUrl: string } | { downloadUrl: string } | Record<string, never>;

const LOCAL: Origin = {};

/**
 * Reads where packages are from, as the package manager recorded it: in its names of folders (pnpm, Yarn's Plug'n'Play), or
 * in a file of node_modules (npm, Yarn). A package without such a record counts as one from the registry.
 * @returns a function from the folder of a package, absolute, to its origin; null for the registry
 */
export function openOrigins(): (folder: string) => Origin | null {
  const records = new Map<string, ReadonlyMap<string, Origin | null>>();
  return (folder) => {
    const path = folder.replaceAll('\\', '/');
    const byName = originInName(path);
    if (byName !== undefined) return byName;
    const start = path.indexOf('/node_modules/');
    if (start === -1) return null;
    const root = path.slice(0, start);
    const record = records.get(root) ?? recordedIn(root);
    records.set(root, record);
    return record.get(path.slice(start + 1)) ?? null;
  };
}

/** Folders of pnpm: `<name>@<version or address>`, with + for slashes. */
const IN_PNPM = /\/node_modules\/\.pnpm\/(?:@[^/+]+\+)?[^/@]+@([^/]+)\/node_modules\//;
/** Folders of pnpm's global store: `links/<scope or @>/<name>/<version or address>/<hash>`. */
const IN_GLOBAL_STORE = /\/links\/@[^/]*\/[^/]+\/([^/]+)\/[^/]+\/node_modules\//;
/** Folders and archives of Yarn: `<name>-<protocol>-<more>`. */
const IN_YARN =
  /\/(?:unplugged\/|\.store\/)?([^/]+?)(?:\.zip\/node_modules\/|(?<=unplugged\/[^/]+)\/node_modules\/)(.+)$/;

/** Undefined if the folder does not say where the package is from. */
function originInName(path: string): Origin | null | undefined {
  const [, stored] = IN_PNPM.exec(path) ?? IN_GLOBAL_STORE.exec(path) ?? [];
  if (stored !== undefined)
    return /^\d/.test(stored) ? null : originOfAddress(stored.replace('+++', '://').replaceAll('+', '/'));
  const [, slug, name] = IN_YARN.exec(path) ?? [];
  if (slug === undefined || name === undefined) return undefined;
  const protocol = slug.slice(name.replace('/', '-').length + 1);
  return /^(?:npm|virtual|patch)-/.test(protocol) ? null : LOCAL;
}

/** The origins that npm or Yarn recorded for an installation, by the paths of packages relative to it. */
function recordedIn(root: string): ReadonlyMap<string, Origin | null> {
  for (const name of ['node_modules/.package-lock.json', 'package-lock.json']) {
    const read = readRegularFile(join(root, name));
    if ('bytes' in read) return inPackageLock(parseDocument(documentContent(read.bytes)).value);
  }
  const read = readRegularFile(join(root, 'node_modules/.yarn-state.yml'));
  return 'bytes' in read ? inYarnState(read.bytes.toString()) : new Map();
}

function inPackageLock(lock: JsonValue | undefined): Map<string, Origin | null> {
  const found = new Map<string, Origin | null>();
  for (const [path, entry] of Object.entries(member(lock, 'packages') ?? {})) {
    const resolved = member(entry, 'resolved');
    if (typeof resolved === 'string') found.set(path, originOfAddress(resolved));
  }
  return found;
}

/** The state of Yarn's node_modules: a YAML file of its own form, with the locations of each package below its locator. */
function inYarnState(text: string): Map<string, Origin | null> {
  const found = new Map<string, Origin | null>();
  let origin: Origin | null = null;
  for (const line of text.split('\n')) {
    const [, reference] = /^"@?[^"@]+@([^"]+)":$/.exec(line) ?? [];
    if (reference !== undefined) origin = originOfLocator(reference);
    const [, location] = /^ {4}- "([^"]+)"$/.exec(line) ?? [];
    if (location !== undefined) found.set(location, origin);
  }
  return found;
}

/** @param reference such as `npm:1.0.0`, `virtual:0a1b#npm:1.0.0` and `https://github.com/a/b.git#commit=0a1b` */
function originOfLocator(reference: string): Origin | null {
  const plain = reference.replace(/^virtual:[^#]*#/, '');
  if (/^(?:npm|patch):/.test(plain)) return null;
  const [address = '', commit] = plain.split('#commit=');
  return originOfAddress(commit === undefined ? plain : `git+${address.replace(/^git\+/, '')}#${commit}`);
}

/** The address of a tarball in a registry, also in one with another path. */
const IN_REGISTRY = /\/-\/[^/]+\.tgz$|^https:\/\/npm\.pkg\.github\.com\/download\//;
/** The tarball that GitHub makes of a commit. */
const GITHUB_TARBALL = /^https:\/\/codeload\.github\.com\/([^/]+)\/([^/]+)\/tar\.gz\/([\da-f]{40})/;
/** A repository: `git+https://…#<commit>`, `git+ssh://…#<commit>`, `git@host:…#<commit>`. */
const REPOSITORY = /^(?:git\+)?(?:(https?|ssh|git):\/\/)?(?:[^/@]*@)?([^/:#]+)(?::(\d+)(?=\/))?[/:]([^#]+)#(.+)$/;
/** Hosts whose repositories have the same address with https and ssh. */
const PUBLIC_HOSTS = ['github.com', 'gitlab.com', 'bitbucket.org'];

/** The origin that an address in a lock file names; null for the registry. User names and passwords are left out. */
function originOfAddress(address: string): Origin | null {
  if (IN_REGISTRY.test(address.replace(/[?#].*$/, ''))) return null;
  const [, owner, name, sha] = GITHUB_TARBALL.exec(address) ?? [];
  if (owner !== undefined) return { vcsUrl: `git+https://github.com/${owner}/${name}.git@${sha}` };
  if (/^git(?:\+|:|@)/.test(address)) {
    const [, scheme = 'ssh', host = '', port, path = '', commit = ''] = REPOSITORY.exec(address) ?? [];
    if (host === '') return LOCAL;
    const isPublic = PUBLIC_HOSTS.includes(host);
    const end = isPublic ? `${path.replace(/\.git$/, '')}.git` : path;
    return {
      vcsUrl: `git+${isPublic ? 'https' : scheme}://${host}${port === undefined ? '' : `:${port}`}/${end}@${commit}`,
    };
  }
  const url = /^https?:/.test(address) ? parseUrl(address) : null;
  return url === null ? LOCAL : { downloadUrl: `${url.origin}${url.pathname}` };
}

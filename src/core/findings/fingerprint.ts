import type { Finding } from './report.ts';
import { redact } from '../text/text.ts';
import { parseUrl } from '../url/url.ts';

/** The registry that findings are about: what their fingerprints do not take from the names that are shown. */
export interface RegistryPlace {
  /** The URL of the manifest if it is known, otherwise the path of the manifest from the root of its repository. */
  identity: string;
  /** The folder of the manifest, absolute, with forward slashes; null for a registry that is not in a folder. */
  folder: string | null;
  /** The folder that the shown names of files are relative to, as `folder`. */
  shownFrom: string | null;
}

/** The place of a registry by its URL, or by another name if it has none. */
export function registryAt(target: string): RegistryPlace {
  return { identity: withoutCredentials(target), folder: null, shownFrom: null };
}

/** The URL of a manifest, as its identity: without what differs from one request to the next. */
function withoutCredentials(target: string): string {
  const url = parseUrl(target);
  if (url === null) return target;
  url.search = '';
  url.hash = '';
  url.username = '';
  url.password = '';
  return redact(url.href);
}

/**
 * The findings with their fingerprints: 16 hexadecimal digits, unique within a report. They stay the same if lines move,
 * other findings are added or removed, URLs are signed again, or the registry is checked from another folder.
 */
export function withFingerprints(findings: readonly Finding[], registry: RegistryPlace): Finding[] {
  const occurrences = new Map<string, number>();
  return findings.map((finding) => {
    const identity = identityOf(finding, registry);
    const count = occurrences.get(identity) ?? 0;
    occurrences.set(identity, count + 1);
    return {
      ...finding,
      registry: registry.identity,
      fingerprint: fnv1a(count === 0 ? identity : `${identity}\n${count}`),
    };
  });
}

/** Excludes the message, which quotes variable values, and indices, which change when a version is prepended. */
function identityOf(finding: Finding, registry: RegistryPlace): string {
  const { rule, cause, resource, app, version, pointer } = finding;
  const field = pointer?.replace(/\/\d+(?=\/|$)/g, '/*') ?? null;
  return JSON.stringify([registry.identity, rule, cause, resource, app, version, placeOf(finding, registry), field]);
}

/** The path of a file or URL, relative to the folder of the manifest. */
function placeOf({ file, url }: Pick<Finding, 'file' | 'url'>, registry: RegistryPlace): string | null {
  if (file !== null) return pathFrom(registry, file);
  if (url === null) return null;
  const plain = url.replace(/[?#].*$/s, '');
  const base = registry.identity.replace(/[^/]*$/, '');
  return /^https?:/.test(base) && plain.startsWith(base) ? plain.slice(base.length) : plain;
}

const ABSOLUTE = /^(?:[a-z]:)?\//i;

function pathFrom({ folder, shownFrom }: RegistryPlace, file: string): string {
  const path = file.replaceAll('\\', '/');
  // A file that is not of the registry, such as the configuration of the check.
  if (folder === null) return path.slice(path.lastIndexOf('/') + 1);
  const to = segments(ABSOLUTE.test(path) ? path : `${shownFrom ?? folder}/${path}`);
  const from = segments(folder);
  const shared = from.findIndex((segment, index) => segment !== to[index]);
  const common = shared === -1 ? from.length : shared;
  return [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/');
}

/** The names of a path, with `..` resolved. */
function segments(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split('/'))
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  return names;
}

/**
 * FNV-1a of the UTF-8 bytes, 64 bits in two halves. Not cryptographic: forging one only hides the forger's own finding.
 */
export function fnv1a(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    // Times the prime 2^40 + 0x1b3.
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}

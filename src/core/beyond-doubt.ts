import { EMPTY_SHA256, isChecksum } from './checksum.ts';
import type { VersionEntry } from './rule.ts';
import { isUsualUrl } from './url.ts';

/**
 * A screen in front of the rules: tells the entries that none of them could say anything about. Of a million versions
 * nearly all are such. It judges nothing: whoever does not pass is judged by the rules, and tests hold each of them to
 * silence about whoever does.
 */

/** Neither extreme nor anything but MAJOR.MINOR.PATCH. */
const VERSION = /^(?:0|[1-9]\d{0,7})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})$/;
const ARCHIVE = /\.(?:tar\.gz|tgz)$/;
/** Words of addresses whose bytes may move: branches, latest builds, archives that a host makes anew. */
const MOVING = /arch|ball|latest|night|snap|current|edge|canary|raw|blob|refs|jobs|git|bitbucket|jsdelivr/i;

/** What comes before the last slash of a URL is mostly that of the one before. */
let lastFolder = '';

function isUrlBeyondDoubt(url: string): boolean {
  const folder = url.slice(0, url.lastIndexOf('/') + 1);
  if (!ARCHIVE.test(url) || MOVING.test(folder === lastFolder ? url.slice(folder.length) : url)) return false;
  if (!isUsualUrl(url)) return false;
  lastFolder = folder;
  return true;
}

/** A digest that is no filler and not that of an empty file. */
function isChecksumBeyondDoubt(checksum: string): boolean {
  if (!isChecksum(checksum) || checksum.endsWith(EMPTY_SHA256)) return false;
  // Fillers repeat a part of up to eight digits.
  return checksum.slice(7, 15) !== checksum.slice(15, 23) && !checksum.startsWith('sha256:0123456789abcdef');
}

/** True where every entry is whole and usual, and shares nothing with another one. */
export function areBeyondDoubt(entries: readonly VersionEntry[]): boolean {
  const versions = new Set<string>();
  const urls = new Set<string>();
  const checksums = new Set<string>();
  for (const { version, artifactUrl, artifactChecksum } of entries) {
    if (version === null || artifactUrl === null || artifactChecksum === null) return false;
    if (!VERSION.test(version) || !isChecksumBeyondDoubt(artifactChecksum) || !isUrlBeyondDoubt(artifactUrl))
      return false;
    versions.add(version);
    urls.add(artifactUrl);
    checksums.add(artifactChecksum);
  }
  const { length } = entries;
  return length > 0 && versions.size === length && urls.size === length && checksums.size === length;
}

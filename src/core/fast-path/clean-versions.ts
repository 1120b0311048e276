import { EMPTY_SHA256 } from '../registry/checksum.ts';
import type { DocumentContent } from '../facts/facts.ts';
import { parseDocument, type CanonicalVersion, canonicalVersions } from '../json/json.ts';

/**
 * A screen in front of the rules: tells the versions that none of them could say anything about. Of a million versions
 * nearly all are such. It judges nothing: whoever does not pass is judged by the rules, and tests hold each of them to
 * silence about whoever does.
 */

/** Words of addresses whose bytes may move: branches, latest builds, archives that a host makes anew. */
const MOVING = /arch|ball|latest|night|snap|current|edge|canary|raw|blob|refs|jobs|git|bitbucket|jsdelivr/i;
const DIGITS = 'sha256:'.length;
const SEQUENCE = 'sha256:0123456789abcdef';
/** So few are compared one with another; of more a set is made. */
const FEW = 16;
const SUFFIX = '.tar.gz'.length;
const urlHashes = new Int32Array(FEW);
const checksumHashes = new Int32Array(FEW);

/** What comes before the last slash of a URL is mostly that of the one before. */
let lastFolder = '';

function mayMove(url: string): boolean {
  const isLike = lastFolder !== '' && url.startsWith(lastFolder) && !url.includes('/', lastFolder.length);
  if (MOVING.test(isLike ? url.slice(lastFolder.length) : url)) return true;
  if (!isLike) lastFolder = url.slice(0, url.lastIndexOf('/') + 1);
  return false;
}

/** Fillers repeat a part of up to eight digits, or count; and an empty file has the digest of nothing. */
function isFiller(checksum: string): boolean {
  const first = checksum.charCodeAt(DIGITS);
  if (
    first === checksum.charCodeAt(DIGITS + 8) &&
    checksum.slice(DIGITS, DIGITS + 8) === checksum.slice(DIGITS + 8, DIGITS + 16)
  )
    return true;
  return checksum.startsWith(SEQUENCE) || checksum.endsWith(EMPTY_SHA256);
}

/** Of a text's last characters before a suffix; equal texts have equal ones. */
function hashOf(text: string, end: number): number {
  let hash = text.length;
  for (let i = Math.max(0, end - 12); i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** True where no two have a version, URL or checksum in common. Numbers are compared first: texts only where those are equal. */
function areDistinct(versions: readonly CanonicalVersion[], ranks: readonly number[]): boolean {
  const count = versions.length;
  if (count > FEW)
    return (
      new Set(ranks).size === count &&
      new Set(versions.map(({ artifactUrl }) => artifactUrl)).size === count &&
      new Set(versions.map(({ artifactChecksum }) => artifactChecksum)).size === count
    );
  for (let i = 0; i < count; i++) {
    const { artifactUrl, artifactChecksum } = versions[i]!;
    urlHashes[i] = hashOf(artifactUrl, artifactUrl.length - SUFFIX);
    checksumHashes[i] = hashOf(artifactChecksum, DIGITS + 8);
    for (let j = 0; j < i; j++) {
      if (ranks[i] === ranks[j]) return false;
      if (urlHashes[i] === urlHashes[j] && artifactUrl === versions[j]!.artifactUrl) return false;
      if (checksumHashes[i] === checksumHashes[j] && artifactChecksum === versions[j]!.artifactChecksum) return false;
    }
  }
  return true;
}

/** Three short numbers as one, in the order of versions. */
function rankOf(version: string): number {
  let rank = 0;
  let part = 0;
  for (let i = 0; i < version.length; i++) {
    const c = version.charCodeAt(i);
    if (c === 46) {
      rank = (rank + part) * 100_000;
      part = 0;
    } else part = part * 10 + c - 48;
  }
  return rank + part;
}

/** The latest of versions that are all of the usual form and share nothing with one another; null where that is in doubt. */
export function latestIfClean(content: DocumentContent): string | null {
  const versions = canonicalVersions(parseDocument(content));
  if (versions === null) return null;
  let highest = -1;
  let latest: string | null = null;
  const ranks: number[] = [];
  for (let i = 0; i < versions.length; i++) {
    const { version, artifactUrl, artifactChecksum } = versions[i]!;
    if (isFiller(artifactChecksum) || mayMove(artifactUrl)) return null;
    const rank = rankOf(version);
    if (rank > highest) {
      highest = rank;
      latest = version;
    }
    ranks.push(rank);
  }
  return areDistinct(versions, ranks) ? latest : null;
}

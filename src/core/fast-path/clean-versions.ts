import { EMPTY_SHA256 } from '../registry/checksum.ts';
import type { DocumentContent } from '../facts/facts.ts';
import { parseDocument, type CanonicalVersion, canonicalVersions } from '../json/json.ts';

/**
 * Filters out the versions that no rule could report, which is nearly all of a million versions. It reports nothing:
 * versions that do not pass are judged by the rules, and tests verify that no rule reports a version that passes.
 */

/** Words in URLs whose content may change: branches, latest builds, archives that a host regenerates. */
const MOVING = /arch|ball|latest|night|snap|current|edge|canary|raw|blob|refs|jobs|git|bitbucket|jsdelivr/i;
const DIGITS = 'sha256:'.length;
const SEQUENCE = 'sha256:0123456789abcdef';
/** Up to this number of versions are compared pairwise; for more a set is built. */
const FEW = 16;
const SUFFIX = '.tar.gz'.length;
const urlHashes = new Int32Array(FEW);
const checksumHashes = new Int32Array(FEW);

/** The part before the last slash is usually the same as in the previous URL. */
let lastFolder = '';

function mayMove(url: string): boolean {
  const isLike = lastFolder !== '' && url.startsWith(lastFolder) && !url.includes('/', lastFolder.length);
  if (MOVING.test(isLike ? url.slice(lastFolder.length) : url)) return true;
  if (!isLike) lastFolder = url.slice(0, url.lastIndexOf('/') + 1);
  return false;
}

/** Fillers repeat a group of up to eight digits, or count; an empty file has the digest of no bytes. */
function isFiller(checksum: string): boolean {
  const first = checksum.charCodeAt(DIGITS);
  if (
    first === checksum.charCodeAt(DIGITS + 8) &&
    checksum.slice(DIGITS, DIGITS + 8) === checksum.slice(DIGITS + 8, DIGITS + 16)
  )
    return true;
  return checksum.startsWith(SEQUENCE) || checksum.endsWith(EMPTY_SHA256);
}

/** A hash of a text's last characters before a suffix; equal texts have equal hashes. */
function hashOf(text: string, end: number): number {
  let hash = text.length;
  for (let i = Math.max(0, end - 12); i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * True if no two have a version, URL or checksum in common. Numbers are compared first, texts only if those are equal.
 */
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

/** Three short numbers as one, in version order. */
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

/** The latest of versions that are all canonical and share nothing with one another; null if that is uncertain. */
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

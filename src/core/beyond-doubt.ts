import { EMPTY_SHA256 } from './checksum.ts';
import type { DocumentContent } from './facts.ts';
import { readingOf } from './json.ts';
import type { VersionEntry } from './rule.ts';

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

function areDistinct(texts: readonly unknown[]): boolean {
  if (texts.length > FEW) return new Set(texts).size === texts.length;
  for (let i = 1; i < texts.length; i++) for (let j = 0; j < i; j++) if (texts[i] === texts[j]) return false;
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
export function latestBeyondDoubt(content: DocumentContent, entries: readonly VersionEntry[]): string | null {
  const { value, doubtful } = readingOf(content);
  if (value === doubtful || entries.length === 0) return null;
  let highest = -1;
  let latest: string | null = null;
  const ranks: number[] = [];
  const urls: string[] = [];
  const checksums: string[] = [];
  for (const { version, artifactUrl, artifactChecksum } of entries) {
    if (version === null || artifactUrl === null || artifactChecksum === null) return null;
    if (isFiller(artifactChecksum) || mayMove(artifactUrl)) return null;
    const rank = rankOf(version);
    if (rank > highest) [highest, latest] = [rank, version];
    ranks.push(rank);
    urls.push(artifactUrl);
    checksums.push(artifactChecksum);
  }
  return areDistinct(ranks) && areDistinct(urls) && areDistinct(checksums) ? latest : null;
}

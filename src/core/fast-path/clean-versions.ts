import { placeholderOf } from '../registry/checksum.ts';
import type { DocumentContent } from '../facts/facts.ts';
import { urlBeginsWith } from '../http/url.ts';
import { MAY_CHANGE } from '../rules/urls/changing-part/changing-part.ts';
import { type CanonicalVersion, canonicalVersions } from '../json/json.ts';

/**
 * Filters out the versions that no rule could report (nearly all, in a large registry). It reports nothing:
 * versions that do not pass are judged by the rules, and tests verify that no rule reports a version that passes.
 */

const DIGITS = 'sha256:'.length;
/** Up to this number of texts are compared pairwise; for more a set is built. */
const FEW = 16;
/** The number of characters at the end of a text that its hash is made from. */
const HASHED = '-10.20.30.tar.gz'.length;

/** File names that consist of a version contain none of the words of `MAY_CHANGE`, which takes longer. */
const VERSION_ONLY = /^[\d.]+t(?:ar\.)?gz$/;

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

/** The versions of an app, and the latest of them. */
export interface CleanVersions {
  versions: readonly CanonicalVersion[];
  latest: string | null;
}

/** Recognizes clean versions in one run. */
export interface VersionRecognizer {
  /**
   * The versions if all are canonical and share nothing with one another; null if that is uncertain.
   * @param count the expected number of versions
   */
  recognize(content: DocumentContent, count?: number): CleanVersions | null;
  /** The indexes of the versions that a rule could report; null if that is uncertain for any. */
  others(content: DocumentContent): ReadonlySet<number> | null;
}

/** Creates a recognizer for one run. */
export function openVersionRecognizer(): VersionRecognizer {
  /** The part before the last slash is usually the same as in the previous URL. */
  let lastFolder = '';

  function mayChange(url: string): boolean {
    const hasLastFolder = lastFolder !== '' && urlBeginsWith(url, lastFolder) && !url.includes('/', lastFolder.length);
    const part = hasLastFolder ? url.slice(lastFolder.length) : url;
    if (!VERSION_ONLY.test(part) && MAY_CHANGE.test(part)) return true;
    if (!hasLastFolder) lastFolder = url.slice(0, url.lastIndexOf('/') + 1);
    return false;
  }

  /** True if a rule could report the URL or the checksum by itself. */
  function isOther(url: string, checksum: string): boolean {
    return placeholderOf(checksum.slice(DIGITS)) !== null || mayChange(url);
  }

  return {
    recognize(content, count) {
      const versions = canonicalVersions(content);
      if (versions === null || (count !== undefined && versions.length !== count)) return null;
      let highest = -1;
      let latest: string | null = null;
      for (const { version, artifactUrl, artifactChecksum } of versions) {
        if (isOther(artifactUrl, artifactChecksum)) return null;
        const rank = rankOf(version);
        if (rank <= highest) continue;
        highest = rank;
        latest = version;
      }
      return areDistinct(versions) ? { versions, latest } : null;
    },
    others(content) {
      const versions = canonicalVersions(content);
      if (versions === null || !areDistinct(versions)) return null;
      const found = new Set<number>();
      for (const [index, { artifactUrl, artifactChecksum }] of versions.entries())
        if (isOther(artifactUrl, artifactChecksum)) found.add(index);
      return found;
    },
  };
}

/**
 * True if no two have a version, URL or checksum in common. Few are compared pairwise, and as texts only if their ends
 * have the same hash.
 */
function areDistinct(versions: readonly CanonicalVersion[]): boolean {
  const count = versions.length;
  if (count > FEW)
    return (
      new Set(versions.map(({ version }) => version)).size === count &&
      new Set(versions.map(({ artifactUrl }) => artifactUrl)).size === count &&
      new Set(versions.map(({ artifactChecksum }) => artifactChecksum)).size === count
    );
  for (let i = 0; i < count; i++) {
    const { version, artifactUrl, artifactChecksum } = versions[i]!;
    versionHashes[i] = hashOfEnd(version);
    urlHashes[i] = hashOfEnd(artifactUrl);
    checksumHashes[i] = hashOfEnd(artifactChecksum);
    for (let j = 0; j < i; j++) {
      if (versionHashes[j] === versionHashes[i] && versions[j]!.version === version) return false;
      if (urlHashes[j] === urlHashes[i] && versions[j]!.artifactUrl === artifactUrl) return false;
      if (checksumHashes[j] === checksumHashes[i] && versions[j]!.artifactChecksum === artifactChecksum) return false;
    }
  }
  return true;
}

const versionHashes = new Int32Array(FEW);
const urlHashes = new Int32Array(FEW);
const checksumHashes = new Int32Array(FEW);

/** A number that is equal for equal texts. The URLs of an app differ before their suffix. */
function hashOfEnd(text: string): number {
  let hash = text.length;
  for (let i = Math.max(0, text.length - HASHED); i < text.length; i++)
    hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** What parts of a URL say about the bytes behind it: fixed versions, Git refs, and words for what changes. */

/**
 * A version of three numbers that is not a Maven snapshot, a date, a digest or commit, a UUID, or a segment that is a
 * version of two numbers.
 */
const FIXED = new RegExp(
  [
    String.raw`(?<![\d.])\d+\.\d+\.\d+(?!\d)(?![\d.]*-SNAPSHOT)`,
    String.raw`(?<!\d)(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?!\d)`,
    String.raw`(?<![0-9a-z])[0-9a-f]{32,128}(?![0-9a-z])`,
    String.raw`(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])`,
    String.raw`(?:^|/)v?\d+\.\d+(?:/|$)`,
    String.raw`(?:^|/)(?=[a-f]*\d)[0-9a-f]{7,31}(?:/|$)`,
    // A version of two numbers at the end of a file name, if it is not that of a system or runtime.
    String.raw`(?<!(?:ubuntu|debian|macos|darwin|alpine|python|node|go|glibc|el|java|php))[-_@]v?\d+\.\d+(?=\.(?:tar\.gz|tgz)(?:/|$))`,
  ].join('|'),
  'i',
);

/** True if a part of a path names one version, date, commit or digest. */
export function namesFixedVersion(path: string): boolean {
  return FIXED.test(path);
}

const TAG = /(?:^|[-_@/])v?\d+\.\d+(?:[-+.][0-9a-z.+-]*)?$|[-_@v]\d+\.\d+\.\d+/i;
// Git stores a ref as a file, and names of files have 255 bytes at most.
const LONGEST_REF = 255;
const MOVING_SERIES = /\.x\b|[-.](?:x|stable|maint|maintenance|lts|branch|dev|latest|nightly|snapshot)$/i;

/** A commit, or a tag that looks like a version: as immutable as a Git ref can be. */
export function isFixedRef(ref: string): boolean {
  if (ref.startsWith('refs/tags/')) return !isChannel(ref.slice('refs/tags/'.length));
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref) || /^(?=[a-f]*\d)[0-9a-f]{7,39}$/.test(ref)) return true;
  return ref.length <= LONGEST_REF && TAG.test(ref) && !MOVING_SERIES.test(ref);
}

/** Words for the newest of several builds. */
const CHANNELS =
  'latest|nightly|snapshots?|current|edge|canary|stable|unstable|rolling|tip|daily|weekly|continuous|bleeding-edge';
const CHANNEL = new RegExp(`^(?:${CHANNELS})$`, 'i');
const MOVING_TAG = new RegExp(
  String.raw`(?:^|[-_./@])(?:${CHANNELS}|next|beta|alpha|dev|rc|preview|experimental|main|master|trunk|head)$`,
  'i',
);

/** True for a word that names the newest of several builds, as the whole segment of a path. */
export function isChannel(segment: string): boolean {
  return CHANNEL.test(segment);
}

/** True for the tag of a release or package that is set again for each build. */
export function isMovingTag(tag: string): boolean {
  return MOVING_TAG.test(tag) && !namesFixedVersion(tag);
}

const BRANCH = /^(?:refs\/heads\/.+|main|master|develop|development|dev|trunk|default|head|tip|staging)$/i;

/** True for a Git ref that is a branch by its form, or by a usual name. */
export function isBranch(ref: string): boolean {
  return BRANCH.test(ref);
}

/** True for a semantic version in full; false for a range of versions (`1`, `^1.2`) and a tag (`latest`). */
export function isExactVersion(text: string): boolean {
  return /^[v=]?\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?$/i.test(text);
}

/** True for a range of versions, such as `1`, `1.2`, `^1.2.0`, `1.x` or `*`. */
export function isVersionRange(text: string): boolean {
  if (isExactVersion(text)) return false;
  return (
    /^[~^<>*]/.test(text) || /^v?\d{1,5}(?:\.(?:\d{1,5}|[x*])){0,2}$/i.test(text) || /^x$|\|\||\d - \d/i.test(text)
  );
}

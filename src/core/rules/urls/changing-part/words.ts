/** Parts of a URL that tell about the bytes behind it: fixed versions, Git refs, and words for what changes. */

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

/** Where hosts of code and packages have a Git ref, a tag or a version in their URLs. */

/** Effect of a place on the bytes. */
type PlaceKind =
  /** The host generates the archive. */
  | 'archive'
  /** The host redirects to the newest release or build, whatever follows. */
  | 'newest'
  /** Of any Git ref. */
  | 'ref'
  /** Of a branch. */
  | 'branch'
  /** Of a ref in the query; without one, of the default branch. */
  | 'query-ref'
  /** The tag of a release. */
  | 'tag'
  /** A package, and its version or a range; without one, the newest. */
  | 'package'
  /** A repository, and a ref or a range of versions; without one, the newest. */
  | 'repository'
  /** Of a commit, a job or a tag in full. */
  | 'fixed';

export interface Place {
  kind: PlaceKind;
  host?: RegExp;
  /** Groups: `part` is quoted, `ref` is judged, and `rest` follows it. */
  path: RegExp;
}

const GITHUB = /^(?:www\.)?github\.com$/;
const RAW_GITHUB = /^(?:raw\.githubusercontent\.com|raw\.github\.com|raw(?:cdn)?\.githack\.com|(?:cdn\.)?rawgit\.com)$/;
const GIST = /^gist\.(?:githubusercontent|github)\.com$/;
const BITBUCKET = /^bitbucket\.org$/;
const SOURCEHUT = /^(?:git|hg)\.sr\.ht$/;
/** Hosts that are Gitea, Forgejo or similar by their name. */
const FORGE = /(?:^|[.-])(?:git|gitea|forgejo|gogs|gitee|codeberg|notabug)(?:[.-]|$)/;
const JSDELIVR = /^(?:cdn|fastly|gcore|testingcf|originfastly|quantil)\.jsdelivr\.net$/;
const NPM_CDN = /^(?:(?:www\.)?unpkg\.com|npmcdn\.com|esm\.(?:sh|run)|cdn\.esm\.sh|cdn\.skypack\.dev)$/;

const ANY_REF = '(?<part>(?<ref>refs/tags/[^/]+|[^/]+))/(?<rest>.+)$';
const BRANCH_REF = '(?<part>refs/heads/[^/]+)/(?<rest>.+)$';
const NPM_NAME = '(?:@[^/@]+/)?[^/@]+';

const place = (kind: PlaceKind, path: string, host?: RegExp): Place => ({
  kind,
  path: new RegExp(path),
  ...(host ? { host } : {}),
});

/** The first that matches decides. */
export const PLACES: readonly Place[] = [
  // Releases, of GitHub, Gitea, Forgejo, GitLab and SourceForge.
  place('newest', '^/[^/]+/[^/]+/(?<part>releases/latest/download)/'),
  place('newest', '/-/(?<part>releases/permalink/latest)/'),
  place('newest', '/releases/permalink/(?<part>latest)/', /./),
  place('newest', '/(?<part>(?:files/)?latest/download)$', /(?:^|\.)sourceforge\.net$/),
  place('tag', '^/[^/]+/[^/]+(?:/[^/]+)*?/releases/download/(?<part>(?<ref>.+))/(?<rest>[^/]+)$'),
  place('tag', '/-/releases/(?<part>(?<ref>[^/]+))/downloads/(?<rest>.+)$'),
  // Builds of a branch.
  place('newest', '/-/(?<part>jobs/artifacts/(?:refs/heads/)?[^/]+)/'),
  place('newest', '^/api/v4/projects/[^/]+/(?<part>jobs/artifacts/[^/]+)/'),
  place('fixed', '/-/jobs/\\d+/artifacts/'),
  // Jenkins, and TeamCity.
  place('newest', '/job/[^/]+/(?<part>last(?:Successful|Stable|Completed|Failed|Unstable|Unsuccessful)?Build)/', /./),
  place('newest', '/(?:repository/download|builds)/[^/]+/(?<part>\\.last(?:Successful|Pinned|Finished))/', /./),
  place('newest', '/(?<part>workflows/[^/]+/[^/]+)/', /^nightly\.link$/),
  // Archives that the host generates.
  place('archive', '^/(?<part>.+)$', /^codeload\.github\.com$/),
  place('archive', '/(?<part>(?:tarball|zipball)(?:/.*)?)$', /^api\.github\.com$/),
  place('archive', '^/[^/]+/[^/]+/(?<part>(?:archive|tarball|zipball)/.+)$', GITHUB),
  place('archive', '/-/(?<part>archive/.+)$'),
  place('archive', '/(?<part>repository/archive(?:\\.[^/]+)?)$'),
  place('archive', '/(?<part>repository/archive/.+)$', /^gitee\.com$/),
  place('archive', '^/[^/]+/[^/]+/(?<part>get/.+)$', BITBUCKET),
  place('archive', '^/(?:rest/)?api/.+/repos/[^/]+/(?<part>archive)$'),
  place('archive', '^/~[^/]+/[^/]+/(?<part>archive/.+)$', SOURCEHUT),
  place('archive', '^/api/v1/repos/[^/]+/[^/]+/(?<part>archive/.+)$'),
  place('archive', '^/[^/]+/[^/]+/(?<part>archive/.+)$', FORGE),
  place(
    'archive',
    '^/[^/]+/[^/]+/(?<part>archive/(?:refs/(?:heads|tags)/.+|(?:main|master|develop|trunk|HEAD)\\.[^/]+))$',
  ),
  place('archive', '/(?<part>\\+archive/.+)$'),
  place('archive', '/(?<part>ci/[^/]+/tarball)$', /(?:^|\.)sourceforge\.net$/),
  place('archive', '\\.git/(?<part>snapshot/[^/]+)$'),
  // Files of a Git ref.
  place('fixed', '^/[^/]+/[0-9a-f]+/raw/[0-9a-f]{40}(?:/|$)', GIST),
  place('branch', '^/[^/]+/[0-9a-f]+/(?<part>raw)(?:/(?<rest>.*))?$', GIST),
  place('branch', `^/[^/]+/[^/]+/${BRANCH_REF}`, RAW_GITHUB),
  place('ref', `^/[^/]+/[^/]+/${ANY_REF}`, RAW_GITHUB),
  place('ref', `^/media/[^/]+/[^/]+/${ANY_REF}`, /^media\.githubusercontent\.com$/),
  place('ref', `^/(?:gh|gl|bb)/[^/]+/[^/]+/${ANY_REF}`, /^cdn\.statically\.io$/),
  place('fixed', '/(?:raw|src|media)/commit/[^/]+/'),
  place('tag', '/(?:raw|src|media)/(?<part>tag/(?<ref>[^/]+))/(?<rest>.+)$'),
  place('branch', '/(?<part>(?:raw|src|media)/branch/[^/]+)/(?<rest>.+)$'),
  place('branch', `/(?:raw|blob|src|-/raw|-/blob)/${BRANCH_REF}`),
  place('ref', `/-/(?:raw|blob)/${ANY_REF}`),
  place('ref', `^/[^/]+/[^/]+/(?:raw|blob|media)/${ANY_REF}`, FORGE),
  place('ref', `^/[^/]+/[^/]+/(?:raw|blob)/${ANY_REF}`, GITHUB),
  place('ref', `^/[^/]+/[^/]+/(?:raw|src)/${ANY_REF}`, BITBUCKET),
  place('ref', `^/2\\.0/repositories/[^/]+/[^/]+/src/${ANY_REF}`, /^api\.bitbucket\.org$/),
  place('fixed', '^/~[^/]+/[^/]+/refs/download/', SOURCEHUT),
  place('ref', `^/~[^/]+/[^/]+/(?:blob|raw)/${ANY_REF}`, SOURCEHUT),
  place('ref', `^/p/.+/ci/${ANY_REF}`, /(?:^|\.)sourceforge\.net$/),
  place('ref', `^/(?:[^/]+/){2,3}resolve/${ANY_REF}`, /^(?:huggingface\.co|hf\.co)$/),
  place('ref', '^/(?:[^/]+/)?(?<part>@(?<ref>[^/]+))/(?<rest>.+)$', /\.codeberg\.page$|^raw\.codeberg\.page$/),
  place('ref', '^/[^/]+/[^/]+/(?<part>@(?<ref>[^/]+))/(?<rest>.+)$', /^raw\.codeberg\.page$/),
  place('branch', '/(?:raw|blob)/(?<part>main|master|develop|trunk|HEAD)/(?<rest>.+)$'),
  place('branch', '/(?<part>refs/heads/[^/]+)/(?<rest>.+)$'),
  place('query-ref', '^/repos/[^/]+/[^/]+/(?<part>contents)/(?<rest>.+)$', /^api\.github\.com$/),
  place('query-ref', '/(?<part>repository/files)/(?<rest>.+)/raw$'),
  place('query-ref', '^/api/v1/repos/[^/]+/[^/]+/(?<part>raw|media)/(?<rest>.+)$'),
  place('query-ref', '^/(?:projects|users)/[^/]+/repos/[^/]+/(?<part>raw)/(?<rest>.+)$'),
  // Packages on a CDN.
  place('package', `^/npm/(?<part>${NPM_NAME}(?:@(?<ref>[^/]+))?)(?:/(?<rest>.*))?$`, JSDELIVR),
  place('repository', '^/gh/(?<part>[^/]+/[^/@]+(?:@(?<ref>[^/]+))?)(?:/(?<rest>.*))?$', JSDELIVR),
  place('repository', '^/gh/(?<part>[^/]+/[^/@]+(?:@(?<ref>[^/]+))?)(?:/(?<rest>.*))?$', NPM_CDN),
  place(
    'package',
    `^/(?:v\\d+/|stable/|pin/|-/|jsr/|npm/|new/)?\\*?(?<part>${NPM_NAME}(?:@(?<ref>[^/]+))?)(?:/(?<rest>.*))?$`,
    NPM_CDN,
  ),
  place('package', `^/npm:(?<part>${NPM_NAME}(?:@(?<ref>[^/]+))?)(?:/(?<rest>.*))?$`, /^(?:ga|dev)\.jspm\.io$/),
  place('repository', '^/(?:x/)?(?<part>[^/@]+(?:@(?<ref>[^/]+))?)(?:/(?<rest>.*))?$', /^deno\.land$/),
];

/** Hosts whose paths begin with names (of a user, a repository, a bucket), and with how many. */
const NAMES: readonly (readonly [host: RegExp, count: number])[] = [
  [GITHUB, 2],
  [/^api\.github\.com$/, 3],
  [/^(?:gitlab\.com|bitbucket\.org|codeberg\.org|gitea\.com|gitee\.com|ghcr\.io)$/, 2],
  [/\.(?:github|gitlab)\.io$|\.codeberg\.page$/, 1],
  [/^(?:storage\.googleapis\.com|s3[a-z0-9.-]*\.amazonaws\.com)$/, 1],
  [/\.(?:blob\.core\.windows\.net|r2\.cloudflarestorage\.com|digitaloceanspaces\.com)$/, 1],
];

/** The number of segments at the start of a path that are names. */
export function leadingNames(hostname: string): number {
  return NAMES.find(([host]) => host.test(hostname))?.[1] ?? 0;
}

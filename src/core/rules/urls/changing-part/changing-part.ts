import type { UrlParts } from '../../../url/url.ts';
import {
  isBranch,
  isChannel,
  isExactVersion,
  isFixedRef,
  isMovingTag,
  isVersionRange,
  leadingNames,
  namesFixedVersion,
  type Place,
  PLACES,
} from './words.ts';

/** Reasons why the content of a URL can change. */
type ChangingCause = 'source-archive' | 'latest' | 'branch' | 'range' | 'unversioned';

/** The part of a URL because of which its content can change. */
interface ChangingPart {
  cause: ChangingCause;
  /** As in the URL, with percent-escapes decoded: untrusted text. */
  part: string;
}

type Query = UrlParts['searchParams'];

/**
 * Words in the URL of an archive whose content may change: branches, latest builds, archives that a host regenerates. A
 * plain URL without them has no changing part. In lower case: ignoring the case takes twice as long.
 */
const MAY_CHANGE =
  /arch|ball|\/\.?last|latest|night|snap|current|edge|canary|stable|rolling|tip\b|daily|weekly|continuous|raw|blob|refs|jobs|workflows|git|bitbucket|releases|branch|jsdelivr|unpkg|npmcdn|esm|skypack|jspm|deno|statically|sourceforge|sr\.ht|huggingface|hf\.co|codeberg/;
/** A path without escapes and signs with a meaning, which ends as an archive does. */
const PLAIN_PATH = /^[A-Za-z0-9._~/-]+\.(?:tar\.gz|tgz)$/;

// Longer paths are not searched, since the time of some forms is quadratic in the length. Hosts have no such paths.
const LONGEST_PATH = 2000;

/** The part of a URL because of which its content can change; null if there is none, or a fixed version follows it. */
export function changingPart(url: UrlParts): ChangingPart | null {
  const query = url.searchParams;
  const isPlain = query.size === 0 && PLAIN_PATH.test(url.pathname);
  if (isPlain && !MAY_CHANGE.test(url.href.toLowerCase())) return null;
  const path = decodedPath(url.pathname);
  if (path.length > LONGEST_PATH) return null;
  for (const place of PLACES) {
    if (place.host !== undefined && !place.host.test(url.hostname)) continue;
    const groups = place.path.exec(path)?.groups;
    if (groups === undefined && !place.path.test(path)) continue;
    return partAt(place, groups ?? {}, query);
  }
  return partOfPath(path, leadingNames(url.hostname), query) ?? partOfQuery(path, query);
}

/** The path with its escapes decoded, as hosts read it; unchanged if they are invalid. */
function decodedPath(pathname: string): string {
  if (!pathname.includes('%')) return pathname;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Finds the changing part at a place of a known host. */
function partAt(
  { kind }: Place,
  { part = '', ref, rest = '' }: Readonly<Partial<Record<string, string>>>,
  query: Query,
): ChangingPart | null {
  if (kind === 'archive') return { cause: 'source-archive', part };
  if (kind === 'newest') return { cause: /^(?:jobs|workflows)/.test(part) ? 'branch' : 'latest', part };
  if (kind === 'fixed' || namesFixedVersion(rest) || isPinned(query)) return null;
  switch (kind) {
    case 'branch':
      return { cause: 'branch', part };
    case 'ref':
      return ref === undefined || isFixedRef(ref) ? null : { cause: 'branch', part };
    case 'query-ref':
      return partOfQuery('', query) ?? { cause: 'branch', part };
    case 'tag':
      return ref !== undefined && isMovingTag(ref) ? { cause: 'latest', part } : null;
    case 'package':
      return partOfPackage(part, ref);
    case 'repository':
      return partOfRepository(part, ref);
  }
}

function partOfPackage(part: string, version: string | undefined): ChangingPart | null {
  if (version === undefined || version === '') return { cause: 'unversioned', part };
  if (isVersionRange(version)) return { cause: 'range', part };
  return isExactVersion(version) || namesFixedVersion(version.replace(/^[v=]/, '')) ? null : { cause: 'latest', part };
}

function partOfRepository(part: string, ref: string | undefined): ChangingPart | null {
  if (ref === undefined || ref === '') return { cause: 'unversioned', part };
  if (isVersionRange(ref)) return { cause: 'range', part };
  if (isFixedRef(ref)) return null;
  return { cause: ref === 'latest' ? 'latest' : 'branch', part };
}

/** Folders whose next segment is the name of something. */
const NAMED = /^(?:apps|packages|repos|repositories|users|orgs|groups|projects|plugins)$/i;

/** A word for the newest build in a path, unless it is a name, or a fixed version follows. */
function partOfPath(path: string, names: number, query: Query): ChangingPart | null {
  if (isPinned(query)) return null;
  const segments = path.split('/').slice(1);
  const lastFixed = segments.findLastIndex((segment) => namesFixedVersion(segment));
  for (let i = Math.max(names, lastFixed); i < segments.length; i++) {
    const segment = segments[i] ?? '';
    const isLast = i === segments.length - 1;
    const isName = !isLast && i > 0 && NAMED.test(segments[i - 1] ?? '');
    const cause = isName ? null : causeOfSegment(segment, isLast);
    if (cause !== null) return { cause, part: segment };
  }
  return null;
}

const MAVEN_SNAPSHOT = /\d-SNAPSHOT(?![a-z0-9])/i;
/** Placeholders that Artifactory resolves. */
const PLACEHOLDER = /\[(?:RELEASE|INTEGRATION)\]/i;
const ARCHIVE_AT_END = /\.(?:tar\.gz|tgz)$/i;
const CHANNEL_AT_END =
  /(?:^|[-_.@:])(?:latest|nightly|snapshot)(?:[-_.](?:linux|darwin|macos|win(?:dows)?|x(?:86_)?64|x86|amd64|arm64|aarch64|universal|any|all|noarch)[^/]*?)?(?:\.tar\.gz|\.tgz)$/i;

function causeOfSegment(segment: string, isLast: boolean): 'latest' | null {
  if (isChannel(segment) || PLACEHOLDER.test(segment)) return 'latest';
  if (MAVEN_SNAPSHOT.test(segment)) return 'latest';
  const tag = /[^@:][@:]([^@:/]+)$/.exec(segment)?.[1];
  if (tag !== undefined && isMovingTag(tag)) return 'latest';
  // Without an archive's name at the end, each beginning of the form would be searched to the end.
  return isLast && ARCHIVE_AT_END.test(segment) && CHANNEL_AT_END.test(segment) ? 'latest' : null;
}

/** Parameters whose value is a Git ref, a version, or a word for either. */
const REF =
  /^(?:ref|branch|at|rev|revision|sha|commit|commitish|h|hb|version(?:descriptor\.version)?|v|tag|release|channel|track|dist-?tag)$/i;
/** Parameters that determine the bytes, whatever their value: S3, Google Cloud Storage and Azure Blob Storage. */
const PIN = /^(?:version-?id|generation|snapshot)$/i;

/** A branch or a word for the newest version in the query, unless the path names a fixed version. */
function partOfQuery(path: string, query: Query): ChangingPart | null {
  if (query.size === 0 || namesFixedVersion(path) || isPinned(query)) return null;
  for (const [name, value] of query) {
    if (!REF.test(name) || value === '') continue;
    const part = `${name}=${value}`;
    // Azure DevOps writes GB before the name of a branch.
    if (/^branch$/i.test(name) || isBranch(value.replace(/^GB(?=[a-z])/, ''))) return { cause: 'branch', part };
    if (
      /^(?:channel|track|dist-?tag)$/i.test(name) ||
      isMovingTag(value) ||
      /^release$/i.test(value) ||
      MAVEN_SNAPSHOT.test(value)
    )
      return { cause: 'latest', part };
    if (/[~^<>*]/.test(value) && isVersionRange(value)) return { cause: 'range', part };
  }
  return null;
}

/** Parameters that name a version or commit in full. A static file is served whatever `v` says, so that is not one. */
const PINNED_REF = /^(?:ref|at|rev|revision|sha|commit|h|tag|release|.*version)$/i;

/** True if the query names a version, commit or stored object. */
function isPinned(query: Query): boolean {
  if (query.size === 0) return false;
  return [...query].some(([name, value]) => {
    if (PIN.test(name)) return value !== '' && value !== 'null';
    if (!PINNED_REF.test(name) || MAVEN_SNAPSHOT.test(value) || isVersionRange(value)) return false;
    return isFixedRef(value) || namesFixedVersion(value);
  });
}

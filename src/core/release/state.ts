import { sameDigest } from '../registry/baseline.ts';
import type { PublishedVersion } from '../facts/facts.ts';
import type { Provenance } from '../registry/lock-file.ts';
import { comparePrecedence, versionToExceed } from '../registry/precedence.ts';
import { bump, isComparable, isPlainVersion, isSemver } from '../registry/version.ts';
import { printable } from '../text/text.ts';
import type { AppProblem } from './version-file.ts';

/** Steps of a release for each app of a repository: decided by digests, not by paths or people. */

/** In the order of the summary. */
export const RELEASE_STATES = [
  'unchanged',
  'new',
  'changed',
  'rebuilt',
  'reverted',
  'behind',
  'unlisted',
  'broken',
] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];

export const FAILING_STATES: readonly ReleaseState[] = ['changed', 'reverted', 'behind', 'unlisted', 'broken'];

/** A version that was published before, as the lock file recorded it. */
interface RecordedVersion {
  artifactChecksum: string;
  provenance: Provenance | null;
}

/** Facts about an app that builds and declares a version. */
export interface BuiltApp {
  /** A semantic version. */
  declared: string;
  /** `sha256:HEX` of the archive that was built. */
  checksum: string;
  /** The inputs of the build; called only if the listed bytes differ. */
  provenance(): Provenance;
  /** The versions that the registry lists; null if its manifest does not list the app. */
  listed: readonly PublishedVersion[] | null;
  /** The app has a valid description, with which it will be listed if it is not. */
  isDescribed: boolean;
  /** The declared version in the lock file; null if it was not recorded. */
  recorded: RecordedVersion | null;
  /** The app is maintained at an older version, while higher ones are published from elsewhere. */
  isMaintained: boolean;
}

export interface Decision {
  state: Exclude<ReleaseState, 'broken'>;
  /** The highest listed version by precedence. */
  highest: string | null;
  /** The highest plain version that is listed. */
  latest: string | null;
  /** The listed version that the declared one has to be above, to be new; null if there is none. */
  toExceed: string | null;
  /** The checksum with which the declared version was published. */
  listedChecksum: string | null;
  /** The declared version is no longer listed, but was published with other bytes. */
  withdrawn: boolean;
  /** The cause of other bytes from the same sources; null unless the app is rebuilt. */
  rebuiltBy: RebuildCause | null;
}

/** A way in which artifacts with other bytes have the same content. */
export type Likeness =
  | { kind: 'compression' }
  /** The files of the archive whose lines end with CRLF in one of them. */
  | { kind: 'line-ends'; files: readonly string[] };

/**
 * Causes of other bytes from the same sources: other programs built the artifact, other license notices of its packages
 * are in it, or its content is the same.
 */
type RebuildCause = { kind: 'toolchain' } | { kind: 'notices' } | Likeness;

export function decideState(app: BuiltApp): Decision {
  const { declared, checksum, isDescribed, recorded } = app;
  const listed = app.listed ?? (isDescribed ? [] : null);
  const unknown = { highest: null, latest: null, toExceed: null, listedChecksum: null, withdrawn: false };
  if (listed === null) return { state: 'unlisted', ...unknown, rebuiltBy: null };
  const toExceed = listedToExceed(declared, listed);
  const highest = highestOf(listed);
  const latest = highestOf(listed.filter(({ version }) => isPlainVersion(version)));
  const entry = listed.find(({ version }) => version === declared);
  const withdrawn = entry === undefined && recorded !== null && !sameDigest(recorded.artifactChecksum, checksum);
  const listedChecksum = entry?.artifactChecksum ?? (withdrawn ? recorded.artifactChecksum : null);
  const decided = (state: Decision['state'], rebuiltBy: RebuildCause | null = null): Decision => ({
    state,
    highest,
    latest,
    toExceed,
    listedChecksum,
    withdrawn,
    rebuiltBy,
  });
  if (listedChecksum !== null) {
    if (sameDigest(listedChecksum, checksum)) return orReverted(app, decided('unchanged'));
    const cause = rebuildCause(app, listedChecksum);
    return cause === null ? decided('changed') : orReverted(app, decided('rebuilt', cause));
  }
  // One that is not compared is refused by a rule.
  const isNew = toExceed === null || !isComparable(declared) || comparePrecedence(declared, toExceed) > 0;
  return decided(isNew ? 'new' : 'behind');
}

/** The decision about an app whose listed artifact has the same content. */
export function decideAlike(app: BuiltApp, decision: Decision, likeness: Likeness): Decision {
  return orReverted(app, { ...decision, state: 'rebuilt', rebuiltBy: likeness });
}

/** The decision about an app with the code of a published version; below the latest one, subscribers do not get that code. */
function orReverted({ declared, isMaintained }: BuiltApp, decision: Decision): Decision {
  const { latest, withdrawn } = decision;
  if (isMaintained || withdrawn || latest === null || !isComparable(declared)) return decision;
  return comparePrecedence(latest, declared) > 0 ? { ...decision, state: 'reverted', rebuiltBy: null } : decision;
}

/** As `versionToExceed`, without listed versions that are invalid. */
export function listedToExceed(declared: string, listed: readonly PublishedVersion[]): string | null {
  return versionToExceed(
    declared,
    listed.flatMap(({ version }) => (isSemver(version) ? version : [])),
  );
}

/** The highest semantic version by precedence, pre-releases included; null if there is none. */
export function highestOf(listed: readonly PublishedVersion[]): string | null {
  let highest: string | null = null;
  for (const { version } of listed)
    if (isSemver(version) && (highest === null || comparePrecedence(version, highest) > 0)) highest = version;
  return highest;
}

/**
 * The cause of other bytes from the same sources: another toolchain, or other license notices. Null for other sources;
 * other bytes for any other reason are a change as well.
 */
function rebuildCause({ recorded, provenance }: BuiltApp, listedChecksum: string): RebuildCause | null {
  const before = recorded && sameDigest(recorded.artifactChecksum, listedChecksum) ? recorded.provenance : null;
  if (before === null) return null;
  const now = provenance();
  if (before.sources !== now.sources) return null;
  const isSameToolchain =
    before.toolchain.appreg === now.toolchain.appreg && before.toolchain.esbuild === now.toolchain.esbuild;
  if (!isSameToolchain) return { kind: 'toolchain' };
  return before.notices === now.notices ? null : { kind: 'notices' };
}

interface ExplainedApp {
  key: string;
  declared: string;
  /** As messages name it. */
  versionFile: string;
  /** The options with which `publish-version` builds the app, such as `--entry src/clock/main.ts`. */
  buildOptions: string;
  isListed: boolean;
  /** The reason why an unlisted app cannot be listed; null for another app. */
  unlisted: AppProblem | null;
}

function explainRebuilt(cause: RebuildCause): { message: string; advice: string } {
  const advice = 'No action is required.';
  switch (cause.kind) {
    case 'toolchain':
      return {
        message: 'A different version of appreg or esbuild builds different bytes from the same sources.',
        advice,
      };
    case 'notices':
      return { message: 'Only the license notices of its packages changed.', advice };
    case 'compression':
      return { message: 'The published artifact has the same content, and is only compressed differently.', advice };
    case 'line-ends':
      return { message: `Only ${describeLineEnds(cause.files)}.`, advice: LINE_ENDS_ADVICE };
  }
}

/** The number of files that a message names. */
const SHOWN = 5;

/** Names the files whose line ends differ: `the line ends of a.txt differ (CRLF and LF)`. */
export function describeLineEnds(files: readonly string[]): string {
  const more = files.length - SHOWN;
  const named = files.slice(0, SHOWN).map((file) => printable(file));
  const all = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `the line ends of ${all} differ from those of the published artifact (CRLF and LF)`;
}

export const LINE_ENDS_ADVICE =
  'Git writes CRLF where core.autocrlf is true. To get the same bytes on every system, write "* text=auto eol=lf" into .gitattributes, commit it, and check the files out again. No new version is required.';

/** Explains the state of one app, and the next step. */
export function explainState(
  { state, latest, toExceed, withdrawn, rebuiltBy }: Decision,
  { declared, key, versionFile, buildOptions, isListed, unlisted }: ExplainedApp,
): { message: string | null; advice: string | null } {
  switch (state) {
    case 'unchanged':
      return { message: null, advice: null };
    case 'new':
      return {
        message: isListed ? null : 'The app is not listed yet; release lists it with this version.',
        advice: null,
      };
    case 'changed':
      return {
        message: withdrawn
          ? `${declared} was already published with different bytes, and is no longer listed. A published version never changes.`
          : `The app changed, but still declares ${declared}, which is published with different bytes.`,
        advice: `Raise the version in ${versionFile}, or run appreg release --bump --app ${key}.`,
      };
    case 'rebuilt': {
      const { message, advice } = explainRebuilt(rebuiltBy ?? { kind: 'toolchain' });
      return { message: `${message} The published ${declared} is not changed.`, advice };
    }
    case 'reverted':
      return {
        message: `The app declares ${declared}; ${latest} stays the newest version, and subscribers keep it.`,
        advice: `To publish this code again, declare a version above ${latest} in ${versionFile}, and allow its bytes with --allow-same ${key}. If this branch maintains an older version, set "maintenance": true for the app.`,
      };
    case 'behind':
      return {
        message: `${declared} is not listed, and not higher than ${toExceed}, the highest listed version.`,
        advice: `Declare a version above ${toExceed} in ${versionFile}. To publish ${declared} for subscribers of an older version: appreg publish-version ${key} ${declared} ${buildOptions} --allow-lower${isPlainVersion(declared) ? '' : ' --allow-prerelease'}`,
      };
    case 'unlisted':
      return unlisted ?? { message: null, advice: null };
  }
}

/**
 * The lowest patch version above all of these, which an app declares next.
 * @param versions semantic versions; others are ignored
 * @param taken versions that were published before
 */
export function nextVersion(versions: Iterable<string>, taken: ReadonlySet<string>): string {
  let highest = '0.0.0';
  for (const version of versions) if (isSemver(version) && comparePrecedence(version, highest) > 0) highest = version;
  const plain = highest.replace(/[-+].*$/, '');
  let next = comparePrecedence(plain, highest) > 0 ? plain : patchOf(plain);
  while (taken.has(next)) next = patchOf(next);
  return next;
}

function patchOf(version: string): string {
  const next = bump(version, 'patch');
  if (next === null) throw new Error(`${version} is not a plain version`);
  return next;
}

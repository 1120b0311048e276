import { message } from '../text/message.ts';
import schema from '../../../schemas/lock.schema.json' with { type: 'json' };
import { AppregError } from '../errors/error.ts';
import type { Baseline, PublishedVersion, Snapshot } from '../facts/facts.ts';
import type { DocumentContent } from '../json/content.ts';
import { isDigestForm, sameDigest } from './baseline.ts';
import { isMissing } from '../facts/facts.ts';
import { validateLock } from '../generated/lock.js';
import { type Fault, faultText, readInputFile, schemaViolations } from '../json/input-file.ts';
import { byteOrderMarkOf, type JsonValue, member } from '../json/json.ts';
import type { Count } from '../values/scalars.ts';
import { listedVersionsIn, versionFields } from './manifest.ts';
import { compareText } from '../text/order.ts';
import { comparePrecedence } from './precedence.ts';
import { isSemver } from './version.ts';

/**
 * The lock file of a workspace: the state of each version when it was first seen. It detects a checksum that changed
 * together with its artifact, which nothing else can (spec 2.4, 9).
 */
export const LOCK_FILE = 'appreg.lock.json';

/**
 * appreg.lock.json: each version as it was first seen, which appreg lock and publishing record, and each description of an
 * app as it was last published.
 *
 * @title appreg lock file
 */
interface LockDocument {
  lock: 1;
  /** By app key, then by version. */
  apps: Record<string, Record<VersionName, LockedEntry>>;
  /** By app key. */
  descriptions?: Record<string, LockedDescription>;
}

/**
 * By the names of fields, such as color, and iconSha256: the text of the folder of an app when the manifest last had it. A
 * text of the manifest that differs from it by now was changed elsewhere.
 */
export type LockedDescription = Record<string, LockedText>;

/** One text, or two that differed when they were first seen. */
export type LockedText = string | { described: string; published: string };

/**
 * @pattern ^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$
 * @patternErrorMessage a semantic version, such as 1.2.0
 */
type VersionName = string;

interface LockedEntry {
  /** As it was listed. */
  artifactChecksum: string;
  /** As it was listed. */
  artifactUrl: string;
  /** Null if it was not observed. */
  bytes?: Count | null;
  /**
   * @pattern ^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)?$
   * @patternErrorMessage a time in UTC, such as "2026-01-31T12:00:00.000Z"
   */
  firstSeen?: string;
  /**
   * False for a version that was recorded when it was stored, until appreg lock sees it in a live registry; absent for all
   * others.
   */
  served?: boolean;
  /**
   * The digest of everything that the artifact was built from: over path and content of each file that was read.
   *
   * @pattern ^sha256:[0-9a-f]{64}$
   * @patternErrorMessage "sha256:" and 64 lowercase hexadecimal digits
   */
  sources?: string;
  toolchain?: Toolchain;
  /**
   * The digest of the license notices in the artifact; absent if it has none.
   *
   * @pattern ^sha256:[0-9a-f]{64}$
   * @patternErrorMessage "sha256:" and 64 lowercase hexadecimal digits
   */
  notices?: string;
}

export interface LockedVersion extends PublishedVersion {
  /** Size of the artifact in bytes, or null if it was not observed. */
  bytes: number | null;
  /** ISO 8601. */
  firstSeen: string;
  /** Recorded for a version that was built here. */
  provenance?: Provenance;
}

/** Sources and toolchain of an artifact, with the notices of its packages. */
export type Provenance = Required<Pick<LockedEntry, 'sources' | 'toolchain'>> & Pick<LockedEntry, 'notices'>;

/** The versions of the programs that built an artifact. */
interface Toolchain {
  appreg: string;
  esbuild: string;
}
export interface LockFile {
  /** By app key, then by version. */
  versions: ReadonlyMap<string, ReadonlyMap<string, LockedVersion>>;
  /** By app key. */
  descriptions: ReadonlyMap<string, LockedDescription>;
}

export const EMPTY_LOCK: LockFile = { versions: new Map(), descriptions: new Map() };

/** A version that differs from its first recorded state. */
export interface ChangedVersion {
  app: string;
  version: string;
  before: string;
  after: string;
}

export function isLockFile(value: JsonValue | undefined): boolean {
  return typeof member(value, 'lock') === 'number';
}

/** Reads a lock file: all its versions, or all its faults. An entry that was ignored could be published again. */
export function readLockFile(content: DocumentContent): LockFile | { faults: readonly Fault[] } {
  const { value, faults } = readInputFile(content, (given) => schemaViolations(validateLock, given, WORDS));
  if (value === null) return { faults };
  // It has no faults.
  const { apps, descriptions = {} } = value as unknown as LockDocument;
  return {
    versions: new Map(Object.entries(apps).map(([key, versions]) => [key, versionsIn(versions)])),
    descriptions: new Map(Object.entries(descriptions)),
  };
}

const WORDS = { schema, whole: 'The lock file', member: 'field' } as const;

/**
 * The lock file with this content.
 * @param name of the file
 * @throws AppregError `lock-file-invalid` (exit 2) with all faults of the file
 */
export function lockFileIn(content: DocumentContent, name: string): LockFile {
  const lock = readLockFile(content);
  if (!('faults' in lock)) return lock;
  throw new AppregError(
    'lock-file-invalid',
    faultText(name, lock.faults),
    message`Restore it from version control, or delete it and run appreg lock again.`,
    { effect: 'none' },
  );
}

function versionsIn(versions: Record<VersionName, LockedEntry>): Map<string, LockedVersion> {
  const known = Object.entries(versions).map(
    ([
      version,
      { artifactUrl, artifactChecksum, bytes = null, firstSeen = '', served, sources, toolchain, notices },
    ]) => {
      // Lock files of earlier releases have no provenance.
      const provenance = sources !== undefined &&
        toolchain !== undefined && { provenance: { sources, toolchain, ...(notices !== undefined && { notices }) } };
      const unserved = served === false && { isUnserved: true as const };
      return [
        version,
        { version, artifactUrl, artifactChecksum, bytes, firstSeen, ...unserved, ...provenance },
      ] as const;
    },
  );
  return new Map(known);
}

/**
 * The lock file as text: one line for each version and each description, so that adding them on two branches does not cause
 * merge conflicts.
 * @param replaced the text that it replaces, whose byte order mark is preserved
 */
export function lockText({ versions, descriptions }: LockFile, replaced = ''): string {
  const apps = byKey(versions).map(([key, known]) => {
    const lines = [...known.values()]
      .sort((a, b) => inOrder(a.version, b.version))
      .map(
        ({ version, artifactUrl, artifactChecksum, bytes, firstSeen, isUnserved, provenance }) =>
          `      ${JSON.stringify(version)}: ${JSON.stringify({ artifactChecksum, bytes, firstSeen, artifactUrl, ...(isUnserved && { served: false }), ...provenance })}`,
      );
    return lines.length === 0
      ? `    ${JSON.stringify(key)}: {}`
      : `    ${JSON.stringify(key)}: {\n${lines.join(',\n')}\n    }`;
  });
  const described = byKey(descriptions).map(([key, texts]) => `    ${JSON.stringify(key)}: ${JSON.stringify(texts)}`);
  const members = [
    '  "lock": 1',
    `  "apps": ${objectOf(apps)}`,
    ...(described.length === 0 ? [] : [`  "descriptions": ${objectOf(described)}`]),
  ];
  return `${byteOrderMarkOf(replaced)}{\n${members.join(',\n')}\n}\n`;
}

function byKey<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}

function objectOf(lines: readonly string[]): string {
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`;
}

function inOrder(a: string, b: string): number {
  return (isSemver(a) && isSemver(b) ? comparePrecedence(a, b) : 0) || compareText(a, b);
}

/**
 * Adds a version that was published. An existing entry never changes, but gets the provenance that it does not have.
 * @returns the same lock file if there is nothing to add
 */
export function withLockedVersion(lock: LockFile, app: string, added: LockedVersion): LockFile {
  const versions = lock.versions.get(app) ?? new Map<string, LockedVersion>();
  const known = versions.get(added.version);
  const entry = known === undefined ? added : withProvenance(known, added);
  if (entry === known) return lock;
  return { ...lock, versions: new Map([...lock.versions, [app, new Map([...versions, [added.version, entry]])]]) };
}

/**
 * Records texts of a description; others that are recorded are kept.
 * @returns the same lock file if it has them all
 */
export function withLockedDescription(lock: LockFile, app: string, texts: LockedDescription): LockFile {
  const known = lock.descriptions.get(app) ?? {};
  if (hasTexts(known, texts)) return lock;
  return { ...lock, descriptions: new Map([...lock.descriptions, [app, { ...known, ...texts }]]) };
}

/** True if a record has all of these texts. */
export function hasTexts(recorded: LockedDescription | undefined, texts: LockedDescription): boolean {
  return Object.entries(texts).every(([name, text]) => JSON.stringify(recorded?.[name]) === JSON.stringify(text));
}

/** The known entry, with the provenance of the added one if it has none and both have the same bytes. */
function withProvenance(known: LockedVersion, { artifactChecksum, provenance }: LockedVersion): LockedVersion {
  if (known.provenance || !provenance || !sameDigest(known.artifactChecksum, artifactChecksum)) return known;
  return { ...known, provenance };
}

/** Adds what a registry lists and the lock file does not; existing entries are kept, and differences are reported. */
export function recorded(lock: LockFile, seen: Snapshot): { lock: LockFile; added: number; changed: ChangedVersion[] } {
  const next = new Map([...lock.versions].map(([key, versions]) => [key, new Map(versions)]));
  const changed: ChangedVersion[] = [];
  let added = 0;
  for (const { key, metadata, artifacts } of seen.apps) {
    const known = next.get(key) ?? new Map<string, LockedVersion>();
    for (const [index, item] of (listedVersionsIn(metadata.content) ?? []).entries()) {
      const { version, artifactUrl, artifactChecksum } = versionFields(item);
      if (version === null || artifactUrl === null || artifactChecksum === null || !isSemver(version)) continue;
      const before = known.get(version);
      if (before && !sameDigest(before.artifactChecksum, artifactChecksum))
        changed.push({ app: key, version, before: before.artifactChecksum, after: artifactChecksum });
      if (before && !isMissing(metadata.web) && sameDigest(before.artifactChecksum, artifactChecksum))
        known.set(version, asServed(before));
      // A version without a digest cannot be installed, so it may still get any.
      if (before || !isDigestForm(artifactChecksum)) continue;
      const content = artifacts[index]?.content;
      known.set(version, {
        version,
        artifactUrl,
        artifactChecksum,
        bytes: content && !isMissing(content) ? content.bytes : null,
        firstSeen: seen.seenAt,
      });
      added += 1;
    }
    if (known.size > 0) next.set(key, known);
  }
  return { lock: { ...lock, versions: next }, added, changed };
}

/** The version, which a live registry lists. */
function asServed(version: LockedVersion): LockedVersion {
  const served = { ...version };
  delete served.isUnserved;
  return served;
}

/**
 * A lock file as a baseline.
 * @param marksUnserved true to tell versions that were only stored from those that were served, where what is stored is
 * compared as well; otherwise all of them count as published
 */
export function baselineInLock(lock: LockFile, source: string, marksUnserved = false): Baseline {
  return {
    source,
    keys: [...lock.versions.keys()],
    app(key) {
      const versions = lock.versions.get(key);
      if (versions === undefined) return null;
      return [...versions.values()].map((version) => (marksUnserved ? version : asServed(version)));
    },
  };
}

/** True if a baseline has versions that were only stored, as far as it says. */
export function hasUnserved({ keys, app }: Baseline): boolean {
  return keys.some((key) => {
    const versions = app(key) ?? [];
    return !isMissing(versions) && versions.some(({ isUnserved }) => isUnserved === true);
  });
}

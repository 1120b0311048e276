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
 * appreg.lock.json: each version as it was first seen, which appreg lock and publishing record.
 *
 * @title appreg lock file
 */
interface LockDocument {
  lock: 1;
  /** By app key, then by version. */
  apps: Record<string, Record<VersionName, LockedEntry>>;
}

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
/** By app key, then by version. */
export type LockFile = Map<string, Map<string, LockedVersion>>;

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
  const { apps } = value as unknown as LockDocument;
  return new Map(Object.entries(apps).map(([key, versions]) => [key, versionsIn(versions)]));
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
    ([version, { artifactUrl, artifactChecksum, bytes = null, firstSeen = '', sources, toolchain, notices }]) => {
      // Lock files of earlier releases have no provenance.
      const provenance = sources !== undefined &&
        toolchain !== undefined && { provenance: { sources, toolchain, ...(notices !== undefined && { notices }) } };
      return [version, { version, artifactUrl, artifactChecksum, bytes, firstSeen, ...provenance }] as const;
    },
  );
  return new Map(known);
}

/**
 * The lock file as text: one line for each version, so that adding versions on two branches does not cause merge
 * conflicts.
 * @param replaced the text that it replaces, whose byte order mark is preserved
 */
export function lockText(lock: LockFile, replaced = ''): string {
  const apps = [...lock]
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, versions]) => {
      const lines = [...versions.values()]
        .sort((a, b) => inOrder(a.version, b.version))
        .map(
          ({ version, artifactUrl, artifactChecksum, bytes, firstSeen, provenance }) =>
            `      ${JSON.stringify(version)}: ${JSON.stringify({ artifactChecksum, bytes, firstSeen, artifactUrl, ...provenance })}`,
        );
      return lines.length === 0
        ? `    ${JSON.stringify(key)}: {}`
        : `    ${JSON.stringify(key)}: {\n${lines.join(',\n')}\n    }`;
    });
  return `${byteOrderMarkOf(replaced)}{\n  "lock": 1,\n  "apps": ${apps.length === 0 ? '{}' : `{\n${apps.join(',\n')}\n  }`}\n}\n`;
}

function inOrder(a: string, b: string): number {
  return (isSemver(a) && isSemver(b) ? comparePrecedence(a, b) : 0) || compareText(a, b);
}

/**
 * Adds a version that was published. An existing entry never changes, but gets the provenance that it does not have.
 * @returns the same lock file if there is nothing to add
 */
export function withLockedVersion(lock: LockFile, app: string, added: LockedVersion): LockFile {
  const versions = lock.get(app) ?? new Map<string, LockedVersion>();
  const known = versions.get(added.version);
  const entry = known === undefined ? added : withProvenance(known, added);
  if (entry === known) return lock;
  return new Map([...lock, [app, new Map([...versions, [added.version, entry]])]]);
}

/** The known entry, with the provenance of the added one if it has none and both have the same bytes. */
function withProvenance(known: LockedVersion, { artifactChecksum, provenance }: LockedVersion): LockedVersion {
  if (known.provenance || !provenance || !sameDigest(known.artifactChecksum, artifactChecksum)) return known;
  return { ...known, provenance };
}

/** Adds what a registry lists and the lock file does not; existing entries are kept, and differences are reported. */
export function recorded(lock: LockFile, seen: Snapshot): { lock: LockFile; added: number; changed: ChangedVersion[] } {
  const next: LockFile = new Map([...lock].map(([key, versions]) => [key, new Map(versions)]));
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
  return { lock: next, added, changed };
}

/** A lock file as a baseline. */
export function baselineInLock(lock: LockFile, source: string): Baseline {
  return {
    source,
    keys: [...lock.keys()],
    app(key) {
      const versions = lock.get(key);
      return versions ? [...versions.values()] : null;
    },
  };
}

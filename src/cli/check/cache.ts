import { message, type SafeText } from '../../core/text/message.ts';
import { createHash, scryptSync, randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, utimesSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { keptApp, keptDocument } from '../../observe/registry/cache.ts';
import type { ObservationCache, RememberedApp } from '../../observe/registry/cache.ts';
import type { Part } from '../../observe/registry/part.ts';
import { makeFolderSync, whyNotUsable } from '../../platform/make-folder.ts';
import type { AppFacts, DocumentFacts } from '../../core/facts/facts.ts';
import { validateAppFacts, validateManifestFacts } from '../../core/generated/facts.js';
import { VERSION } from '../../core/values/tool-version.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { factsJson } from './facts-file.ts';

/**
 * The folder of `--cache`: one subfolder per registry and request settings, with a file for the manifest and one per
 * app. All names are digests. Files are written atomically, so concurrent runs can share a folder; a file that is
 * corrupt or was written by another version is ignored.
 */

const DAY = 86_400_000;
/** Subfolders unused for this long are removed. */
const MAX_UNUSED = 30 * DAY;
const MANIFEST_ENTRY = 'manifest.json';
const SCOPE_NAME = /^[0-9a-f]{32}$/;
const PART_FILE = /\.part$/;

/** Everything that determines the responses of a registry: facts are reused only if all of it is equal. */
export interface CacheScope {
  /** The URL of the manifest, including secrets. */
  url: string;
  origins: readonly string[];
  /** PEM text, or null. */
  ca: string | null;
  /** Secret headers. */
  headers: readonly (readonly [string, string])[];
}

export interface CacheFolder extends ObservationCache {
  /** Stores the facts of a part that later runs may reuse. */
  add(part: Part): void;
  /** Removes entries that are not listed any more; for runs that observed all apps. */
  prune(): void;
  /** The failed read or write, as a sentence, or null. */
  remark(): SafeText | null;
}

/**
 * @param folder absolute; created if missing. Throws AppregError if that fails
 * @param conceal removes secrets from a text; a document that contains one is not stored
 */
export function openCache(
  folder: string,
  scope: CacheScope,
  now: string,
  conceal: (text: string) => string,
): CacheFolder {
  const scopeFolder = createScopeFolder(folder, scope, now);
  const entries = openCacheEntries(scopeFolder, conceal);
  const isPlain = (text: string): boolean => conceal(redact(text)) === text;
  const known = new Map<string, RememberedApp>();
  const listed = new Set<string>();

  function addManifest(facts: DocumentFacts | null): void {
    const manifest = facts && keptDocument(facts, now, isPlain);
    if (manifest) entries.write(MANIFEST_ENTRY, { manifest });
  }
  function addApp(facts: AppFacts): void {
    const before = known.get(facts.key) ?? null;
    known.delete(facts.key);
    const kept = keptApp(facts, before, now, isPlain);
    if (kept) entries.write(fileName(facts.key), { ids: [...kept.ids], app: kept.facts });
  }

  return {
    now,
    manifest: () => entries.readManifest(MANIFEST_ENTRY),
    app(key) {
      const name = fileName(key);
      listed.add(name);
      const remembered = entries.readApp(name, key);
      if (remembered) known.set(key, remembered);
      return remembered;
    },
    add(part) {
      if (part.kind === 'manifest') addManifest(part.asObserved);
      else if (part.kind === 'app') addApp(part.asObserved);
    },
    prune() {
      for (const name of readdirSync(scopeFolder))
        if (
          name !== MANIFEST_ENTRY &&
          !listed.has(name) &&
          (!PART_FILE.test(name) || age(join(scopeFolder, name), now) > DAY)
        )
          rmSync(join(scopeFolder, name), { force: true, recursive: true });
    },
    remark: () => remarkAbout(folder, entries),
  };
}

function createScopeFolder(folder: string, scope: CacheScope, now: string): string {
  const scopeFolder = join(folder, scopeName(scope));
  try {
    makeFolderSync(scopeFolder, 0o700);
    utimesSync(scopeFolder, new Date(now), new Date(now));
    removeUnused(folder, now);
  } catch (error) {
    throw new AppregError(
      'cache-unusable',
      message`--cache: ${folder} cannot be used: ${whyNotUsable(error)}.`,
      message`Use a writable folder; it is created if it does not exist.`,
      { cause: error },
    );
  }
  return scopeFolder;
}

function remarkAbout(folder: string, { unusable, writeError }: CacheEntries): SafeText | null {
  const parts: string[] = [];
  if (unusable > 0) parts.push(`${unusable === 1 ? '1 file is' : `${unusable} files are`} not usable`);
  if (writeError !== null) parts.push(`writing failed (${writeError})`);
  return parts.length === 0 ? null : message`The cache ${folder} was partly ignored: ${parts.join('; ')}.`;
}

/** Keys may contain characters that file systems reject or fold together. */
function fileName(key: string): string {
  return `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`;
}

function scopeName({ url, origins, ca, headers }: CacheScope): string {
  const open = JSON.stringify([redact(url), [...origins].sort(), ca]);
  const secret = headers.length > 0 || redact(url) !== url ? JSON.stringify([url, headers]) : null;
  const hash = createHash('sha256').update(open);
  // Users must not share entries, and secrets must not be guessable from a folder's name.
  if (secret !== null) hash.update(scryptSync(secret, open, 32));
  return hash.digest('hex').slice(0, 32);
}

function removeUnused(folder: string, now: string): void {
  for (const name of readdirSync(folder)) {
    const place = join(folder, name);
    if (SCOPE_NAME.test(name) && age(place, now) > MAX_UNUSED) rmSync(place, { recursive: true, force: true });
  }
}

/** Milliseconds since a file or folder was last modified; 0 if it does not exist. */
function age(path: string, now: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? Date.parse(now) - stat.mtimeMs : 0;
}

/** The files of one folder of the cache. They are written atomically, so concurrent runs can share a folder. */
interface CacheEntries {
  readManifest(name: string): DocumentFacts | null;
  readApp(name: string, key: string): RememberedApp | null;
  write(name: string, facts: ManifestEntry | AppEntry): void;
  /** Number of files that could not be used. */
  readonly unusable: number;
  /** The code of the first error of a write, or null. */
  readonly writeError: string | null;
}

interface ManifestEntry {
  manifest: DocumentFacts;
}

interface AppEntry {
  ids: string[];
  app: AppFacts;
}

/** A file as it was parsed; everything else in it is unknown. */
type ParsedEntry = Partial<Record<'cache' | 'tool' | 'manifest' | 'ids' | 'app', unknown>>;

const FORMAT = 1;

/**
 * @param folder absolute, existing
 * @param conceal removes secrets from a text
 */
function openCacheEntries(folder: string, conceal: (text: string) => string): CacheEntries {
  let unusable = 0;
  let writeError: string | null = null;

  /** A file with facts of this version; null if there is none. */
  function read<Facts>(name: string, factsOf: (entry: ParsedEntry) => Facts | null): Facts | null {
    try {
      const entry: ParsedEntry | null = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      const isOwn = entry?.cache === FORMAT && entry.tool === VERSION;
      const facts = entry && isOwn ? factsOf(entry) : null;
      // An entry written by another version is not an error.
      if (facts === null && (isOwn || typeof entry?.cache !== 'number')) unusable += 1;
      return facts;
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') unusable += 1;
      return null;
    }
  }

  return {
    readManifest: (name) => read(name, ({ manifest }) => (isManifestFacts(manifest) ? manifest : null)),
    readApp: (name, key) =>
      read(name, ({ app, ids }) => {
        if (!isAppFacts(app) || app.key !== key) return null;
        return isTextList(ids) && ids.length === app.artifacts.length ? { ids, facts: app } : null;
      }),
    write(name, facts) {
      const part = join(folder, `${name}.${process.pid}.${randomBytes(4).toString('hex')}.part`);
      try {
        writeFileSync(part, factsJson({ cache: FORMAT, tool: VERSION, ...facts }, conceal), {
          mode: 0o600,
          flag: 'wx',
        });
        renameSync(part, join(folder, name));
      } catch (error) {
        writeError ??= systemErrorCode(error) ?? 'unknown';
        rmSync(part, { force: true });
      }
    },
    get unusable() {
      return unusable;
    },
    get writeError() {
      return writeError;
    },
  };
}

function isManifestFacts(value: unknown): value is DocumentFacts {
  return validateManifestFacts(value);
}

function isAppFacts(value: unknown): value is AppFacts {
  return validateAppFacts(value);
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

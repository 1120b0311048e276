import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppFacts, DocumentFacts } from '../../core/facts/facts.ts';
import { validateAppFacts, validateManifestFacts } from '../../core/generated/facts.js';
import { printable, redact } from '../../core/text/text.ts';
import { VERSION } from '../../core/tool-version.ts';
import { AppregError } from '../../core/errors.ts';
import { keptApp, keptDocument } from '../../observe/registry/cache/keep.ts';
import type { ObservationCache, RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import { factsJson } from './snapshot-file.ts';

/**
 * The folder of `--cache`: one subfolder per registry and request settings, with a file for the manifest and one per
 * app. All names are digests. Files are written atomically, so concurrent runs can share a folder; a file that is
 * corrupt or was written by another version is ignored.
 */

const FORMAT = 1;
const DAY = 86_400_000;
/** Subfolders unused for this long are removed. */
const UNUSED = 30 * DAY;
const MANIFEST = 'manifest.json';
const NAME = /^[0-9a-f]{32}$/;
const PART = /\.part$/;

/** What determines the responses of a registry: facts are reused only if all of it is equal. */
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
  /** Removes entries that are not listed any more; for runs that observed all apps. */
  prune(): void;
  /** What could not be read or written, as a sentence, or null. */
  remark(): string | null;
}

interface Entry {
  cache: number;
  tool: string;
  manifest?: DocumentFacts;
  ids?: string[];
  app?: AppFacts;
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
  const place = join(folder, scopeName(scope));
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    utimesSync(place, new Date(now), new Date(now));
    removeUnused(folder, now);
  } catch (error) {
    throw new AppregError(
      'cache-unusable',
      `--cache: ${printable(folder)} cannot be used: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
      'Name a folder that may be written to; it is made where it does not exist.',
      { cause: error },
    );
  }
  const isPlain = (text: string): boolean => conceal(redact(text)) === text;
  const known = new Map<string, RememberedApp>();
  const listed = new Set<string>();
  let broken = 0;
  let unwritten: string | null = null;

  function read(name: string, isFacts: (entry: Entry) => boolean): Entry | null {
    let text: string;
    try {
      text = readFileSync(join(place, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') broken += 1;
      return null;
    }
    try {
      const entry = JSON.parse(text) as Entry | null;
      if (entry?.cache === FORMAT && entry.tool === VERSION && isFacts(entry)) return entry;
      // An entry written by another version is not an error.
      if (typeof entry?.cache !== 'number' || (entry.cache === FORMAT && entry.tool === VERSION)) broken += 1;
    } catch {
      broken += 1;
    }
    return null;
  }

  function write(name: string, entry: Omit<Entry, 'cache' | 'tool'>): void {
    const part = join(place, `${name}.${process.pid}.${randomBytes(4).toString('hex')}.part`);
    try {
      writeFileSync(part, factsJson({ cache: FORMAT, tool: VERSION, ...entry }, conceal), { mode: 0o600, flag: 'wx' });
      renameSync(part, join(place, name));
    } catch (error) {
      unwritten ??= (error as NodeJS.ErrnoException).code ?? 'unknown';
      rmSync(part, { force: true });
    }
  }

  return {
    now,
    manifest: () => read(MANIFEST, ({ manifest }) => validateManifestFacts(manifest))?.manifest ?? null,
    app(key) {
      const name = fileName(key);
      listed.add(name);
      const entry = read(
        name,
        ({ app, ids }) =>
          validateAppFacts(app) && app!.key === key && Array.isArray(ids) && ids.length === app!.artifacts.length,
      );
      if (!entry) return null;
      const remembered = { ids: entry.ids!, facts: entry.app! };
      known.set(key, remembered);
      return remembered;
    },
    keepManifest(facts) {
      const manifest = keptDocument(facts, now, isPlain);
      if (manifest) write(MANIFEST, { manifest });
    },
    keepApp(facts) {
      const before = known.get(facts.key) ?? null;
      known.delete(facts.key);
      const kept = keptApp(facts, before, now, isPlain);
      if (kept) write(fileName(facts.key), { ids: [...kept.ids], app: kept.facts });
    },
    prune() {
      for (const name of readdirSync(place))
        if (name !== MANIFEST && !listed.has(name) && (!PART.test(name) || age(join(place, name), now) > DAY))
          rmSync(join(place, name), { force: true, recursive: true });
    },
    remark() {
      const parts = [
        ...(broken > 0 ? [`${broken === 1 ? '1 file in it is' : `${broken} files in it are`} not usable`] : []),
        ...(unwritten === null ? [] : [`it cannot be written to (${unwritten})`]),
      ];
      return parts.length === 0 ? null : `The cache ${printable(folder)} was passed over in part: ${parts.join('; ')}.`;
    },
  };
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
    if (NAME.test(name) && age(place, now) > UNUSED) rmSync(place, { recursive: true, force: true });
  }
}

/** Milliseconds since a file or folder was last modified; 0 if it does not exist. */
function age(path: string, now: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? Date.parse(now) - stat.mtimeMs : 0;
}

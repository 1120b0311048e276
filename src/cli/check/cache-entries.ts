import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppFacts, DocumentFacts } from '../../core/facts/facts.ts';
import { validateAppFacts, validateManifestFacts } from '../../core/generated/facts.js';
import { VERSION } from '../../core/tool-version.ts';
import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { factsJson } from './snapshot-file.ts';

/** The files of one folder of the cache. They are written atomically, so concurrent runs can share a folder. */
export interface CacheEntries {
  readManifest(name: string): DocumentFacts | null;
  readApp(name: string, key: string): RememberedApp | null;
  write(name: string, facts: ManifestEntry | AppEntry): void;
  /** How many files could not be used. */
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
export function openCacheEntries(folder: string, conceal: (text: string) => string): CacheEntries {
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

import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConditionsMemory, ConditionsName } from '../../store/s3/conditions.ts';
import { makeFolderSync } from '../../platform/make-folder.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { userCacheFolder } from '../../platform/user-cache-folder.ts';

/**
 * Caches for a day which conditional requests a store was proven to support, so that not every run probes them. One
 * small file per location, named by a digest of endpoint, bucket, prefix, region and the id of the credentials. A file
 * that is invalid, expired, or owned by another user is ignored, and so is a read-only folder: then the conditions are
 * probed again.
 */

const SCHEMA = 1;
const DAY = 86_400_000;
const CONDITIONS_NAMES: readonly ConditionsName[] = ['etag', 'bare-etag', 'generation'];
/** Maximum file size in bytes. */
const MAX_BYTES = 1000;

/** @returns undefined without a cache folder */
export function storeMemory(env: NodeJS.ProcessEnv, now: () => number = Date.now): ConditionsMemory | undefined {
  const cache = userCacheFolder(env);
  if (cache === null) return undefined;
  const folder = join(cache, 'stores');
  const fileOf = (place: string): string => join(folder, `${place}.json`);

  return {
    recall(place) {
      const entry = entryIn(textOf(fileOf(place)));
      if (entry?.schema !== SCHEMA || entry.place !== place) return null;
      const age = now() - Date.parse(String(entry.provenAt));
      // NaN for an entry without a valid date.
      const isRecent = age >= 0 && age < DAY;
      if (!isRecent) return null;
      return CONDITIONS_NAMES.find((name) => name === entry.conditions) ?? null;
    },
    keep(place, conditions) {
      const entry: Entry = { schema: SCHEMA, place, conditions, provenAt: new Date(now()).toISOString() };
      const part = join(folder, `${place}.${process.pid}.${randomBytes(4).toString('hex')}.part`);
      try {
        makeFolderSync(folder, 0o700);
        writeFileSync(part, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
        renameSync(part, fileOf(place));
      } catch {
        removeIfPossible(part);
      }
    },
    forget: (place) => removeIfPossible(fileOf(place)),
  };
}

/** A file that cannot be removed is ignored after a day. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (systemErrorCode(error) === null) throw error;
  }
}

interface Entry {
  schema: number;
  place: string;
  conditions: string;
  /** ISO 8601. */
  provenAt: string;
}

/** The text of a regular file owned by this user; null for anything else. */
function textOf(path: string): string | null {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    const isOwn = process.getuid === undefined || stat.uid === process.getuid();
    const isPrivate = process.getuid === undefined || (stat.mode & 0o022) === 0;
    return stat.isFile() && isOwn && isPrivate && stat.size <= MAX_BYTES ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** The fields of an entry, of unknown types; null for text that is not a JSON object. */
function entryIn(text: string | null): Partial<Record<keyof Entry, unknown>> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import { proxiesIn } from '../../observe/http/proxy.ts';
import { remembering, type RememberingStore } from '../../store/remember.ts';
import { openS3 } from '../../store/s3/s3.ts';
import type { StoreProxyFor } from '../../store/s3/web.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConditionsMemory, ConditionsName } from '../../store/s3/conditions.ts';
import { makeFolderSync } from '../../platform/make-folder.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { userCacheFolder } from '../../platform/user-cache-folder.ts';

/** The store in a bucket that the configuration names. */
export function openBucket(context: Context, config: Extract<Config['store'], { type: 's3' }>): RememberingStore {
  const { bucket, prefix = '', region = null, endpoint = null, unconditional = false } = config;
  if (unconditional)
    context.terminal.log(
      message`The store is used without conditional writes: concurrent publishers may overwrite each other.`,
    );
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const memory = storeMemory(context.env);
  const s3 = openS3({
    bucket,
    prefix: folder.replace(/^\/+/, ''),
    region,
    endpoint,
    unconditional,
    env: context.env,
    proxyFor: proxies(context.env),
    ...(memory && { memory }),
    onProbe: (path) => {
      if (context.journal && !context.journal.auxiliary.includes(path)) context.journal.auxiliary.push(path);
    },
  });
  return remembering(s3);
}

/** The proxy settings, read as in all commands. */
function proxies(env: NodeJS.ProcessEnv): StoreProxyFor {
  const proxyFor = proxiesIn(env);
  return (url) => {
    const proxy = proxyFor(url);
    if (proxy === null) return null;
    const { facts, secure, host, port, authorization, unusable } = proxy;
    if (unusable !== null)
      throw new AppregError(
        'proxy-unsupported',
        message`${facts.variable} is set to ${unusable}, which cannot be used for the store.`,
        message`Set ${facts.variable} to http://host:port, or exclude the store: NO_PROXY=${url.hostname}`,
        { effect: 'none' },
      );
    return { uri: `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`, authorization };
  };
}

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
function storeMemory(env: NodeJS.ProcessEnv, now: () => number = Date.now): ConditionsMemory | undefined {
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

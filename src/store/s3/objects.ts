import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { type Bytes, type Digest, sha256Of } from '../bytes.ts';
import { stopAbortSignal, stopRequested } from '../interrupt.ts';
import type { WriteDetails } from '../store.ts';
import { possibleConditions, uploadHeaders, type ProvenConditions } from './conditions.ts';
import type { S3Requests } from './request.ts';
import type { S3Response } from './signed-requests.ts';

/** Number of checks of a stored file. After each one but the last, a file with other content is sent again. */
const MAX_CHECKS = 4;

/** Milliseconds before a write that is not visible is sent again, doubled each time. */
const VISIBILITY_DELAY = 100;

/** The stored file at a path. */
interface StoredObject extends Digest {
  token: string;
  /** The mark of the write that created it. */
  mark: string | undefined;
}

interface SentObject {
  path: string;
  bytes: Bytes;
  headers: Record<string, string>;
  /** Identifies this write, to distinguish it from that of another publisher. */
  mark: string;
  /** The token of the replaced file; null for a new one. */
  replaces: string | null;
}

export interface ObjectsOptions {
  /** The bucket, in messages. */
  name: string;
  conditions: ProvenConditions;
  unconditional: boolean;
  /** Milliseconds before a write that is not visible is sent again, doubled each time (default: 100). */
  visibilityDelay?: number;
}

/** Reads and writes the objects of a bucket. Every write is read back. */
interface Objects {
  /** The stored file, digested while it is read; null if missing. */
  inspect(path: string): Promise<StoredObject | null>;
  /**
   * Writes a file, if it is in the state that `replaces` identifies (null: missing); false if it is not.
   * @throws AppregError `write-corrupted`, `write-lost`, and the errors of requests
   */
  put(path: string, bytes: Bytes, replaces: string | null, details?: WriteDetails): Promise<boolean>;
}

export function openObjects(requests: S3Requests, options: ObjectsOptions): Objects {
  return new BucketObjects(requests, options);
}

class BucketObjects implements Objects {
  private readonly requests: S3Requests;
  private readonly options: ObjectsOptions;
  /** The header of an object that holds the mark of its write. */
  private readonly markHeader: string;

  constructor(requests: S3Requests, options: ObjectsOptions) {
    this.requests = requests;
    this.options = options;
    this.markHeader = requests.google ? 'x-goog-meta-appreg-write' : 'x-amz-meta-appreg-write';
  }

  async inspect(path: string, isLastCheck = false): Promise<StoredObject | null> {
    const { request, google } = this.requests;
    let hash = createHash('sha256');
    let length = 0;
    const answer = await request('GET', path, {
      isLastCheck,
      sink() {
        hash = createHash('sha256');
        length = 0;
        return (chunk) => {
          hash.update(chunk);
          length += chunk.length;
        };
      },
    });
    if (answer.status === 404) return null;
    const [{ tokenOf }] = possibleConditions(google);
    return { length, sha256: hash.digest('hex'), token: tokenOf(answer), mark: answer.headers[this.markHeader] };
  }

  async put(path: string, bytes: Bytes, replaces: string | null, details: WriteDetails = {}): Promise<boolean> {
    const mark = randomUUID();
    const headers = { ...uploadHeaders(path, bytes), [this.markHeader]: mark };
    const sent: SentObject = { path, bytes, headers, mark, replaces };
    // Errors of the proof are not those of this write.
    await this.options.conditions.current();
    try {
      const answer = await this.send(sent, replaces);
      // An attempt without a response may have been carried out; the precondition then fails because of its own file.
      if (answer.status >= 300 && !(answer.uncertain && (await this.inspect(path))?.mark === mark)) return false;
    } catch (error) {
      if (stopRequested() === null || !(await this.isStoredAfterStop(sent))) throw error;
      return true;
    }
    await this.ensureKept(sent, details).catch((error: unknown) => {
      // The store confirmed that it has it, and a stop leaves no time for another check.
      if (stopRequested() === null) throw error;
    });
    return true;
  }

  private async send({ path, bytes, headers }: SentObject, replaces: string | null): Promise<S3Response> {
    const { create, replace } = await this.options.conditions.current();
    const condition = replaces === null ? create : replace(replaces);
    return this.requests.request('PUT', path, { headers: { ...headers, ...condition }, body: bytes });
  }

  /** True if the stored file is that of this write; false also if it cannot be read in a moment. */
  private async isStoredAfterStop({ path, mark }: SentObject): Promise<boolean> {
    return (await this.inspect(path, true).catch(() => null))?.mark === mark;
  }

  /**
   * Waits until the store has what it confirmed; content that it does not keep is sent again, so that a loss is
   * detected before any document lists the file.
   */
  private async ensureKept(sent: SentObject, { verified }: WriteDetails): Promise<void> {
    const { name, unconditional, visibilityDelay = VISIBILITY_DELAY } = this.options;
    const { path, bytes, mark } = sent;
    for (let attempt = 1; ; attempt++) {
      const stored = await this.inspect(path);
      const difference = differenceOf(stored, sent);
      // Without conditions, another process may overwrite it at any moment.
      if (difference === null && stored?.mark === mark && !unconditional) verified?.(stored.token);
      if (difference === null) return;
      if (attempt === MAX_CHECKS)
        throw difference === 'old' ? notKept(name, path) : damaged(name, path, bytes.length, stored);
      // Some stores show a write only after a moment.
      await wait(visibilityDelay * 2 ** (attempt - 1), undefined, { signal: stopAbortSignal() });
      if (differenceOf(await this.inspect(path), sent) === null) continue;
      await this.send(sent, stored === null ? null : stored.token);
    }
  }
}

/** The difference between the stored file and what was sent; null if it is there, or the write of another publisher. */
function differenceOf(
  stored: StoredObject | null,
  { bytes, mark, replaces }: SentObject,
): 'none' | 'old' | 'other' | null {
  if (stored === null) return 'none';
  if (stored.sha256 === sha256Of(bytes)) return null;
  if (stored.mark === mark) return 'other';
  return stored.token === replaces ? 'old' : null;
}

function notKept(name: string, path: string): AppregError {
  return new AppregError(
    'write-lost',
    message`${name} confirmed that it stored ${path}, but did not keep the write: it still has the previous file, ${MAX_CHECKS} times in a row.`,
    message`A cache or a replica in front of the store may be the cause: check "endpoint" of the store in the configuration; then run the same command again.`,
    { advisesRepeat: true },
  );
}

function damaged(name: string, path: string, sent: number, stored: Digest | null): AppregError {
  const kept = stored === null ? 'nothing' : `${stored.length} different bytes`;
  return new AppregError(
    'write-corrupted',
    message`${name} confirmed that it stored ${path} (${sent} bytes), but contains ${kept}, ${MAX_CHECKS} times in a row.`,
    message`Ask the operator of the store, or of the proxy in front of it, to fix this; then run the same command again.`,
    { advisesRepeat: true },
  );
}

// Finds missing files by listing a bucket.

/** The number of files that can be requested in the time of one page of a listing. */
const FILES_PER_PAGE = 64;

/**
 * The missing ones of the paths, as far as a listing of a few pages shows (ListObjectsV2). Nothing is known of the
 * others. A store that does not list is not an error: the result is then empty.
 * @param prefix prepended to every path
 */
export async function absentIn(
  { list }: Pick<S3Requests, 'list'>,
  prefix: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const folder = commonFolder(paths);
  const found = new Set<string>();
  let last = '';
  let token: string | null = null;
  for (let page = 0; page < Math.ceil(paths.length / FILES_PER_PAGE); page++) {
    const answer = await list({
      'list-type': '2',
      prefix: prefix + folder,
      ...(token !== null && { 'continuation-token': token }),
    }).catch(() => null);
    const text = answer?.status === 200 ? answer.bytes.toString('utf8') : '';
    if (!/<ListBucketResult[ >]/.test(text)) return new Set();
    for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
      const name = decodeEntities(key);
      // Not every store sorts its keys; then only a complete listing is conclusive.
      if (compare(name, last) < 0) last = '\uffff';
      else if (last !== '\uffff') last = name;
      found.add(name);
    }
    token = decodeEntities(/<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? '');
    if (!/<IsTruncated>true</.test(text)) return new Set(paths.filter((path) => !found.has(prefix + path)));
    if (token === '') break;
  }
  if (last === '\uffff') return new Set();
  return new Set(paths.filter((path) => !found.has(prefix + path) && compare(prefix + path, last) < 0));
}

/** The common folder of all paths, with its slash; '' for none. */
function commonFolder(paths: readonly string[]): string {
  let [folder = ''] = paths;
  for (const path of paths) while (!path.startsWith(folder)) folder = folder.slice(0, -1);
  return folder.slice(0, folder.lastIndexOf('/') + 1);
}

/** The sort order of stores: by the bytes of UTF-8. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an XML element with its entities decoded. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (entity, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name] ?? entity;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
}

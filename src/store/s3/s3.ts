import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import { type Bytes, type Digest, sha256Of } from '../bytes.ts';
import { stopping, stopRequested } from '../interrupt.ts';
import { segmentsOf } from '../paths.ts';
import {
  type Conditions,
  conditionsFor,
  type ConditionsMemory,
  isNotImplemented,
  probeConditionalWrites,
  withoutConditions,
} from './conditions.ts';
import { headersOf } from './headers.ts';
import { absentIn } from './list.ts';
import { openRequests, type S3Place, type S3Request } from './request.ts';
import type { WebProxyFor } from './web.ts';
import type { Store, WriteDetails } from '../store.ts';

export interface S3Options extends S3Place {
  env: NodeJS.ProcessEnv;
  /** True to use a store that supports no conditions: the stored file is checked before each write instead. */
  unconditional?: boolean;
  /** The conditions that the store was proven to support before (default: unknown, so they are tested). */
  memory?: ConditionsMemory;
  /** Called when the file was written that tests the store's conditions. */
  onProbe?: (path: string) => void;
  /** The proxies of this machine (default: none). */
  proxyFor?: WebProxyFor;
}

/** Number of times that a file is sent again if the store has other content than was sent. */
const REPAIRS = 4;

/** Requests in flight at once. */
const CONCURRENCY = 64;

/** Milliseconds before a write that is not visible is sent again, doubled each time. */
const PATIENCE = 50;

/** The stored file at a path. */
interface Kept extends Digest {
  token: string;
  /** The mark of the write that created it. */
  mark: string | undefined;
}

interface Sent {
  path: string;
  bytes: Bytes;
  mark: string;
  /** The token of the replaced file; null for a new one. */
  before: string | null;
}

/**
 * A registry in a bucket: Amazon S3, R2, Ceph and the like by `If-None-Match` and `If-Match`, Google Cloud Storage by
 * generations. Before the first write the store is tested: one that ignores conditions would let two publishers
 * overwrite each other, and is refused.
 */
export function openS3(options: S3Options): Store {
  const requests = openRequests(options, options.env, options.proxyFor);
  const { request, google } = requests;
  const { bucket, prefix, memory, unconditional = false } = options;
  const name = `the bucket ${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  const marker = google ? 'x-goog-meta-appreg-write' : 'x-amz-meta-appreg-write';
  const { tokenOf } = conditionsFor(google)[0];
  /** The requests for the file that tests the conditions. */
  const noted: S3Request = async (method, path, details) => {
    const answer = await request(method, path, details);
    if (method === 'PUT' && answer.status < 300) options.onProbe?.(path);
    return answer;
  };
  let known: Promise<{ conditions: Conditions; recalled: boolean }> | null = null;
  const conditions = async (): Promise<Conditions> => (await (known ??= findConditions())).conditions;

  async function findConditions(): Promise<{ conditions: Conditions; recalled: boolean }> {
    if (unconditional) return { conditions: withoutConditions(google), recalled: false };
    const place = memory === undefined ? '' : await requests.identity();
    const recalled = memory?.recall(place) ?? null;
    const earlier = conditionsFor(google).find((one) => one.name === recalled);
    if (earlier !== undefined) return { conditions: earlier, recalled: true };
    const proven = await probeConditionalWrites(noted, google);
    memory?.keep(place, proven.name);
    return { conditions: proven, recalled: false };
  }

  /**
   * Tests the conditions again if they were only remembered.
   * @returns false if this process tested them
   */
  async function proveAgain(): Promise<boolean> {
    if (known === null || !(await known).recalled) return false;
    memory?.forget(await requests.identity());
    known = null;
    await conditions();
    return true;
  }

  async function look(path: string, isLastLook = false): Promise<Kept | null> {
    let hash = createHash('sha256');
    let length = 0;
    const answer = await request('GET', path, {
      isLastLook,
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
    return { length, sha256: hash.digest('hex'), token: tokenOf(answer), mark: answer.headers[marker] };
  }

  /** @param before the token of the replaced file; null for a new one */
  async function put(path: string, bytes: Bytes, before: string | null, details: WriteDetails = {}): Promise<boolean> {
    const sent: Sent = { path, bytes, mark: randomUUID(), before };
    const headers = { ...headersOf(path, bytes), [marker]: sent.mark };
    const { create, replace } = await conditions();
    const condition = before === null ? create : replace(before);
    try {
      const answer = await request('PUT', path, { headers: { ...headers, ...condition }, body: bytes });
      // An attempt without a response may have been carried out; the precondition then fails because of its own file.
      if (answer.status >= 300 && (!answer.uncertain || (await look(path))?.mark !== sent.mark)) return false;
    } catch (error) {
      if (stopRequested() === null || (await lastLook(path))?.mark !== sent.mark) throw error;
      return true;
    }
    await keeps(sent, headers, details).catch((error: unknown) => {
      // The store confirmed that it has it, and a stop leaves no time for another check.
      if (stopRequested() === null) throw error;
    });
    return true;
  }

  /** The stored file after a stop was requested; null if it cannot be read in a moment. */
  async function lastLook(path: string): Promise<Kept | null> {
    return look(path, true).catch(() => null);
  }

  /**
   * Waits until the store has what it confirmed; content that it does not keep is sent again, so that a loss is
   * detected before any document lists the file.
   * @throws AppregError `write-corrupted`, `write-lost`
   */
  async function keeps(sent: Sent, headers: Record<string, string>, { verified }: WriteDetails): Promise<void> {
    const { path, bytes, before } = sent;
    for (let attempt = 1; ; attempt++) {
      const there = await look(path);
      const fault = faultOf(there, sent);
      // Without conditions, another process may overwrite it at any moment.
      if (fault === null && there?.mark === sent.mark && !unconditional) verified?.(there.token);
      if (fault === null) return;
      if (attempt === REPAIRS) throw fault === 'old' ? notKept(name, path) : damaged(name, path, bytes.length, there);
      // Some stores show a write only after a moment.
      await wait(PATIENCE * 2 ** attempt, undefined, { signal: stopping() });
      if (faultOf(await look(path), sent) === null) continue;
      const { create, replace } = await conditions();
      const token = there?.token ?? before;
      const again = there && token !== null ? replace(token) : create;
      await request('PUT', path, { headers: { ...headers, ...again }, body: bytes });
    }
  }

  /** Writes under a condition; if remembered conditions do not hold, they are tested again and the write repeated. */
  async function write(path: string, isAsExpected: () => Promise<boolean>, send: () => Promise<boolean>) {
    segmentsOf(path);
    try {
      if (unconditional && !(await isAsExpected())) return false;
      if (await send()) return true;
      const recalled = known !== null && (await known).recalled;
      return recalled && (await isAsExpected()) && (await proveAgain()) && (await send());
    } catch (error) {
      if (isNotImplemented(error) && (await proveAgain())) return send();
      throw error;
    }
  }

  return {
    name,
    concurrency: CONCURRENCY,
    async read(path) {
      segmentsOf(path);
      const answer = await request('GET', path);
      return answer.status === 404 ? null : { bytes: answer.bytes, token: tokenOf(answer) };
    },
    async digest(path) {
      segmentsOf(path);
      const there = await look(path);
      return there && { length: there.length, sha256: there.sha256 };
    },
    async create(path, bytes, details) {
      const isFree = async (): Promise<boolean> => (await look(path)) === null;
      const send = async (): Promise<boolean> => put(path, bytes, null, details);
      return (await write(path, isFree, send)) ? 'created' : 'exists';
    },
    async replace(path, bytes, token, details) {
      const isAsRead = async (): Promise<boolean> => (await look(path))?.token === token;
      const send = async (): Promise<boolean> => put(path, bytes, token, details);
      return (await write(path, isAsRead, send)) ? 'replaced' : 'changed';
    },
    absent: (paths) => absentIn(requests, prefix, paths),
  };
}

/** The difference between the stored file and what was sent; null if it is there, or the write of another publisher. */
function faultOf(there: Kept | null, { bytes, mark, before }: Sent): 'none' | 'old' | 'other' | null {
  if (there === null) return 'none';
  if (there.sha256 === sha256Of(bytes)) return null;
  if (there.mark === mark) return 'other';
  return there.token === before ? 'old' : null;
}

function notKept(name: string, path: string): AppregError {
  return new AppregError(
    'write-lost',
    `${printable(name)} answered that it stored ${printable(path)}, but did not keep the write: it still has what was there before, ${REPAIRS} times in a row.`,
    'A cache or a replica in front of the store may be the cause: check "endpoint" of the store in the configuration; then run the same command again.',
  );
}

function damaged(name: string, path: string, sent: number, there: Digest | null): AppregError {
  const kept = there === null ? 'nothing' : `${there.length} bytes that are not it`;
  return new AppregError(
    'write-corrupted',
    `${printable(name)} took ${printable(path)} (${sent} bytes), and keeps ${kept}, ${REPAIRS} times in a row.`,
    'Ask whoever runs that store, or what stands in front of it; then run the same command again.',
  );
}

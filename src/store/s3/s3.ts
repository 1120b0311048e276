import { checkedSegments } from '../paths.ts';
import type { Store } from '../store.ts';
import { possibleConditions, isNotImplemented, proveConditions, type ProvenConditionsOptions } from './conditions.ts';
import { absentIn, openObjects, type ObjectsOptions } from './objects.ts';
import type { S3Place } from './place.ts';
import { openRequests, type S3Requests, type S3RequestsOptions } from './request.ts';

export interface S3Options
  extends S3Place, S3RequestsOptions, ProvenConditionsOptions, Pick<ObjectsOptions, 'visibilityDelay'> {}

/** Requests in flight at once. */
const CONCURRENCY = 64;

/**
 * A registry in a bucket: Amazon S3, R2, Ceph and the like by `If-None-Match` and `If-Match`, Google Cloud Storage by
 * generations. Before the first write the store is tested: one that ignores conditions would let two publishers
 * overwrite each other, and is refused.
 * @param requests to the same place (default: those of this store alone)
 */
export function openS3(options: S3Options, requests: S3Requests = openRequests(options, options)): Store {
  const { bucket, prefix, unconditional = false } = options;
  const name = `the bucket ${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  const conditions = proveConditions(requests, options);
  const objects = openObjects(requests, { ...options, name, conditions, unconditional });
  /** The date of the last response, and when it was received. */
  let clock: { date: number; at: number } | null = null;
  const { tokenOf } = possibleConditions(requests.google)[0];

  /** Writes under a condition; if remembered conditions do not hold, they are tested again and the write repeated. */
  async function write(
    path: string,
    isAsExpected: () => Promise<boolean>,
    send: () => Promise<boolean>,
  ): Promise<boolean> {
    checkedSegments(path);
    try {
      if (unconditional && !(await isAsExpected())) return false;
      if (await send()) return true;
      const isDoubtful = await conditions.areRecalled();
      return isDoubtful && (await isAsExpected()) && (await conditions.proveAgain()) && (await send());
    } catch (error) {
      if (isNotImplemented(error) && (await conditions.proveAgain())) return send();
      throw error;
    }
  }

  return {
    name,
    concurrency: CONCURRENCY,
    async read(path) {
      checkedSegments(path);
      const answer = await requests.request('GET', path);
      const date = Date.parse(answer.headers['date'] ?? '');
      if (!Number.isNaN(date)) clock = { date, at: performance.now() };
      return answer.status === 404 ? null : { bytes: answer.bytes, token: tokenOf(answer) };
    },
    now: () => clock && clock.date + Math.round(performance.now() - clock.at),
    async digest(path) {
      checkedSegments(path);
      const stored = await objects.inspect(path);
      return stored && { length: stored.length, sha256: stored.sha256 };
    },
    async create(path, bytes, details) {
      const isFree = async (): Promise<boolean> => (await objects.inspect(path)) === null;
      const send = async (): Promise<boolean> => objects.put(path, bytes, null, details);
      return (await write(path, isFree, send)) ? 'created' : 'exists';
    },
    async replace(path, bytes, token, details) {
      const isAsRead = async (): Promise<boolean> => (await objects.inspect(path))?.token === token;
      const send = async (): Promise<boolean> => objects.put(path, bytes, token, details);
      return (await write(path, isAsRead, send)) ? 'replaced' : 'changed';
    },
    absent: (paths) => absentIn(requests, prefix, paths),
  };
}

import { isAppregError, AppregError } from '../../core/errors/error.ts';
import { cacheControlOf, mediaTypeOf } from '../../core/registry/media.ts';
import { message } from '../../core/text/message.ts';
import { type Bytes, md5Of } from '../bytes.ts';
import type { S3Request, S3Requests } from './request.ts';
import type { S3Response } from './signed-requests.ts';

/** The headers that a file is stored with. Their digest makes the store reject data damaged in transit. */
export function uploadHeaders(path: string, bytes: Bytes): Record<string, string> {
  return {
    'content-type': mediaTypeOf(path),
    'cache-control': cacheControlOf(path),
    'content-md5': md5Of(bytes),
  };
}

/** The names of the conditions that object stores support, as they are remembered. */
export type ConditionsName = 'etag' | 'bare-etag' | 'generation';

/** Conditions that make a store write only if nothing exists, or only over the version that was read. */
interface Conditions {
  name: ConditionsName;
  create: Record<string, string>;
  replace(token: string): Record<string, string>;
  tokenOf(answer: Pick<S3Response, 'headers'>): string;
}

/** Remembers which conditions a store was proven to support. A place is a digest (`S3Requests.identity`). */
export interface ConditionsMemory {
  recall(place: string): ConditionsName | null;
  keep(place: string, name: ConditionsName): void;
  forget(place: string): void;
}

const ETAGS: Conditions = {
  name: 'etag',
  create: { 'if-none-match': '*' },
  replace: (token) => ({ 'if-match': token }),
  tokenOf: ({ headers }) => headers['etag'] ?? '',
};
/** Ceph compares the entity tag without its quotes. */
const BARE_ETAGS: Conditions = {
  ...ETAGS,
  name: 'bare-etag',
  replace: (token) => ({ 'if-match': token.replaceAll('"', '') }),
};
const GENERATIONS: Conditions = {
  name: 'generation',
  create: { 'x-goog-if-generation-match': '0' },
  replace: (token) => ({ 'x-goog-if-generation-match': token }),
  tokenOf: ({ headers }) => headers['x-goog-generation'] ?? '',
};

/** The conditions that a store may support, in the order in which they are tried. */
export function possibleConditions(google: boolean): readonly [Conditions, ...Conditions[]] {
  return google ? [GENERATIONS] : [ETAGS, BARE_ETAGS];
}

/** For a store without conditional writes. */
function withoutConditions(google: boolean): Conditions {
  return { ...possibleConditions(google)[0], create: {}, replace: () => ({}) };
}

/** Written to test the store's conditions; it is not deleted, so that no delete permission is needed. */
const PROBE_PATH = '.appreg-probe.txt';
const PROBE_BYTES = Buffer.from('appreg writes this file to test that the store supports conditional writes.\n');

/**
 * Writes a small file in all the ways that must succeed or fail.
 * @returns the first conditions that the store supports
 * @throws AppregError `conditional-writes-unsupported`, and the errors of requests
 */
async function probeConditionalWrites(request: S3Request, google: boolean): Promise<Conditions> {
  const known = possibleConditions(google);
  const put = async (condition: Record<string, string>): Promise<boolean> => {
    const headers = { ...uploadHeaders(PROBE_PATH, PROBE_BYTES), ...condition };
    const answer = await request('PUT', PROBE_PATH, { headers, body: PROBE_BYTES }).catch((error: unknown) => {
      throw isNotImplemented(error) ? unconditional('it responds with status 501') : error;
    });
    return answer.status < 300;
  };
  const [{ create }] = known;
  if ((await put(create)) && (await put(create))) throw unconditional('it allows the same file to be created twice');
  // Another process may test the store at the same time.
  for (let attempt = 0; attempt < 5; attempt++) {
    const stored = await request('GET', PROBE_PATH);
    if (stored.status >= 300) continue;
    for (const conditions of known) {
      if (!(await put(conditions.replace(conditions.tokenOf(stored))))) continue;
      if (await put(conditions.replace(google ? '1' : '"00000000000000000000000000000000"')))
        throw unconditional('it replaces a file that has changed');
      return conditions;
    }
  }
  throw new AppregError(
    'conditional-writes-unsupported',
    message`The store refuses to replace a file that has not changed (If-Match).`,
    message`Set "unconditional": true for this store in the configuration if publishers never run at the same time.`,
    { effect: 'none' },
  );
}

/** True for the error of a request to which the store responded with 501. */
export function isNotImplemented(error: unknown): boolean {
  return isAppregError(error) && error.code === 's3-not-implemented';
}

function unconditional(why: string): AppregError {
  return new AppregError(
    'conditional-writes-unsupported',
    message`The store does not support conditional writes: ${why}. Concurrent publishers could overwrite each other.`,
    message`Use a store that supports them (S3, R2, GCS, Ceph …), or set "unconditional": true for this store in the configuration if publishers never run at the same time.`,
    { effect: 'none' },
  );
}

export interface ProvenConditionsOptions {
  /** True to use a store that supports no conditions: the stored file is checked before each write instead. */
  unconditional?: boolean;
  /** The conditions that the store was proven to support before (default: unknown, so they are tested). */
  memory?: ConditionsMemory;
  /** Called when the file was written that tests the store's conditions. */
  onProbe?: (path: string) => void;
}

/** The conditions that a store supports, tested before the first write. */
export interface ProvenConditions {
  current(): Promise<Conditions>;
  /** True if an earlier process tested them. */
  areRecalled(): Promise<boolean>;
  /**
   * Tests the conditions again if they were only remembered.
   * @returns false if this process tested them
   */
  proveAgain(): Promise<boolean>;
}

export function proveConditions(
  requests: S3Requests,
  { unconditional = false, memory, onProbe }: ProvenConditionsOptions,
): ProvenConditions {
  const { request, google } = requests;
  let known: Promise<{ conditions: Conditions; isRecalled: boolean }> | null = null;

  /** The requests for the file that tests the conditions. */
  const probeRequest: S3Request = async (method, path, details) => {
    const answer = await request(method, path, details);
    if (method === 'PUT' && answer.status < 300) onProbe?.(path);
    return answer;
  };

  async function find(): Promise<{ conditions: Conditions; isRecalled: boolean }> {
    if (unconditional) return { conditions: withoutConditions(google), isRecalled: false };
    const place = memory === undefined ? '' : await requests.identity();
    const name = memory?.recall(place) ?? null;
    const recalled = possibleConditions(google).find((conditions) => conditions.name === name);
    if (recalled !== undefined) return { conditions: recalled, isRecalled: true };
    const proven = await probeConditionalWrites(probeRequest, google);
    memory?.keep(place, proven.name);
    return { conditions: proven, isRecalled: false };
  }

  const current = async (): Promise<Conditions> => (await (known ??= find())).conditions;
  const areRecalled = async (): Promise<boolean> => known !== null && (await known).isRecalled;

  async function proveAgain(): Promise<boolean> {
    if (!(await areRecalled())) return false;
    memory?.forget(await requests.identity());
    known = null;
    await current();
    return true;
  }

  return { current, areRecalled, proveAgain };
}

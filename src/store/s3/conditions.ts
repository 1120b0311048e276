import { message } from '../../core/text/message.ts';
import { isAppregError, AppregError } from '../../core/errors.ts';
import { uploadHeaders } from './headers.ts';
import type { S3Request } from './request.ts';
import type { S3Response } from './signed-requests.ts';

/** The names of the conditions that object stores support, as they are remembered. */
export type ConditionsName = 'etag' | 'bare-etag' | 'generation';

/** How a store is requested to write only if nothing exists, or only over the version that was read. */
export interface Conditions {
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
export function withoutConditions(google: boolean): Conditions {
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
export async function probeConditionalWrites(request: S3Request, google: boolean): Promise<Conditions> {
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

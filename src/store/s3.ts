import { createHash, randomUUID } from 'node:crypto';
import { cacheControlOf, mediaTypeOf } from '../core/media.ts';
import { printable } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { NOTHING_CHANGED } from './disk-trouble.ts';
import { segmentsOf } from './paths.ts';
import { type S3Answer, type S3Place, type S3Request, s3Requests } from './s3-request.ts';
import type { Store, Stored } from './store.ts';

export interface S3Options extends S3Place {
  env: NodeJS.ProcessEnv;
  /** True to use a store that knows no conditions: what is there is looked at before each write instead. */
  unconditional?: boolean;
  /** True for a store whose conditions go by generations, as Google's do (default: by its address). */
  generations?: boolean;
}

/** How a store is asked to write only where nothing is, or only over what was read. */
interface Conditions {
  create: Record<string, string>;
  replace(token: string): Record<string, string>;
  tokenOf(answer: S3Answer): string;
}

/** Written where the store's promises are tried out; it stays, so that it need not be deleted. */
const PROBE = '.appreg-probe.txt';
const PROBE_BYTES = Buffer.from('appreg writes this file to see that the store honours conditional writes.\n');

/**
 * A registry in a bucket: Amazon S3, R2, Ceph and their like by `If-None-Match` and `If-Match`, Google Cloud Storage by
 * generations. Before the first write the store is tried out: one that ignores conditions would let two publishers
 * overwrite each other, and is refused.
 */
export function openS3(options: S3Options): Store {
  const request = s3Requests(options, options.env);
  const google = options.generations ?? isGoogle(options.endpoint);
  let proven: Promise<Conditions> | null = null;
  const conditions = (): Promise<Conditions> => (proven ??= google ? prove(request, GOOGLE) : proveEtags(request));

  async function read(path: string): Promise<(Stored & { answer: S3Answer }) | null> {
    segmentsOf(path);
    const answer = await request('GET', path);
    if (answer.status === 404) return null;
    return { bytes: answer.bytes, token: (google ? GOOGLE : ETAGS).tokenOf(answer), answer };
  }

  async function put(path: string, bytes: Uint8Array, condition: Record<string, string>): Promise<boolean> {
    const mark = randomUUID();
    const field = google ? 'x-goog-meta-appreg-write' : 'x-amz-meta-appreg-write';
    const answer = await request('PUT', path, { ...headersOf(path, bytes), [field]: mark, ...condition }, bytes);
    if (answer.status < 300) return true;
    // An attempt that got no answer may have been carried out, and then it is what stands in the way now.
    return answer.uncertain && (await read(path))?.answer.headers[field] === mark;
  }

  return {
    name: `the bucket ${options.bucket}${options.prefix === '' ? '' : `/${options.prefix}`}`,
    read,
    async create(path, bytes) {
      segmentsOf(path);
      if (options.unconditional)
        return (await read(path)) === null && (await put(path, bytes, {})) ? 'created' : 'exists';
      return (await put(path, bytes, (await conditions()).create)) ? 'created' : 'exists';
    },
    async replace(path, bytes, token) {
      segmentsOf(path);
      if (options.unconditional)
        return (await read(path))?.token === token && (await put(path, bytes, {})) ? 'replaced' : 'changed';
      return (await put(path, bytes, (await conditions()).replace(token))) ? 'replaced' : 'changed';
    },
  };
}

function isGoogle(endpoint: string | null): boolean {
  return endpoint !== null && /(^|\.)storage\.googleapis\.com$/.test(new URL(endpoint).hostname);
}

/** The digests let the store refuse what was damaged on its way. */
function headersOf(path: string, bytes: Uint8Array): Record<string, string> {
  return {
    'content-type': mediaTypeOf(path),
    'cache-control': cacheControlOf(path),
    'content-md5': createHash('md5').update(bytes).digest('base64'),
  };
}

const ETAGS: Conditions = {
  create: { 'if-none-match': '*' },
  replace: (token) => ({ 'if-match': token }),
  tokenOf: ({ headers }) => headers['etag'] ?? '',
};
/** Ceph compares the entity tag with its quotes left out. */
const BARE_ETAGS: Conditions = { ...ETAGS, replace: (token) => ({ 'if-match': token.replaceAll('"', '') }) };
const GOOGLE: Conditions = {
  create: { 'x-goog-if-generation-match': '0' },
  replace: (token) => ({ 'x-goog-if-generation-match': token }),
  tokenOf: ({ headers }) => headers['x-goog-generation'] ?? '',
};

async function proveEtags(request: S3Request): Promise<Conditions> {
  try {
    return await prove(request, ETAGS);
  } catch (error) {
    if (!(error instanceof Trouble) || error.code !== 'store-refuses') throw error;
    return prove(request, BARE_ETAGS);
  }
}

/** Writes a small file in all the ways that must succeed or fail. */
async function prove(request: S3Request, conditions: Conditions): Promise<Conditions> {
  const put = async (condition: Record<string, string>): Promise<boolean> => {
    const answer = await request('PUT', PROBE, { ...headersOf(PROBE, PROBE_BYTES), ...condition }, PROBE_BYTES).catch(
      (error: unknown) => {
        throw error instanceof Trouble && /: 501\b/.test(error.message)
          ? unconditional('it answers them with 501')
          : error;
      },
    );
    return answer.status < 300;
  };
  if ((await put(conditions.create)) && (await put(conditions.create)))
    throw unconditional('it lets a file be created twice');
  if (await put(conditions.replace(conditions === GOOGLE ? '1' : '"00000000000000000000000000000000"')))
    throw unconditional('it replaces a file that was in another state');
  // Somebody else may be trying the store out at the same time.
  for (let attempt = 0; attempt < 5; attempt++) {
    const there = await request('GET', PROBE);
    if (there.status < 300 && (await put(conditions.replace(conditions.tokenOf(there))))) return conditions;
  }
  throw new Trouble(
    'store-refuses',
    `The store refuses to replace a file that was not changed (If-Match). ${NOTHING_CHANGED}`,
    'Set "unconditional": true for this store in the configuration, if nobody else publishes at the same time.',
  );
}

function unconditional(why: string): Trouble {
  return new Trouble(
    'store-unconditional',
    `The store does not honour conditional writes: ${printable(why)}. Two who publish at once could overwrite each other. ${NOTHING_CHANGED}`,
    'Use a store that does (S3, R2, GCS, Ceph …), or set "unconditional": true for this store in the configuration, if nobody else publishes at the same time.',
  );
}

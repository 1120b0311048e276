import { createHash, randomUUID } from 'node:crypto';
import { cacheControlOf, mediaTypeOf } from '../core/media.ts';
import { printable } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { NOTHING_CHANGED } from './disk-trouble.ts';
import { segmentsOf } from './paths.ts';
import { openRequests, type S3Answer, type S3Place, type S3Request } from './s3-request.ts';
import type { WebProxyFor } from './s3-web.ts';
import type { Store, Stored } from './store.ts';

export interface S3Options extends S3Place {
  env: NodeJS.ProcessEnv;
  /** True to use a store that knows no conditions: what is there is looked at before each write instead. */
  unconditional?: boolean;
  /** The proxies of this machine (default: none). */
  proxyFor?: WebProxyFor;
}

/** How a store is asked to write only where nothing is, or only over what was read. */
interface Conditions {
  create: Record<string, string>;
  replace(token: string): Record<string, string>;
  tokenOf(answer: S3Answer): string;
}

/** So often what a store kept otherwise than it was sent is sent anew. */
const REPAIRS = 4;

/** Written where the store's promises are tried out; it stays, so that it need not be deleted. */
const PROBE = '.appreg-probe.txt';
const PROBE_BYTES = Buffer.from('appreg writes this file to see that the store honours conditional writes.\n');

/**
 * A registry in a bucket: Amazon S3, R2, Ceph and their like by `If-None-Match` and `If-Match`, Google Cloud Storage by
 * generations. Before the first write the store is tried out: one that ignores conditions would let two publishers
 * overwrite each other, and is refused.
 */
export function openS3(options: S3Options): Store {
  const { request, google } = openRequests(options, options.env, options.proxyFor);
  const name = `the bucket ${options.bucket}${options.prefix === '' ? '' : `/${options.prefix}`}`;
  const marker = google ? 'x-goog-meta-appreg-write' : 'x-amz-meta-appreg-write';
  const usual = google ? GOOGLE : ETAGS;
  let proven: Promise<Conditions> | null = null;
  const conditions = (): Promise<Conditions> =>
    (proven ??= options.unconditional
      ? Promise.resolve({ ...usual, create: {}, replace: () => ({}) })
      : prove(request, google ? [GOOGLE] : [ETAGS, BARE_ETAGS]));

  async function read(path: string): Promise<(Stored & { mark: string | undefined }) | null> {
    segmentsOf(path);
    const answer = await request('GET', path);
    if (answer.status === 404) return null;
    return { bytes: answer.bytes, token: usual.tokenOf(answer), mark: answer.headers[marker] };
  }

  async function put(path: string, bytes: Uint8Array, condition: Record<string, string>): Promise<boolean> {
    const mark = randomUUID();
    const headers = { ...headersOf(path, bytes), [marker]: mark };
    const answer = await request('PUT', path, { ...headers, ...condition }, bytes);
    // An attempt that got no answer may have been carried out, and then it is what stands in the way now.
    if (answer.status >= 300 && (!answer.uncertain || (await read(path))?.mark !== mark)) return false;
    // A store that keeps something else than what it took is found out before anything lists it.
    for (let attempt = 1; ; attempt++) {
      const there = await read(path);
      // Others may have gone on from there already.
      if (there && (there.mark !== mark || Buffer.from(there.bytes).equals(bytes))) return true;
      if (attempt === REPAIRS) throw damaged(name, path, bytes, there?.bytes ?? null);
      const { create, replace } = await conditions();
      await request('PUT', path, { ...headers, ...(there ? replace(there.token) : create) }, bytes);
    }
  }

  return {
    name,
    read,
    async create(path, bytes) {
      segmentsOf(path);
      if (options.unconditional && (await read(path)) !== null) return 'exists';
      return (await put(path, bytes, (await conditions()).create)) ? 'created' : 'exists';
    },
    async replace(path, bytes, token) {
      segmentsOf(path);
      if (options.unconditional && (await read(path))?.token !== token) return 'changed';
      return (await put(path, bytes, (await conditions()).replace(token))) ? 'replaced' : 'changed';
    },
  };
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

/** Writes a small file in all the ways that must succeed or fail. @returns the first conditions that the store knows */
async function prove(request: S3Request, known: readonly Conditions[]): Promise<Conditions> {
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
  const [{ create }] = known as [Conditions];
  if ((await put(create)) && (await put(create))) throw unconditional('it lets a file be created twice');
  // Somebody else may be trying the store out at the same time.
  for (let attempt = 0; attempt < 5; attempt++) {
    const there = await request('GET', PROBE);
    if (there.status >= 300) continue;
    for (const conditions of known) {
      if (!(await put(conditions.replace(conditions.tokenOf(there))))) continue;
      if (await put(conditions.replace(conditions === GOOGLE ? '1' : '"00000000000000000000000000000000"')))
        throw unconditional('it replaces a file that was in another state');
      return conditions;
    }
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

function damaged(name: string, path: string, sent: Uint8Array, there: Uint8Array | null): Trouble {
  const kept = there === null ? 'nothing' : `${there.length} bytes that are not it`;
  return new Trouble(
    's3-damaged',
    `${printable(name)} took ${printable(path)} (${sent.length} bytes), and keeps ${kept}, ${REPAIRS} times in a row.`,
    'Ask whoever runs that store, or what stands in front of it; then run the same command again.',
  );
}

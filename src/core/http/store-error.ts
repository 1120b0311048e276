import { type SafeText, message } from '../text/message.ts';
import type { Hop } from '../facts/facts.ts';
import { headerValue } from './headers.ts';
import { parseUrl } from '../url/url.ts';

/** Error messages of object stores: Amazon S3 and compatible ones, Google Cloud Storage, Azure Blob Storage. */

interface StoreError {
  /** To follow "the host responds with 404 (NoSuchBucket): ". */
  means: string;
  advice: SafeText;
}

const STORE_ERRORS: Readonly<Record<string, StoreError>> = {
  NoSuchBucket: { means: 'the bucket does not exist.', advice: message`Check the name of the bucket in the URL.` },
  ContainerNotFound: {
    means: 'the container does not exist.',
    advice: message`Check the name of the container in the URL.`,
  },
  InvalidBucketName: {
    means: 'the name of the bucket is not valid.',
    advice: message`Check the name of the bucket in the URL.`,
  },
  PublicAccessNotPermitted: {
    means: 'the storage account does not permit public access.',
    advice: message`Allow public access in the settings of the storage account, or list URLs with a signature (SAS).`,
  },
  AllAccessDisabled: {
    means: 'all access to the bucket is disabled.',
    advice: message`Enable the bucket again, or use another one.`,
  },
  AccountIsDisabled: {
    means: 'the storage account is disabled.',
    advice: message`Check the account and its bills at the host.`,
  },
  AccountProblem: {
    means: 'the account of the bucket has a problem.',
    advice: message`Check the account and its bills at the host.`,
  },
  UserProjectAccountProblem: {
    means: 'the project of the bucket has a billing problem.',
    advice: message`Check the project and its billing account.`,
  },
  UserProjectMissing: {
    means: 'the requester has to pay, which a public client cannot.',
    advice: message`Turn off "requester pays" for the bucket.`,
  },
  InvalidObjectState: {
    means: 'the file is archived.',
    advice: message`Restore the file, and store it in a class without retrieval.`,
  },
  BlobArchived: { means: 'the file is archived.', advice: message`Move the file to the hot or cool access tier.` },
  RequestTimeTooSkewed: {
    means: 'the signature of the URL does not match the time of the request.',
    advice: message`Check the clock of the machine that signs the URL.`,
  },
  SignatureDoesNotMatch: {
    means: 'the signature of the URL is not valid.',
    advice: message`Sign the URL again, and list it unchanged, with its whole query.`,
  },
  InvalidAccessKeyId: {
    means: 'the access key that signed the URL does not exist.',
    advice: message`Sign the URL with a valid key.`,
  },
  ExpiredToken: {
    means: 'the temporary credentials that signed the URL have expired.',
    advice: message`Sign the URL again.`,
  },
};

/** The code of the error message of a store; null for other responses. */
export function storeErrorCode({ excerpt = '' }: Pick<Hop, 'excerpt'>): string | null {
  return element(excerpt, 'Code');
}

/** Looks up the meaning of a store's error code; null if the status says as much. */
export function storeError(code: string | null): StoreError | null {
  return code === null ? null : (STORE_ERRORS[code] ?? null);
}

const MOVED = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);

/**
 * The URL to use for a bucket in another region; null if the response names no region or endpoint. The response is
 * untrusted: an endpoint that is not a host name in DNS is ignored.
 */
export function urlInOtherRegion(
  hop: Pick<Hop, 'url' | 'headers' | 'excerpt'>,
): { url: string | null; region: string | null } | null {
  const code = storeErrorCode(hop);
  const region = regionIn(hop);
  const isRedirect = code !== null && MOVED.has(code);
  if (!isRedirect) return null;
  const from = parseUrl(hop.url);
  const endpoint = endpointIn(hop.excerpt ?? '') ?? (from === null ? null : regionalEndpoint(from.hostname, region));
  if (from === null || endpoint === null) return { url: null, region };
  const { bucket, key } = placeIn(from, element(hop.excerpt ?? '', 'Bucket'));
  const isInHost = bucket === null || endpoint.startsWith(`${bucket}.`);
  // A bucket with dots has no certificate for such a host name.
  const isVirtual = isInHost || !bucket.includes('.');
  const host = isInHost || !isVirtual ? endpoint : `${bucket}.${endpoint}`;
  const path = isVirtual ? key : `/${bucket}${key}`;
  return host === from.host && path === from.pathname
    ? { url: null, region }
    : { url: `https://${host}${path}${from.search}`, region };
}

/** The bucket and the path of the object, from a URL in either style. */
function placeIn({ hostname, pathname }: URL, named: string | null): { bucket: string | null; key: string } {
  const isPathStyle = /^s3[.-]|^storage\.googleapis\.com$/.test(hostname);
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  const bucket = named ?? (isPathStyle ? first : /^(.+?)\.s3[.-]/.exec(hostname)?.[1]) ?? null;
  const hasBucketInPath = bucket !== null && first === bucket && !hostname.startsWith(`${bucket}.`);
  const safe = bucket !== null && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) ? bucket : null;
  return { bucket: safe, key: hasBucketInPath && safe !== null ? rest || '/' : pathname };
}

function regionIn({ headers, excerpt = '' }: Pick<Hop, 'headers' | 'excerpt'>): string | null {
  const region = headerValue(headers, 'x-amz-bucket-region') ?? element(excerpt, 'Region');
  return region !== null && /^[a-z]{2}(-[a-z]+)+-\d{1,2}$/.test(region) ? region : null;
}

/** The regional endpoint of Amazon S3, if the URL is one of Amazon S3. */
function regionalEndpoint(hostname: string, region: string | null): string | null {
  const suffix = /\.amazonaws\.com(\.cn)?$/.exec(hostname)?.[0];
  return region === null || suffix === undefined ? null : `s3.${region}${suffix}`;
}

function endpointIn(excerpt: string): string | null {
  const endpoint = element(excerpt, 'Endpoint')?.toLowerCase() ?? null;
  if (endpoint === null || endpoint.length > 253) return null;
  const labels = endpoint.split('.');
  const isName = labels.length > 1 && labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') && !/(^|\.)(localhost|local|internal|arpa)$/.test(endpoint)
    ? endpoint
    : null;
}

function element(text: string, name: string): string | null {
  return new RegExp(`<${name}>([\\w.:-]{1,300})</${name}>`).exec(text)?.[1] ?? null;
}

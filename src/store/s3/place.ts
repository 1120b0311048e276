import { message } from '../../core/text/message.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { parseUrl } from '../../core/url/url.ts';
import { profileSettings } from './profile.ts';
import { encodeSegment } from './sign.ts';

/** The place of a registry in a bucket. */

export interface S3Place {
  bucket: string;
  /** Prepended to every path; '' for none. */
  prefix: string;
  region: string | null;
  /** The store's address if it is not Amazon's; the bucket is then the first part of the path. */
  endpoint: string | null;
  /** True for a store with Google's dialect (default: by its address). */
  google?: boolean;
}

/** The place after its region and endpoint were looked up. */
export interface ResolvedPlace {
  /** The base address of keys, with its slash. */
  base: string;
  region: string;
  /** True if the store uses Google's dialect. */
  google: boolean;
}

/** @throws AppregError `s3-endpoint-invalid` */
export function resolvePlace(place: S3Place, env: NodeJS.ProcessEnv): ResolvedPlace {
  const profile = profileSettings(env);
  const named = place.endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? profile.endpoint;
  const endpoint = named === null ? null : checkedEndpoint(named);
  const google = place.google ?? (endpoint !== null && /(^|\.)storage\.googleapis\.com$/.test(endpoint.hostname));
  const defaultRegion = google ? 'auto' : 'us-east-1';
  const region = place.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? profile.region ?? defaultRegion;
  return { base: baseOf(place, endpoint, region), region, google };
}

function checkedEndpoint(endpoint: string): URL {
  const url = parseUrl(endpoint);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '') return url;
  throw new AppregError(
    's3-endpoint-invalid',
    message`The endpoint of the S3 store is not a valid URL: ${safeExcerpt(endpoint)}`,
    message`Write it as https://host[:port], without credentials (in the configuration, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or the profile’s endpoint_url).`,
  );
}

/** The base address of keys, with its slash. */
function baseOf({ bucket }: S3Place, endpoint: URL | null, region: string): string {
  const name = encodeSegment(bucket);
  if (endpoint !== null) return `${endpoint.href.replace(/\/+$/, '')}/${name}/`;
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  // A name with a dot would not be covered by the certificate.
  return bucket.includes('.') ? `https://${host}/${name}/` : `https://${name}.${host}/`;
}

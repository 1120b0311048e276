import {
  expiryParameter,
  fromBase64,
  isAddedBySigning,
  isPolicy,
  isSignature,
  tokenParts,
} from '../text/signature-parameters.ts';
import { comparableUrl, parseUrl } from './url.ts';

/** The expiry of signed URLs, as common hosts write it into the query or the path. */

/** A time in milliseconds since 1970, and the scheme that defines it. */
interface Expiry {
  expiresAt: number;
  scheme: string;
}

/** The query with names in lower case. */
type Query = ReadonlyMap<string, string>;

/** The largest time of a Date. */
const MAX_TIME = 8.64e15;

/** Signs without which a path has no token. */
const MAY_HAVE_TOKEN = /=|%3d|\/eyJ/i;

/** The expiry of a signed URL; null when it has none. If several apply, the earliest. */
export function urlExpiry({ searchParams, pathname }: Pick<URL, 'searchParams' | 'pathname'>): Expiry | null {
  if (searchParams.size === 0 && !MAY_HAVE_TOKEN.test(pathname)) return null;
  return earliestOf([signatureExpiry(searchParams), ...expiriesInPath(pathname)]);
}

/** The same for a query alone. */
export function signatureExpiry(query: URLSearchParams): Expiry | null {
  if (query.size === 0) return null;
  const lower = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  return earliestOf([
    expiryFromDuration(lower),
    ...expiriesFromParameters(lower),
    expiryInPolicy(lower),
    expiryInSignTime(lower),
    ...[...lower.values()].map((value) => tokenParts(value)),
  ]);
}

/** Tokens in the path: fields or a query in place of a folder, and JWTs. */
function expiriesInPath(pathname: string): (Expiry | null)[] {
  if (!MAY_HAVE_TOKEN.test(pathname)) return [];
  const fields = PATH_FIELDS.exec(pathname)?.[1];
  return [
    fields === undefined ? null : tokenParts(fields),
    ...pathname
      .split('/')
      .flatMap((segment) => [
        /^[\w-]+=[^&]+&/.test(segment) ? signatureExpiry(new URLSearchParams(segment)) : null,
        segment.startsWith('eyJ') ? tokenParts(segment) : null,
      ]),
  ];
}

// The fields of a token of Akamai may have slashes, as in `acl=/*`.
const PATH_FIELDS =
  /\/(?:(?:hdnts|hdnea|hdntl|__token__|edge-cache-token)=)?((?:[a-z]{1,20}=[^/~]{0,200}~){0,4}exp(?:ires)?=\d.*)$/i;

function earliestOf(found: readonly (Expiry | null)[]): Expiry | null {
  let earliest: Expiry | null = null;
  for (const one of found) {
    if (one === null || !(one.expiresAt <= MAX_TIME)) continue;
    if (earliest === null || one.expiresAt < earliest.expiresAt) earliest = one;
  }
  return earliest === null ? null : { expiresAt: earliest.expiresAt, scheme: earliest.scheme };
}

/** A signed URL with an empty signature, so that it compares equal after signing it again; any other URL unchanged. */
export function withoutSignature(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === null || signatureExpiry(parsed.searchParams) === null) return url;
  const added = [...parsed.searchParams].filter(([name, value]) => isAddedBySigning(name.toLowerCase(), value));
  for (const [name] of added) parsed.searchParams.delete(name);
  parsed.searchParams.set('signature', '');
  return parsed.href;
}

/** The target of a URL: another form of it, or signing it again, does not change it. */
export function addressOf(url: string): string {
  return comparableUrl(withoutSignature(url));
}

// AWS and others write the time in the basic format of ISO 8601.
const SIGNED_AT =
  /^(?<year>\d{4})-?(?<month>\d\d)-?(?<day>\d\d)T(?<hour>\d\d):?(?<minute>\d\d):?(?<second>\d\d)(?:\.\d+)?Z$/i;
const SCHEMES: Readonly<Record<string, string>> = { amz: 'AWS SigV4', goog: 'Google V4' };

/** Amazon's scheme, with the name of any vendor: a time, and a number of seconds. */
function expiryFromDuration(query: Query): Expiry | null {
  for (const [name, length] of query) {
    const vendor = /^x-([a-z]{2,10})-expires$/.exec(name)?.[1];
    if (vendor === undefined || !query.has(`x-${vendor}-signature`) || !/^\d{1,9}$/.test(length)) continue;
    const start = SIGNED_AT.exec(query.get(`x-${vendor}-date`) ?? '');
    if (!start?.groups) continue;
    const { year, month, day, hour, minute, second } = start.groups;
    const signedAt = Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
    return {
      expiresAt: signedAt + Number(length) * 1000,
      scheme: SCHEMES[vendor] ?? `x-${vendor}-expires`,
    };
  }
  return null;
}

/** Times in parameters of their own, beside one that authorizes. */
function expiriesFromParameters(query: Query): Expiry[] {
  const isSigned = [...query].some(([name, value]) => isSignature(name, value));
  return [...query].flatMap(([name, text]) => {
    const parameter = expiryParameter(name);
    if (parameter === null) return [];
    const { scheme, read, signedBy } = parameter;
    if (!(signedBy?.some((signature) => query.has(signature)) ?? isSigned)) return [];
    return [{ expiresAt: read(text), scheme }];
  });
}

/** The expiry in CloudFront's custom policy, which is JSON in URL-safe base64. */
function expiryInPolicy(query: Query): Expiry | null {
  const policy = query.get('policy');
  if (policy === undefined || !isPolicy(policy) || !query.has('signature')) return null;
  const text = fromBase64(policy.replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/'));
  return expiryAtSeconds(
    /"DateLessThan"\s*:\s*\{\s*"AWS:EpochTime"\s*:\s*"?(\d{9,11})\b/.exec(text)?.[1],
    'CloudFront policy',
  );
}

/** Tencent's `start;end`. */
function expiryInSignTime(query: Query): Expiry | null {
  if (!query.has('q-signature')) return null;
  return expiryAtSeconds(/^\d+;(\d{9,11})$/.exec(query.get('q-sign-time') ?? '')?.[1], 'q-sign-time');
}

function expiryAtSeconds(seconds: string | undefined, scheme: string): Expiry | null {
  return seconds === undefined ? null : { expiresAt: Number(seconds) * 1000, scheme };
}

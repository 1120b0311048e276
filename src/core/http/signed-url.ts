import { parseUrl } from './url.ts';

/** The expiry of signed URLs, as common hosts write it into the query. */

/** The expiry of a signed URL in milliseconds since 1970, and the scheme that defines it; null when it has none. */
export function signatureExpiry(query: URLSearchParams): { expiresAt: number; scheme: string } | null {
  if (query.size === 0) return null;
  const lower = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  return (
    expiryFromDuration(lower) ??
    expiryFromParameter(
      lower,
      'expires',
      [
        'signature',
        'key-pair-id',
        'awsaccesskeyid',
        'googleaccessid',
        'sig',
        'hmac',
        'policy',
        // nginx's secure_link, and CDNs with the same scheme.
        'md5',
        'token',
        'hash',
      ],
      'Expires',
    ) ??
    expiryFromParameter(lower, 'se', ['sig'], 'Azure SAS') ??
    expiryInPolicy(lower) ??
    expiryInSignTime(lower)
  );
}

// The query parameters that signing adds, at the stores and CDNs above.
const ADDED =
  /^(x-[a-z]{2,10}-.+|expires|signature|policy|key-pair-id|(aws|oss)?accesskeyid|googleaccessid|keyname|hmac|md5|token|hash|sig|s[etprv]|spr|sip|si|sk(oid|tid|t|e|s|v)|q-.+)$/i;

/** A signed URL with an empty signature, so that it compares equal after signing it again; any other URL unchanged. */
export function withoutSignature(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === null || signatureExpiry(parsed.searchParams) === null) return url;
  for (const name of new Set(parsed.searchParams.keys())) if (ADDED.test(name)) parsed.searchParams.delete(name);
  parsed.searchParams.set('signature', '');
  return parsed.href;
}

// All hosts that adopted Amazon's scheme use their own name in it: x-amz-, x-goog-, x-oss-, x-obs-, x-tos- …
const SIGNED_AT = /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)Z$/;
const SCHEMES: Readonly<Record<string, string>> = { amz: 'AWS SigV4', goog: 'Google V4' };

function expiryFromDuration(query: Map<string, string>): { expiresAt: number; scheme: string } | null {
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

/** The beginning of a CloudFront policy: `{"Statement"`, in base64. */
export const POLICY_START = 'eyJTdGF0ZW1lbnQi';

/** The expiry in CloudFront's custom policy, which is JSON in URL-safe base64. */
function expiryInPolicy(query: Map<string, string>): { expiresAt: number; scheme: string } | null {
  const policy = query.get('policy');
  if (!policy?.startsWith(POLICY_START) || policy.length > 10_000 || !query.has('signature')) return null;
  const text = decoded(policy.replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/'));
  return expiryAtSeconds(
    /"DateLessThan"\s*:\s*\{\s*"AWS:EpochTime"\s*:\s*"?(\d{9,11})\b/.exec(text)?.[1],
    'CloudFront policy',
  );
}

/** Tencent's `start;end`. */
function expiryInSignTime(query: Map<string, string>): { expiresAt: number; scheme: string } | null {
  if (!query.has('q-signature')) return null;
  return expiryAtSeconds(/^\d+;(\d{9,11})$/.exec(query.get('q-sign-time') ?? '')?.[1], 'q-sign-time');
}

function expiryAtSeconds(seconds: string | undefined, scheme: string): { expiresAt: number; scheme: string } | null {
  return seconds === undefined ? null : { expiresAt: Number(seconds) * 1000, scheme };
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

/** Without a zone, `Date.parse` would interpret the text as local time. */
function withUtcZone(text: string): string {
  return /T[\d:.]+$/.test(text) ? `${text}Z` : text;
}

/** A Unix time in seconds or an ISO 8601 date, in milliseconds since 1970; NaN for any other text. */
function milliseconds(text: string): number {
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000;
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(withUtcZone(text)) : Number.NaN;
}

function expiryFromParameter(
  query: Map<string, string>,
  name: string,
  signatures: readonly string[],
  scheme: string,
): { expiresAt: number; scheme: string } | null {
  const text = query.get(name);
  if (text === undefined || !signatures.some((signature) => query.has(signature))) return null;
  const expiresAt = milliseconds(text);
  return Number.isNaN(expiresAt) || expiresAt > 8.64e15 ? null : { expiresAt, scheme };
}

/**
 * The query parameters of signed URLs: which one has the expiry time, and which ones authorize. `signatureExpiry` and
 * the redaction of URLs use the same tables.
 */

/** A text as a time in milliseconds since 1970; NaN for any other text. */
type TimeReader = (text: string) => number;

/** Seconds or milliseconds since 1970, or an ISO 8601 date. */
const unixOrDate: TimeReader = (text) => {
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000;
  if (/^1\d{12}$/.test(text)) return Number(text);
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(withUtcZone(text)) : Number.NaN;
};

/** Seconds since 1970, in hexadecimal. */
const hexadecimal: TimeReader = (text) => (/^[0-9a-f]{8}$/i.test(text) ? Number.parseInt(text, 16) * 1000 : Number.NaN);

/** Without a zone, `Date.parse` would interpret the text as local time. */
function withUtcZone(text: string): string {
  return /T[\d:.]+$/.test(text) ? `${text}Z` : text;
}

/** A parameter with an expiry time, and what it belongs to. */
interface ExpiryParameter {
  scheme: string;
  read: TimeReader;
  /** The parameters that authorize, if they are not those of all schemes. */
  signedBy?: readonly string[];
}

/** By name, in lower case. */
const EXPIRY_PARAMETERS: ReadonlyMap<string, ExpiryParameter> = new Map<string, ExpiryParameter>([
  // CloudFront, S3 and Google (the older signatures), Cloud CDN, Alibaba, BunnyCDN, imgix, nginx.
  ['expires', { scheme: 'Expires', read: unixOrDate }],
  ['se', { scheme: 'Azure SAS', read: unixOrDate, signedBy: ['sig'] }],
  // The key that a user delegation SAS is signed with.
  ['ske', { scheme: 'Azure SAS', read: unixOrDate, signedBy: ['sig'] }],
  // Discord, and Meta.
  ['ex', { scheme: 'ex', read: hexadecimal, signedBy: ['hm'] }],
  ['oe', { scheme: 'oe', read: hexadecimal, signedBy: ['oh'] }],
  // Cloudflare, Edgio, KeyCDN, Qiniu, and programs that sign URLs themselves.
  ...[
    'exp',
    'expire',
    'expiry',
    'expiration',
    'expires_at',
    'expiresat',
    'x-expires',
    'valid_until',
    'deadline',
    'e',
  ].map((name): [string, ExpiryParameter] => [name, { scheme: name, read: unixOrDate }]),
]);

/** Names that end so are the same, after the name of a vendor: `vercel-blob-expires`, `x-cdn-signature`. */
const VENDOR_EXPIRY = /^(?!x-[a-z]{2,10}-expires$).{1,40}[-_.](?:expires|expiry|expiration|expires[-_]at)$/;
const VENDOR_SIGNATURE = /^.{1,40}[-_.](?:signature|hmac)$/;

/** The parameter with an expiry time of this name; null for any other. @param name in lower case */
export function expiryParameter(name: string): ExpiryParameter | null {
  return EXPIRY_PARAMETERS.get(name) ?? (VENDOR_EXPIRY.test(name) ? { scheme: name, read: unixOrDate } : null);
}

/** Parameters that authorize, in lower case. */
const SIGNATURES: ReadonlySet<string> = new Set(
  [
    'signature sig sign x-signature hmac mac hash md5 digest verify auth auth_key authorization secure hm oh',
    'policy key-pair-id awsaccesskeyid ossaccesskeyid googleaccessid keyname accesskeyid',
    'token bcdn_token token_path access_token jwt tempauth hdnts hdnea hdntl __token__ __gda__ edge-cache-token',
  ].flatMap((names) => names.split(' ')),
);

/** Short names, which only authorize with a value that is long enough for a signature. */
const SHORT_SIGNATURES: ReadonlySet<string> = new Set(['s', 'h', 'st', 'k', 'key']);

/** True for a parameter that authorizes. */
export function isSignature(name: string, value: string): boolean {
  return SIGNATURES.has(name) || VENDOR_SIGNATURE.test(name) || (SHORT_SIGNATURES.has(name) && value.length >= 16);
}

// In a path, the name of the file may follow.
const TIME = /^(?:\d{1,13}|\d{4}-\d\d-\d\d(?:T(?:\d|:|%3a|\.|\+|%2b|-)*Z?)?)(?:\/[\w./-]*)?$/i;
const WORD = /^[a-z,%0-9]{1,16}$/i;
const HEX_TIME = /^[0-9a-f]{8}$/i;

/** Parameters that signing adds and that authorize nothing, with the form of their values; by name in lower case. */
const READABLE: ReadonlyMap<string, RegExp> = new Map([
  ...[...EXPIRY_PARAMETERS].map(([name, { read }]) => [name, read === hexadecimal ? HEX_TIME : TIME] as const),
  ...['st', 'skt', 'sv', 'skv'].map((name) => [name, TIME] as const),
  ...['sp', 'sr', 'sks', 'ss', 'srt'].map((name) => [name, /^[a-z]{1,12}$/i] as const),
  ['spr', WORD],
  ['is', HEX_TIME],
  ['q-sign-time', /^\d+(?:;|%3b)\d+$/i],
]);

// All hosts that adopted Amazon's scheme use their own name in it: x-amz-, x-goog-, x-oss-, x-obs-, x-tos- …
const VENDOR_READABLE = /^x-[a-z]{2,10}-(?:algorithm|date|expires|signedheaders)$/;
const VENDOR = /^x-[a-z]{2,10}-.+$/;
const TENCENT = /^q-.+$/;
const AZURE = /^(?:s[etprv]|spr|sip|si|ss|srt|sk(?:oid|tid|[tesv])|sig)$/;

/** The beginning of a CloudFront policy: `{"Statement"`, in base64. */
const POLICY_START = 'eyJTdGF0ZW1lbnQi';

/** True if saved facts may keep a parameter of a signed URL: it authorizes nothing. */
export function isReadable(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (lower === 'policy') return isPolicy(value);
  if (VENDOR_EXPIRY.test(lower)) return TIME.test(value);
  return READABLE.get(lower)?.test(value) ?? (VENDOR_READABLE.test(lower) && !/[=;?]|%3[df]/i.test(value));
}

/** True for the value of a CloudFront policy. */
export function isPolicy(value: string): boolean {
  return value.startsWith(POLICY_START) && value.length <= 10_000;
}

/** True for a parameter that signing adds to a URL. @param name in lower case */
export function isAddedBySigning(name: string, value: string): boolean {
  if (expiryParameter(name) !== null || isSignature(name, value) || READABLE.has(name)) return true;
  return VENDOR.test(name) || TENCENT.test(name) || AZURE.test(name) || tokenParts(value) !== null;
}

/** A value that has its expiry time in itself, in parts: their concatenation is the value. */
export interface TokenParts {
  /** Milliseconds since 1970. */
  expiresAt: number;
  scheme: string;
  /** `secret` is hidden; `shown` is not, and replaces as many characters of the value. */
  parts: readonly ({ secret: string } | { shown: string })[];
}

/** The parts of a token that has its expiry time in itself: fields, a time before a digest, a JWT; otherwise null. */
export function tokenParts(value: string): TokenParts | null {
  if (value.length < 20 || value.length > 10_000) return null;
  return fields(value) ?? timedDigest(value) ?? jwt(value);
}

const FIELD = /^([a-z_]+)(=|%3d)(.*)$/is;

/** Fields of Akamai and Google Media CDN: `exp=1767225600~acl=/*~hmac=…`. */
function fields(value: string): TokenParts | null {
  if (!/(?:~|%7e)(?:hmac|signature|md5|exp|expires)(?:=|%3d)|^exp(?:ires)?(?:=|%3d)/i.test(value)) return null;
  let expiresAt = Number.NaN;
  const parts: ({ secret: string } | { shown: string })[] = [];
  for (const piece of value.split(/(~|%7e)/i)) {
    const [, name = '', equals = '', text = ''] = FIELD.exec(piece) ?? [];
    const isTime = /^(?:exp|expires|st|starts)$/i.test(name) && /^\d{9,11}$/.test(text);
    if (isTime && /^exp/i.test(name)) expiresAt = Number(text) * 1000;
    if (isTime || /^(?:~|%7e)?$/i.test(piece)) parts.push({ shown: piece });
    else if (name === '') parts.push({ secret: piece });
    else parts.push({ shown: `${name}${equals}` }, { secret: text });
  }
  return Number.isNaN(expiresAt) ? null : { expiresAt, scheme: 'token fields', parts };
}

/** A time, and the digest over it (also redacted): of Fastly, of Akamai's older tokens, and after the digest of CDN77. */
function timedDigest(value: string): TokenParts | null {
  const before = /^((?:\d{10}|0x[0-9a-f]{8})_)([0-9a-f]{32,128}|REDACTED\d*-+)$/i.exec(value);
  const after = /^([\w-]{22,128}={0,2})((?:,|%2c)\d{10})$/i.exec(value);
  const [, time = '', digest = ''] = before ?? [null, after?.[2], after?.[1]];
  if (time === '' || digest === '') return null;
  const digits = time.replace(/^(?:,|%2c)|_$/gi, '');
  const parts = [{ shown: time }, { secret: digest }];
  return {
    expiresAt: Number(digits) * 1000,
    scheme: 'time and digest',
    parts: before === null ? parts.toReversed() : parts,
  };
}

const JWT = /^((?:v\d\.)?eyJ[\w-]*\.)(eyJ[\w-]*)(\.)([\w-]+={0,2})$/;

/** A JSON Web Token with the claim `exp` (RFC 7519). */
function jwt(value: string): TokenParts | null {
  const [, header = '', payload = '', dot = '', signature = ''] = JWT.exec(value) ?? [];
  const exp = /"exp"\s*:\s*(\d{9,11})(?:\.\d+)?\s*[,}]/.exec(fromBase64(payload))?.[1];
  if (exp === undefined) return null;
  // The other claims may be about persons: the payload is replaced by one of the same length that only has the time.
  const bytes = Math.floor((payload.length * 3) / 4);
  const claims = btoa(`{"exp":${exp}}`.padEnd(bytes)).replaceAll('=', '');
  const parts = [{ shown: header }, { shown: claims }, { shown: dot }, { secret: signature }];
  return { expiresAt: Number(exp) * 1000, scheme: 'JWT', parts };
}

/** The bytes of a text in base64 or base64url; '' if it is neither. */
export function fromBase64(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

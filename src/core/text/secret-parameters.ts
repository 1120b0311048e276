import { expiryParameter, isReadable, isSignature, tokenParts } from './signature-parameters.ts';

/**
 * The parameters of a query that are secrets: by their name, or by the form of their value. A long random value alone is
 * none: digests and cache keys are as random.
 */

/** Ends of names, without their separators: `access_token`, `clientSecret`, `X-Amz-Credential`. */
const SECRET_END =
  /(?:token|secret|passw(?:or)?d|passphrase|passcode|credentials?|signature|hmac|jwt|(?:api|access|secret|private|auth|signing|shared|subscription|account|encryption|service|client|master|admin|functions?|license|storage|deploy|consumer)key(?:id)?|accessid|keyname|keypairid)$/;
/** Names, and last words of names, which as the end of a longer word mean something else. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  'sig auth authorization bearer pass pwd pw pat sas policy cookie hdnts hdnea hdntl __token__ gda tempauth ak'.split(
    ' ',
  ),
);
/** Names that are as often something else: a value must have the form of a key, too. */
const AMBIGUOUS: ReadonlySet<string> = new Set('key code s sign mac session sid sessionid verify hm oh'.split(' '));
/** Positions in a list, which have the name of a token. */
const CURSOR = /(?:page|next|previous|continuation|cursor|resume|sync)token$/;

/** Tokens that their service marks by a prefix. */
export const MARKED_TOKEN =
  /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|gl(?:pat|ptt|dt|rt|soat|ft|cbt)-[\w-]{20,64}|npm_[A-Za-z0-9]{36}|xox[abeoprs]-[\w-]{10,250}|(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])|AIza[\w-]{35}|ya29\.[\w-]{20,1000}|[rs]k_live_[A-Za-z0-9]{16,247}|sk-(?:proj|svcacct|admin|ant)-[\w-]{20,250}|hf_[A-Za-z]{34}|pypi-AgE[\w-]{50,1000}|do[opr]_v1_[a-f0-9]{64}|dckr_pat_[\w-]{27}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|SG\.[\w-]{16,64}\.[\w-]{16,64}|hvs\.[\w-]{24,400})/g;
const JWT = /^(?:v\d\.)?eyJ[\w-]+\.eyJ[\w-]*\./;

/** The stamp of `redactInPlace` over a secret that is long enough. */
const STAMP = /^REDACTED\d*-*$/;
const OF_KEY = /^(?=.*\d)[\w~%+=!*-]{16,}$/;

/**
 * True if the value of a parameter is secret.
 * @param isSigned true if the query has an expiry or a signature: what else is random in it belongs to that
 */
export function isSecretParameter(name: string, value: string, isSigned: boolean): boolean {
  const lower = decoded(name).toLowerCase();
  if (value === '' || isReadable(lower, value)) return false;
  if (
    STAMP.test(value) ||
    JWT.test(value) ||
    value.search(MARKED_TOKEN) !== -1 ||
    tokenParts(value) !== null ||
    isSecretName(decoded(name))
  )
    return true;
  const hasKey = OF_KEY.test(value);
  if (hasKey && AMBIGUOUS.has(lower)) return true;
  return isSigned && (hasKey || isSignature(lower, value) || /^x-[a-z]{2,10}-(?:credential|signature)/.test(lower));
}

/** True if a parameter of a query has the expiry of a signature, or a signature. */
export function showsSignature(name: string, value: string): boolean {
  const lower = decoded(name).toLowerCase();
  const expiry = expiryParameter(lower);
  if (expiry !== null && !Number.isNaN(expiry.read(value))) return true;
  return /^x-[a-z]{2,10}-(?:expires|signature)$|^q-sign|(?:^|[-_.])sig(?:nature)?$/.test(lower);
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .replace(/\d+$/, '');
  const last = words.split(/[^a-z\d]+/).findLast((word) => word !== '') ?? '';
  if (SECRET_WORDS.has(words) || SECRET_WORDS.has(last)) return true;
  const whole = words.replace(/[^a-z\d]/g, '');
  return SECRET_END.test(whole) && !CURSOR.test(whole);
}

/** The percent-decoded text; the text itself if that is not possible. */
export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

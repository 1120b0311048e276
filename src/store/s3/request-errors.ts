import { message, safe } from '../../core/text/message.ts';
import { shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { machineLimitError } from '../../core/errors/machine-limit.ts';
import { machineLimitCode } from '../../platform/machine-limit.ts';
import { interruptedError } from '../../platform/stop-signals.ts';
import { stopRequested } from '../interrupt.ts';

/** The errors of requests to an object store. */

const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Check "bucket", "region" and "endpoint" of the store in the configuration.',
  InvalidAccessKeyId: 'Check AWS_ACCESS_KEY_ID, and that it belongs to this endpoint.',
  SignatureDoesNotMatch: 'Check AWS_SECRET_ACCESS_KEY.',
  RequestTimeTooSkewed: 'Correct the clock of this machine.',
};
/** Codes of credentials that have ended, or were replaced: their source may have others. */
const INVALID_CREDENTIALS = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'TokenRefreshRequired',
  'InvalidToken',
  'InvalidTokenId',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
  'SignatureDoesNotMatch',
]);
const EXPIRED = new Set(['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'TokenRefreshRequired']);
/** Codes of a bucket in another region. */
const OTHER_REGION = new Set(['PermanentRedirect', 'TemporaryRedirect', 'AuthorizationHeaderMalformed']);
const PERMISSIONS =
  'The credentials need s3:GetObject and s3:PutObject on the files, and s3:ListBucket on the bucket (without it, missing files cannot be distinguished from forbidden ones).';

/** The answer of a store that refuses a request. */
interface Refusal {
  status: number;
  code: string;
  /** Its message. */
  reason: string;
  region: string;
  /** The region that the store names instead. */
  otherRegion: string | undefined;
  /** Where the credentials were found. */
  source: string;
}

/** True if the store refuses the credentials themselves, not what they allow. */
export function areCredentialsInvalid(status: number, code: string): boolean {
  return INVALID_CREDENTIALS.has(code) || (code === '' && (status === 401 || status === 403));
}

export function requestRefused(
  bucket: string,
  what: string,
  { status, code, reason, region, otherRegion, source }: Refusal,
): AppregError {
  const words = `${status}${code === '' ? '' : ` ${code}`}${reason === '' ? '' : `, ${shorten(reason)}`}`;
  const summary = message`The bucket ${bucket} (region ${region}) refuses ${what}: ${words.replace(/\.$/, '')}.`;
  const known = status === 501 ? 's3-not-implemented' : 's3-refused';
  return new AppregError(known, summary, message`${hintFor(status, code, otherRegion, source)}`, {
    effect: 'none',
  });
}

/** The source of the credentials still has those that the store refused, or could not be read. */
export function credentialsNotRenewed(refusal: AppregError, cause: AppregError): AppregError {
  const summary = message`${safe(refusal.message)} The credentials could not be renewed: ${safe(cause.message)}`;
  return new AppregError('s3-credentials', summary, cause.hint, { effect: 'none', cause });
}

function hintFor(status: number, code: string, otherRegion: string | undefined, source: string): string {
  if (OTHER_REGION.has(code))
    return `Set "region" of the store to ${otherRegion === undefined ? 'the region of the bucket (R2: auto)' : `"${shorten(otherRegion)}"`}.`;
  if (EXPIRED.has(code)) return `Get new credentials: those of ${source} have expired.`;
  const isForbidden = status === 403 || status === 401;
  return HINTS[code] ?? (isForbidden ? PERMISSIONS : 'Look up this error code in the documentation of the store.');
}

/** The error of a request that this machine could not send; null for any other failure. */
export function limitReached(base: string, uncertain: boolean, failure: unknown): AppregError | null {
  const code = machineLimitCode(failure);
  const effect = uncertain ? 'unknown' : 'none';
  return code === null
    ? null
    : machineLimitError(code, message`${base} cannot be requested`, {
        effect,
        advisesRepeat: true,
        cause: failure,
      });
}

export function endpointUnreachable(
  base: string,
  attempts: number,
  reason: string,
  uncertain: boolean,
  cause: unknown,
): AppregError {
  return new AppregError(
    's3-unreachable',
    message`${base} cannot be used: ${reason}, ${attempts} times in a row.`,
    message`Check the network, and "endpoint" and "region" of the store in the configuration; then run the same command again${uncertain ? ': it resumes the write' : ''}.`,
    { effect: uncertain ? 'unknown' : 'none', advisesRepeat: true, ...(cause instanceof Error && { cause }) },
  );
}

/** A request that was ended by a signal. @param uncertain whether it may have been carried out */
export function requestStopped(uncertain: boolean): AppregError {
  const signal = stopRequested() ?? 'SIGINT';
  return interruptedError(
    signal,
    uncertain ? { effect: 'unknown', state: message`A write was in progress.` } : { effect: 'none' },
  );
}

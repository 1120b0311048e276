import { AppregError, isAppregError } from '../../core/errors/error.ts';
import { machineLimitError } from '../../core/errors/machine-limit.ts';
import { message } from '../../core/text/message.ts';
import { redactor } from '../../core/text/redactor.ts';
import { printable, redact, safeExcerpt } from '../../core/text/text.ts';
import { machineLimitCode } from '../../platform/machine-limit.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import type { Environment } from './profile.ts';
import { requestHandler, type SendRequest } from './web.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Credentials, and where they were found. */
export interface FoundCredentials {
  keys: Credentials;
  /** For messages, such as “the environment”. */
  source: string;
  /** When they end; null if that is unknown. */
  expires: Date | null;
  /** Milliseconds after which the source is read again although they have no end; null for never. */
  readAgainAfter: number | null;
}

/** Milliseconds after which keys without an end are looked up again: a file may have been changed. */
const READ_AGAIN = 60_000;
/** Milliseconds for a request to GitHub. */
const TIMEOUT = 15_000;
/** Messages that tell nothing about a source. */
const UNSPECIFIC = /^Skipping |^Could not load credentials from any providers/;
const AUDIENCE = 'sts.amazonaws.com';

/** The logger that the providers of AWS call. */
type ProviderLogger = Record<'debug' | 'info' | 'warn' | 'error', (...content: unknown[]) => void>;
type Provided = Credentials & { expiration?: Date | undefined };

/**
 * Credentials for an S3 store: the keys in the environment; the role that GitHub Actions may assume; otherwise what the
 * providers of AWS find (profiles with keys, SSO, roles and programs, a token file, the container, the machine).
 * @param env the environment of this process, which the providers of AWS read by themselves
 * @param web the client for services outside this machine
 * @throws AppregError `s3-credentials` with what the providers said
 */
export async function findCredentials(env: Environment, region: string, web: SendRequest): Promise<FoundCredentials> {
  const inEnvironment = fromEnvironment(env);
  if (inEnvironment !== null) return inEnvironment;
  // The SDK would warn of its later versions on Node 20; this package contains one version of it.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  // Stores of other vendors have no region of AWS.
  const parentClientConfig = { region: region === 'auto' ? 'us-east-1' : region };
  const clientConfig = { requestHandler: requestHandler(web), maxAttempts: 3 };
  const secrets = secretsIn(env);
  const role = env['AWS_ROLE_ARN'];
  const bearer = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  const url = env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  if (role && url && bearer && !env['AWS_WEB_IDENTITY_TOKEN_FILE']) {
    const webIdentityToken = await gitHubToken(`${url}&audience=${AUDIENCE}`, bearer, web);
    const { fromWebToken } = await import('@aws-sdk/credential-provider-web-identity');
    const roleSessionName = env['AWS_ROLE_SESSION_NAME'] ?? 'appreg';
    const options = { roleArn: role, roleSessionName, webIdentityToken, clientConfig, parentClientConfig };
    const keys = await provided(
      (logger) => fromWebToken({ ...options, logger })(),
      [webIdentityToken],
      (reason) => roleError(role, reason),
    );
    return found(`the role ${role}`, keys);
  }
  const named = env['AWS_PROFILE'] ?? env['AWS_DEFAULT_PROFILE'];
  const options = { ...(named ? { profile: named } : {}), ignoreCache: true, clientConfig, parentClientConfig };
  if (named) {
    // Another source would have other permissions than the profile that was chosen.
    const { fromIni } = await import('@aws-sdk/credential-provider-ini');
    const name = printable(named);
    const keys = await provided(
      (logger) => fromIni({ ...options, logger })(),
      secrets,
      (reason) => profileError(name, reason),
    );
    return found(`the profile “${name}”`, keys);
  }
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  const keys = await provided(
    (logger) => defaultProvider({ ...options, logger })(),
    secrets,
    (reason) => noCredentials(env, reason),
  );
  return found('the providers of AWS', keys);
}

function fromEnvironment(env: Environment): FoundCredentials | null {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const end = new Date(env['AWS_CREDENTIAL_EXPIRATION'] ?? Number.NaN);
  if (!accessKeyId || !secretAccessKey) return null;
  return {
    keys: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
    source: 'the environment',
    expires: Number.isNaN(end.getTime()) ? null : end,
    readAgainAfter: null,
  };
}

function found(source: string, { accessKeyId, secretAccessKey, sessionToken, expiration }: Provided): FoundCredentials {
  const isDate = expiration !== undefined && !Number.isNaN(expiration.getTime());
  return {
    keys: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
    source,
    expires: isDate ? expiration : null,
    readAgainAfter: isDate ? null : READ_AGAIN,
  };
}

/** The OIDC token of the job. @throws AppregError `s3-credentials` */
async function gitHubToken(url: string, bearer: string, web: SendRequest): Promise<string> {
  const headers = { authorization: `Bearer ${bearer}` };
  try {
    const { status, bytes } = await web(new URL(url), { method: 'GET', headers, timeout: TIMEOUT });
    const answer: unknown = status === 200 ? JSON.parse(bytes.toString('utf8')) : null;
    if (typeof answer === 'object' && answer !== null && 'value' in answer && typeof answer.value === 'string')
      return answer.value;
    throw tokenError(`status ${status}`);
  } catch (error) {
    throw isAppregError(error) ? error : tokenError(reasonOf(error), error);
  }
}

function tokenError(reason: string, cause?: unknown): AppregError {
  return new AppregError(
    's3-credentials',
    message`GitHub returned no OIDC token (${safeExcerpt(redact(reason), 200)}).`,
    message`Give the job the permission id-token: write.`,
    { cause },
  );
}

/**
 * Calls a provider of AWS.
 * @param secrets that a service may quote
 * @param explain makes the error of what it throws
 */
async function provided(
  provider: (logger: ProviderLogger) => Promise<Provided>,
  secrets: readonly string[],
  explain: (reason: string) => AppregError,
): Promise<Provided> {
  const reasons: string[] = [];
  // Providers that have no credentials log why; an error has only the reason of the last one.
  const debug = (text: unknown): void => {
    const [, reason] = /^@smithy\/property-provider -> (.*)/s.exec(String(text)) ?? [];
    if (reason !== undefined) reasons.push(shownReason(reason));
  };
  try {
    return await provider({ debug, info: ignored, warn: ignored, error: ignored });
  } catch (cause) {
    if (isAppregError(cause)) throw cause;
    const limit = machineLimitCode(cause);
    if (limit !== null)
      throw machineLimitError(limit, message`Credentials for the S3 store cannot be requested`, { cause });
    const all = [...new Set([...reasons, reasonOf(cause)])].filter((reason) => !UNSPECIFIC.test(reason)).join('; ');
    const safe = redactor(secrets)(redact(all));
    throw explain(safeExcerpt(safe, 500));
  }
}

function ignored(): void {}

function reasonOf(error: unknown): string {
  // Its message quotes the response.
  if (error instanceof SyntaxError) return 'the response is not valid JSON';
  return shownReason(error instanceof Error ? error.message : String(error));
}

/** In one line. The first line of the error of a program is its command line, which may contain secrets. */
function shownReason(text: string): string {
  const shown = text.replace(/^Command failed:[^\n]*\n?/, 'the program credential_process failed: ');
  return shown.trim().replace(/\s+/g, ' ').replace(/\.$/, '');
}

/** The tokens that the providers send. */
function secretsIn(env: Environment): string[] {
  const files = [env['AWS_WEB_IDENTITY_TOKEN_FILE'], env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']];
  const read = files.flatMap((file) => (file ? [readRegularFile(file)] : []));
  const texts = read.map((one) => ('failure' in one ? '' : one.bytes.toString().trim()));
  return [...texts, env['AWS_CONTAINER_AUTHORIZATION_TOKEN'] ?? ''].filter((text) => text !== '');
}

function noCredentials(env: Environment, reason: string): AppregError {
  const isContainer = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] || env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  const start = isContainer ? 'Check the role of the task, or set' : 'Set';
  return new AppregError(
    's3-credentials',
    message`No credentials for the S3 store were found (${reason}).`,
    message`${start} AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_ROLE_ARN in a pipeline that has an OIDC token (GitHub Actions: permissions: id-token: write).`,
  );
}

function profileError(name: string, reason: string): AppregError {
  return new AppregError(
    's3-credentials',
    message`The profile “${name}” has no credentials (${reason}).`,
    message`Check AWS_PROFILE, and AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE if they are set. For SSO, run: aws sso login --profile ${name}`,
  );
}

function roleError(role: string, reason: string): AppregError {
  return new AppregError(
    's3-credentials',
    message`The role ${role} could not be assumed (${reason}).`,
    message`Check the provider, audience and subject in the trust policy of the role.`,
  );
}

import { readFileSync } from 'node:fs';
import { printable, redact, safeExcerpt } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import { parseUrl } from '../../core/http/url.ts';
import { type Environment, profileOf } from './profile.ts';
import { openHttp, type SendRequest } from './web.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

const TIMEOUT = 5000;
/** The container's or machine's own endpoints are never requested over a proxy. */
const localWeb = openHttp();

/**
 * Credentials for an S3 store from the usual sources, the first that has some: the environment; an OIDC role (a token
 * file, or the token that GitHub Actions provides); the profile in the shared files; the container's or the machine's
 * own endpoint.
 * @param web the client for services outside this machine
 * @throws AppregError `s3-credentials` that names the sources
 */
export async function findCredentials(env: Environment, region: string, web: SendRequest): Promise<Credentials> {
  const found =
    fromEnvironment(env) ??
    (await fromRole(env, region, web)) ??
    fromProfile(env) ??
    (await fromContainer(env)) ??
    (await fromMachine(env));
  if (found) return found;
  throw new AppregError(
    's3-credentials',
    'No credentials for the S3 store were found.',
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_ROLE_ARN in a pipeline that has an OIDC token (GitHub Actions: permissions: id-token: write).',
  );
}

function fromEnvironment(env: Environment): Credentials | null {
  return credentialsFrom(env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']);
}

function credentialsFrom(
  id: string | undefined,
  secret: string | undefined,
  token: string | undefined,
): Credentials | null {
  if (!id || !secret) return null;
  return { accessKeyId: id, secretAccessKey: secret, ...(token ? { sessionToken: token } : {}) };
}

function fromProfile(env: Environment): Credentials | null {
  let known = false;
  for (const file of ['credentials', 'config'] as const) {
    const section = profileOf(env, file);
    known ||= section !== null;
    const found =
      section &&
      credentialsFrom(section['aws_access_key_id'], section['aws_secret_access_key'], section['aws_session_token']);
    if (found) return found;
  }
  if (!env['AWS_PROFILE']) return null;
  const name = printable(env['AWS_PROFILE']);
  if (!known)
    throw new AppregError(
      's3-credentials',
      `The shared files (~/.aws/credentials, ~/.aws/config) have no profile “${name}”.`,
      'Check AWS_PROFILE, and AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE if they are set.',
    );
  throw new AppregError(
    's3-credentials',
    `The profile “${name}” has no access key.`,
    'For other kinds of profiles (SSO, roles), run: eval "$(aws configure export-credentials --format env)"',
  );
}

/** The credentials of a role, in exchange for the pipeline's identity token. */
async function fromRole(env: Environment, region: string, web: SendRequest): Promise<Credentials | null> {
  const role = env['AWS_ROLE_ARN'];
  if (!role) return null;
  const token = await identityToken(env, web);
  if (token === null) return null;
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] ?? 'appreg',
    WebIdentityToken: token,
  });
  const host = region === 'auto' ? 'sts' : `sts.${region}`;
  const endpoint =
    env['AWS_ENDPOINT_URL_STS'] ?? `https://${host}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
  const { status, body } = await request(web, 'POST', endpoint, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    content: form.toString(),
  });
  const field = (name: string): string | undefined => new RegExp(`<${name}>([^<]+)</${name}>`).exec(body)?.[1];
  const found =
    status === 200 ? credentialsFrom(field('AccessKeyId'), field('SecretAccessKey'), field('SessionToken')) : null;
  if (found) return found;
  // The service's message may quote the request.
  const reason = (field('Message') ?? 'no message').replaceAll(token, 'REDACTED');
  throw refused(
    `The role ${role} could not be assumed (${field('Code') ?? `status ${status}`}: ${reason}).`,
    'Check the provider, audience and subject in the trust policy of the role.',
  );
}

async function identityToken(env: Environment, web: SendRequest): Promise<string | null> {
  const file = env['AWS_WEB_IDENTITY_TOKEN_FILE'];
  if (file) return tokenIn(file, 'AWS_WEB_IDENTITY_TOKEN_FILE');
  const url = env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  const bearer = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  if (!url || !bearer) return null;
  const { status, body } = await request(web, 'GET', `${url}&audience=sts.amazonaws.com`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  const token = status === 200 ? textFields(body)['value'] : undefined;
  if (token) return token;
  throw refused(`GitHub returned no OIDC token (status ${status}).`, 'Give the job the permission id-token: write.');
}

function tokenIn(file: string, variable: string): string {
  const hint = `Check the environment variable ${variable}.`;
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new AppregError('s3-credentials', `The token file ${printable(file)} cannot be read.`, hint, { cause });
  }
  if (token !== '') return token;
  throw new AppregError('s3-credentials', `The token file ${printable(file)} is empty.`, hint);
}

async function fromContainer(env: Environment): Promise<Credentials | null> {
  const path = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const url = path ? `http://169.254.170.2${path}` : env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  if (!url) return null;
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file
    ? tokenIn(file, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
    : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  const { status, body } = await request(localWeb, 'GET', url, { headers: token ? { authorization: token } : {} });
  const found = status === 200 ? credentialsIn(body) : null;
  if (found) return found;
  throw refused(
    `The credentials endpoint of the container returned no credentials (status ${status}).`,
    'Check the role of the task.',
  );
}

/** The metadata service of a cloud machine; on other machines it does not respond. */
async function fromMachine(env: Environment): Promise<Credentials | null> {
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return null;
  const base = `${(env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? 'http://169.254.169.254').replace(/\/$/, '')}/latest`;
  const roles = `${base}/meta-data/iam/security-credentials/`;
  try {
    const session = await request(localWeb, 'PUT', `${base}/api/token`, {
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '300' },
      timeout: 1000,
    });
    if (session.status !== 200) return null;
    const headers = { 'x-aws-ec2-metadata-token': session.body };
    const role = await request(localWeb, 'GET', roles, { headers, timeout: 1000 });
    if (role.status !== 200) return null;
    const { status, body } = await request(localWeb, 'GET', `${roles}${role.body.trim()}`, { headers });
    return status === 200 ? credentialsIn(body) : null;
  } catch {
    // Not a cloud machine: the missing credentials are reported at the end.
    return null;
  }
}

function credentialsIn(body: string): Credentials | null {
  const { AccessKeyId, SecretAccessKey, Token } = textFields(body);
  return credentialsFrom(AccessKeyId, SecretAccessKey, Token);
}

/** The members of a JSON object whose values are strings; none for any other body. */
function textFields(body: string): Readonly<Record<string, string | undefined>> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, field]) => typeof field === 'string'));
  } catch {
    return {};
  }
}

async function request(
  web: SendRequest,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  { headers, content = null, timeout = TIMEOUT }: RequestOptions,
): Promise<{ status: number; body: string }> {
  const shown = printable(redact(url));
  const address = parseUrl(url);
  if (address === null)
    throw refused(`${shown} is not a valid URL.`, 'Check the environment variable that contains it.');
  try {
    const { status, bytes } = await web(address, { method, headers, body: content, timeout });
    return { status, body: bytes.toString('utf8') };
  } catch (cause) {
    if (cause instanceof AppregError) throw cause;
    throw new AppregError(
      's3-credentials',
      `The credentials endpoint ${shown} cannot be reached (${printable(redact(cause instanceof Error ? cause.message : String(cause)))}).`,
      'Check the network, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
      { cause },
    );
  }
}

interface RequestOptions {
  headers: Record<string, string>;
  content?: string | null;
  timeout?: number;
}

function refused(message: string, hint: string): AppregError {
  return new AppregError('s3-credentials', safeExcerpt(message, 400), hint);
}

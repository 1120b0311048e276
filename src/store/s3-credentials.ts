import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import undici from 'undici';
import { printable, redact, shorten } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

type Env = Readonly<Record<string, string | undefined>>;
type Section = Readonly<Record<string, string>>;

const TIMEOUT = 5000;

/**
 * Credentials for an S3 store from the places where they usually are, the first that has some: the environment; an OIDC
 * role (a token file, or the token that GitHub Actions gives); the profile in the shared files; the container's or the
 * machine's own endpoint.
 * @throws Trouble `s3-credentials` that names the places
 */
export async function findCredentials(env: Env, region: string): Promise<Credentials> {
  const found =
    fromEnvironment(env) ??
    (await fromRole(env, region)) ??
    fromProfile(env) ??
    (await fromContainer(env)) ??
    (await fromMachine(env));
  if (found) return found;
  throw new Trouble(
    's3-credentials',
    'There are no credentials for the S3 store.',
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_ROLE_ARN in a pipeline that has an OIDC token (GitHub Actions: permissions: id-token: write).',
  );
}

/** The region and endpoint of the shared configuration's profile, where it names them. */
export function profileSettings(env: Env): { region: string | null; endpoint: string | null } {
  const section = profileOf(env, 'config');
  return { region: section?.['region'] ?? null, endpoint: section?.['endpoint_url'] ?? null };
}

function fromEnvironment(env: Env): Credentials | null {
  return keys(env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']);
}

function keys(id: string | undefined, secret: string | undefined, token: string | undefined): Credentials | null {
  if (!id || !secret) return null;
  return { accessKeyId: id, secretAccessKey: secret, ...(token ? { sessionToken: token } : {}) };
}

function fromProfile(env: Env): Credentials | null {
  for (const file of ['credentials', 'config'] as const) {
    const section = profileOf(env, file);
    const found =
      section && keys(section['aws_access_key_id'], section['aws_secret_access_key'], section['aws_session_token']);
    if (found) return found;
  }
  if (!env['AWS_PROFILE']) return null;
  throw new Trouble(
    's3-credentials',
    `The profile ${printable(env['AWS_PROFILE'])} holds no access key.`,
    'For a profile of another kind (SSO, a role): eval "$(aws configure export-credentials --format env)"',
  );
}

function profileOf(env: Env, file: 'credentials' | 'config'): Section | null {
  const named = env[file === 'config' ? 'AWS_CONFIG_FILE' : 'AWS_SHARED_CREDENTIALS_FILE'];
  let text: string;
  try {
    text = readFileSync(named ?? join(homedir(), '.aws', file), 'utf8');
  } catch (cause) {
    if (named === undefined) return null;
    throw new Trouble('s3-credentials', `${printable(named)} cannot be read.`, 'Check the variable that names it.', {
      cause,
    });
  }
  const profile = env['AWS_PROFILE'] ?? env['AWS_DEFAULT_PROFILE'] ?? 'default';
  const sections = sectionsOf(text);
  return sections.get(profile) ?? (file === 'config' ? sections.get(`profile ${profile}`) : undefined) ?? null;
}

/** `[section]` and `name = value` lines; nested values (indented) are left out. */
function sectionsOf(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const head = /^\s*\[([^\]]+)\]/.exec(line);
    if (head) {
      const name = head[1]!.trim().replace(/\s+/g, ' ');
      section = sections.get(name) ?? {};
      sections.set(name, section);
      continue;
    }
    const pair = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line);
    if (pair) section[pair[1]!.toLowerCase()] = pair[2]!.replace(/\s+[#;].*$/, '').trim();
  }
  return sections;
}

/** A role that a token of the pipeline's own identity opens. */
async function fromRole(env: Env, region: string): Promise<Credentials | null> {
  const role = env['AWS_ROLE_ARN'];
  if (!role) return null;
  const token = await webToken(env);
  if (token === null) return null;
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] ?? 'appreg',
    WebIdentityToken: token,
  });
  const host = region === 'auto' ? 'sts.amazonaws.com' : `sts.${region}.amazonaws.com`;
  const endpoint = env['AWS_ENDPOINT_URL_STS'] ?? `https://${host}/`;
  const { status, body } = await ask(
    'POST',
    endpoint,
    { 'content-type': 'application/x-www-form-urlencoded' },
    form.toString(),
  );
  const field = (name: string): string | undefined => new RegExp(`<${name}>([^<]+)</${name}>`).exec(body)?.[1];
  const found = status === 200 ? keys(field('AccessKeyId'), field('SecretAccessKey'), field('SessionToken')) : null;
  if (found) return found;
  throw refused(
    `The role ${role} was not given (${field('Code') ?? `status ${status}`}: ${field('Message') ?? 'no reason'}).`,
    'Check the trust policy of the role: its provider, audience and subject.',
  );
}

async function webToken(env: Env): Promise<string | null> {
  const file = env['AWS_WEB_IDENTITY_TOKEN_FILE'];
  if (file) {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (cause) {
      throw new Trouble(
        's3-credentials',
        `The token file ${printable(file)} cannot be read.`,
        'Check AWS_WEB_IDENTITY_TOKEN_FILE.',
        { cause },
      );
    }
  }
  const url = env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  const bearer = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  if (!url || !bearer) return null;
  const { status, body } = await ask('GET', `${url}&audience=sts.amazonaws.com`, { authorization: `Bearer ${bearer}` });
  const token = status === 200 ? (jsonOf(body)['value'] as string | undefined) : undefined;
  if (token) return token;
  throw refused(`GitHub gave no OIDC token (status ${status}).`, 'Give the job permissions: id-token: write');
}

async function fromContainer(env: Env): Promise<Credentials | null> {
  const path = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const url = path ? `http://169.254.170.2${path}` : env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  if (!url) return null;
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file ? readFileSync(file, 'utf8').trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  const { status, body } = await ask('GET', url, token ? { authorization: token } : {});
  const found = status === 200 ? keysIn(body) : null;
  if (found) return found;
  throw refused(`The container's endpoint gave no credentials (status ${status}).`, 'Check the role of the task.');
}

/** The metadata service of a cloud machine; where there is none, nobody answers. */
async function fromMachine(env: Env): Promise<Credentials | null> {
  if (env['AWS_EC2_METADATA_DISABLED'] === 'true') return null;
  const base = 'http://169.254.169.254/latest';
  try {
    const session = await ask(
      'PUT',
      `${base}/api/token`,
      { 'x-aws-ec2-metadata-token-ttl-seconds': '300' },
      undefined,
      1000,
    );
    if (session.status !== 200) return null;
    const headers = { 'x-aws-ec2-metadata-token': session.body };
    const role = await ask('GET', `${base}/meta-data/iam/security-credentials/`, headers, undefined, 1000);
    if (role.status !== 200) return null;
    const { status, body } = await ask(
      'GET',
      `${base}/meta-data/iam/security-credentials/${role.body.trim()}`,
      headers,
    );
    return status === 200 ? keysIn(body) : null;
  } catch {
    // This is no such machine: there are no credentials to be had here, which is said in the end.
    return null;
  }
}

function keysIn(body: string): Credentials | null {
  const { AccessKeyId, SecretAccessKey, Token } = jsonOf(body) as Record<string, string | undefined>;
  return keys(AccessKeyId, SecretAccessKey, Token);
}

function jsonOf(body: string): Record<string, unknown> {
  try {
    return (JSON.parse(body) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function ask(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  headers: Record<string, string>,
  content?: string,
  timeout = TIMEOUT,
): Promise<{ status: number; body: string }> {
  try {
    const answer = await undici.request(url, {
      method,
      headers,
      body: content ?? null,
      signal: AbortSignal.timeout(timeout),
    });
    return { status: answer.statusCode, body: await answer.body.text() };
  } catch (cause) {
    throw new Trouble(
      's3-credentials',
      `${printable(redact(url))} does not answer (${(cause as Error).message}).`,
      'Check the network, or set the keys in the environment.',
      { cause },
    );
  }
}

function refused(message: string, hint: string): Trouble {
  return new Trouble('s3-credentials', printable(redact(shorten(message, 400))), hint);
}

import { exec } from 'node:child_process';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { printable, redact, safeExcerpt } from '../../core/text/text.ts';
import {
  type FoundCredentials,
  foundIn,
  type LookUp,
  textFields,
  tokenIn,
  providerError,
  requestProvider,
} from './credential-requests.ts';
import { type Environment, profileName, profileOf } from './profile.ts';
import type { SendRequest } from './web.ts';

/** Milliseconds after which keys in a file are read again: it may have been changed. */
const READ_AGAIN = 60_000;
/** Milliseconds for the program of a profile. */
const PROCESS_TIMEOUT = 60_000;
/** Maximum bytes of its output. */
const PROCESS_OUTPUT = 1_000_000;

/**
 * The credentials of the profile in the shared files: its keys, the program `credential_process`, or a role with a token
 * file.
 * @throws AppregError `s3-credentials` if AWS_PROFILE names a profile without credentials
 */
export async function fromProfile(env: Environment, region: string, web: SendRequest): Promise<LookUp> {
  const sections = (['credentials', 'config'] as const).map((file) => profileOf(env, file));
  const known = sections.filter((section) => section !== null);
  const name = printable(profileName(env));
  const source = `the profile “${name}”`;
  for (const section of known) {
    const found = foundIn(source, {
      id: section['aws_access_key_id'],
      secret: section['aws_secret_access_key'],
      token: section['aws_session_token'],
      expiration: section['aws_expiration'] ?? section['aws_credential_expiration'],
    });
    if (found) return { ...found, readAgainAfter: READ_AGAIN };
  }
  const settings = Object.assign({}, ...known.toReversed()) as Readonly<Record<string, string | undefined>>;
  const role = settings['role_arn'];
  const file = settings['web_identity_token_file'];
  if (role && file) {
    const token = tokenIn(file, `web_identity_token_file of ${source}`);
    const sessionName = settings['role_session_name'] ?? 'appreg';
    return assumeRole({ role, sessionName, token, source: `the role ${role} of ${source}` }, { env, region, web });
  }
  if (settings['credential_process']) return fromProcess(settings['credential_process'], source, env);
  if (!env['AWS_PROFILE'])
    return { none: known.length === 0 ? 'it does not exist in the shared files' : 'it has no access key' };
  throw known.length === 0 ? missing(name) : keyless(name);
}

/** Runs the program that a profile names; it prints the credentials. */
async function fromProcess(command: string, source: string, env: Environment): Promise<FoundCredentials> {
  const fail = (reason: string): AppregError =>
    new AppregError(
      's3-credentials',
      message`The program credential_process of ${source} ${reason}.`,
      message`Run the program by itself. It must print the JSON that the documentation of AWS describes (Version 1).`,
    );
  const output = await new Promise<string>((resolve, reject) => {
    const options = { env, timeout: PROCESS_TIMEOUT, maxBuffer: PROCESS_OUTPUT, windowsHide: true };
    exec(command, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const printed = stderr.trim() === '' ? '' : `: ${safeExcerpt(redact(stderr.trim()))}`;
      const how = error.killed ? 'did not end in time' : `failed (exit code ${error.code ?? 'unknown'})`;
      // The error of Node contains the command line, which may contain secrets.
      reject(fail(`${how}${printed.replace(/\.$/, '')}`));
    });
  });
  const { AccessKeyId: id, SecretAccessKey: secret, SessionToken: token, Expiration: expiration } = textFields(output);
  const found = foundIn(`the program credential_process of ${source}`, { id, secret, token, expiration });
  if (found) return found;
  throw fail('printed no credentials');
}

function missing(name: string): AppregError {
  return new AppregError(
    's3-credentials',
    message`The shared files (~/.aws/credentials, ~/.aws/config) have no profile “${name}”.`,
    message`Check AWS_PROFILE, and AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE if they are set.`,
  );
}

function keyless(name: string): AppregError {
  return new AppregError(
    's3-credentials',
    message`The profile “${name}” has no access key.`,
    message`For other kinds of profiles (SSO, roles), run: eval "$(aws configure export-credentials --format env)". A service that runs for longer needs a profile that contains: credential_process = aws configure export-credentials --profile <name>`,
  );
}

// Roles that are assumed with the identity token of a pipeline or a container.

interface WebIdentity {
  role: string;
  sessionName: string;
  token: string;
  /** For messages. */
  source: string;
}

/** The role of the environment. The token is read each time: its file changes before it expires. */
export async function fromRole(env: Environment, region: string, web: SendRequest): Promise<LookUp> {
  const role = env['AWS_ROLE_ARN'];
  if (!role) return { none: 'AWS_ROLE_ARN is not set' };
  const token = await identityToken(env, web);
  if (token === null)
    return { none: 'AWS_ROLE_ARN is set, but neither AWS_WEB_IDENTITY_TOKEN_FILE nor a token of GitHub Actions' };
  const sessionName = env['AWS_ROLE_SESSION_NAME'] ?? 'appreg';
  return assumeRole({ role, sessionName, token, source: `the role ${role}` }, { env, region, web });
}

/** @throws AppregError `s3-credentials` if the role is refused */
async function assumeRole(
  { role, sessionName, token, source }: WebIdentity,
  { env, region, web }: { env: Environment; region: string; web: SendRequest },
): Promise<FoundCredentials> {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: sessionName,
    WebIdentityToken: token,
  });
  const host = region === 'auto' ? 'sts' : `sts.${region}`;
  const endpoint =
    env['AWS_ENDPOINT_URL_STS'] ?? `https://${host}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
  const { status, body } = await requestProvider(web, 'POST', endpoint, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    content: form.toString(),
  });
  const field = (name: string): string | undefined => new RegExp(`<${name}>([^<]+)</${name}>`).exec(body)?.[1];
  const found =
    status === 200
      ? foundIn(source, {
          id: field('AccessKeyId'),
          secret: field('SecretAccessKey'),
          token: field('SessionToken'),
          expiration: field('Expiration'),
        })
      : null;
  if (found) return found;
  // The service's message may quote the request.
  const reason = (field('Message') ?? 'no message').replaceAll(token, 'REDACTED');
  throw providerError(
    `The role ${role} could not be assumed (${field('Code') ?? `status ${status}`}: ${reason}).`,
    message`Check the provider, audience and subject in the trust policy of the role.`,
  );
}

async function identityToken(env: Environment, web: SendRequest): Promise<string | null> {
  const file = env['AWS_WEB_IDENTITY_TOKEN_FILE'];
  if (file) return tokenIn(file, 'the environment variable AWS_WEB_IDENTITY_TOKEN_FILE');
  const url = env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  const bearer = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  if (!url || !bearer) return null;
  const { status, body } = await requestProvider(web, 'GET', `${url}&audience=sts.amazonaws.com`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  const token = status === 200 ? textFields(body)['value'] : undefined;
  if (token) return token;
  throw providerError(
    `GitHub returned no OIDC token (status ${status}).`,
    message`Give the job the permission id-token: write.`,
  );
}

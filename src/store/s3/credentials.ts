import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors.ts';
import { printable, redact } from '../../core/text/text.ts';
import {
  type FoundCredentials,
  foundIn,
  type LookUp,
  providerError,
  reasonIn,
  requestProvider,
  textFields,
  tokenIn,
} from './credential-requests.ts';
import { fromProfile } from './profile-credentials.ts';
import { type Environment, profileName } from './profile.ts';
import { fromRole } from './role-credentials.ts';
import { type SendRequest, openHttp } from './web.ts';
import { parseUrl } from '../../core/http/url.ts';

/**
 * Credentials for an S3 store from the usual sources, the first that has some: the environment; an OIDC role (a token
 * file, or the token that GitHub Actions provides); the profile in the shared files; the container's or the machine's
 * own endpoint. Everything is read each time, since files and endpoints change.
 * @param web the client for services outside this machine
 * @throws AppregError `s3-credentials` that names the sources, and what each of them said
 */
export async function findCredentials(env: Environment, region: string, web: SendRequest): Promise<FoundCredentials> {
  const sources: readonly [name: string, lookUp: () => LookUp | Promise<LookUp>][] = [
    ['the environment', () => fromEnvironment(env)],
    ['an OIDC role', () => fromRole(env, region, web)],
    [`the profile “${profileName(env)}”`, () => fromProfile(env, region, web)],
    ['the container', () => fromContainer(env)],
    ['the machine', () => fromMachine(env)],
  ];
  const tried: string[] = [];
  for (const [name, lookUp] of sources) {
    const result = await lookUp();
    if (!('none' in result)) return result;
    tried.push(`${name}: ${result.none}`);
  }
  throw new AppregError(
    's3-credentials',
    message`No credentials for the S3 store were found. Tried ${tried.join('; ')}.`,
    message`Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_ROLE_ARN in a pipeline that has an OIDC token (GitHub Actions: permissions: id-token: write).`,
  );
}

function fromEnvironment(env: Environment): LookUp {
  const id = env['AWS_ACCESS_KEY_ID'];
  const secret = env['AWS_SECRET_ACCESS_KEY'];
  const expiration = env['AWS_CREDENTIAL_EXPIRATION'];
  const found = foundIn('the environment', { id, secret, token: env['AWS_SESSION_TOKEN'], expiration });
  if (found) return found;
  if (!id && !secret) return { none: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set' };
  return { none: `${id ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID'} is not set` };
}

/** The credentials that a container or a cloud machine offers to its processes, for some hours at a time. */

/** These endpoints are never requested over a proxy. */
const localWeb = openHttp();
/** The endpoints of ECS and EKS, which receive a token over plain http. */
const CONTAINER_HOSTS = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]', 'localhost', '[::1]']);
/** Milliseconds for the metadata service: on other machines it does not respond. */
const PROBE_TIMEOUT = 1000;

/** The endpoint of ECS, EKS or another container service. @throws AppregError `s3-credentials` */
async function fromContainer(env: Environment): Promise<LookUp> {
  const path = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const url = path ? `http://169.254.170.2${path}` : env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  if (!url) return { none: 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and …_FULL_URI are not set' };
  refuseForeign(url);
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file
    ? tokenIn(file, 'the environment variable AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
    : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  const answer = await requestProvider(localWeb, 'GET', url, { headers: token ? { authorization: token } : {} });
  const found = answer.status === 200 ? credentialsIn('the credentials endpoint of the container', answer.body) : null;
  if (found) return found;
  throw providerError(
    `The credentials endpoint of the container returned no credentials (${reasonIn(answer, [token ?? ''])}).`,
    message`Check the role of the task.`,
  );
}

/** The token must not be sent to another machine without encryption. */
function refuseForeign(url: string): void {
  const address = parseUrl(url);
  if (address === null || address.protocol === 'https:') return;
  if (CONTAINER_HOSTS.has(address.hostname) || /^127\.\d+\.\d+\.\d+$/.test(address.hostname)) return;
  throw providerError(
    `The credentials endpoint ${printable(redact(url))} is on another machine, and does not use https.`,
    message`Check AWS_CONTAINER_CREDENTIALS_FULL_URI.`,
  );
}

/** The metadata service of a cloud machine (IMDSv2). */
async function fromMachine(env: Environment): Promise<LookUp> {
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return { none: 'AWS_EC2_METADATA_DISABLED is true' };
  const standard = /^ipv6$/i.test(env['AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE'] ?? '')
    ? 'http://[fd00:ec2::254]'
    : 'http://169.254.169.254';
  const endpoint = (env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? standard).replace(/\/$/, '');
  const roles = `${endpoint}/latest/meta-data/iam/security-credentials/`;
  try {
    const session = await requestProvider(localWeb, 'PUT', `${endpoint}/latest/api/token`, {
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '300' },
      timeout: PROBE_TIMEOUT,
      attempts: 1,
    });
    if (session.status !== 200) return { none: `its metadata service responded with ${reasonIn(session, [])}` };
    const headers = { 'x-aws-ec2-metadata-token': session.body };
    const role = await requestProvider(localWeb, 'GET', roles, { headers, timeout: PROBE_TIMEOUT });
    const name = role.body.trim().split('\n')[0] ?? '';
    if (role.status !== 200 || name === '') return { none: `it has no role (${reasonIn(role, [session.body])})` };
    const answer = await requestProvider(localWeb, 'GET', `${roles}${name}`, { headers });
    const found = answer.status === 200 ? credentialsIn('the role of the machine', answer.body) : null;
    return found ?? { none: `its role has no credentials (${reasonIn(answer, [session.body])})` };
  } catch (error) {
    // Not a cloud machine, or its metadata service is interrupted: reported with what the other sources have.
    if (error instanceof AppregError) return { none: error.message.replace(/\.$/, '') };
    throw error;
  }
}

function credentialsIn(source: string, body: string): FoundCredentials | null {
  const { AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: expiration } = textFields(body);
  return foundIn(source, { id, secret, token, expiration });
}

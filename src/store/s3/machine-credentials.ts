import { parseUrl } from '../../core/http/url.ts';
import { printable, redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
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
import type { Environment } from './profile.ts';
import { openHttp } from './web.ts';

/** The credentials that a container or a cloud machine offers to its processes, for some hours at a time. */

/** These endpoints are never requested over a proxy. */
const localWeb = openHttp();
/** The endpoints of ECS and EKS, which receive a token over plain http. */
const CONTAINER_HOSTS = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]', 'localhost', '[::1]']);
/** Milliseconds for the metadata service: on other machines it does not respond. */
const PROBE_TIMEOUT = 1000;

/** The endpoint of ECS, EKS or another container service. @throws AppregError `s3-credentials` */
export async function fromContainer(env: Environment): Promise<LookUp> {
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
    'Check the role of the task.',
  );
}

/** The token must not be sent to another machine without encryption. */
function refuseForeign(url: string): void {
  const address = parseUrl(url);
  if (address === null || address.protocol === 'https:') return;
  if (CONTAINER_HOSTS.has(address.hostname) || /^127\.\d+\.\d+\.\d+$/.test(address.hostname)) return;
  throw providerError(
    `The credentials endpoint ${printable(redact(url))} is on another machine, and does not use https.`,
    'Check AWS_CONTAINER_CREDENTIALS_FULL_URI.',
  );
}

/** The metadata service of a cloud machine (IMDSv2). */
export async function fromMachine(env: Environment): Promise<LookUp> {
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

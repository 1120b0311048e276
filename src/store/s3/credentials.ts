import { AppregError } from '../../core/errors/error.ts';
import { parseUrl } from '../../core/url/url.ts';
import { message } from '../../core/text/message.ts';
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
  type Credentials,
} from './credential-requests.ts';
import { fromProfile, fromRole } from './profile-credentials.ts';
import { type Environment, profileName } from './profile.ts';
import { type SendRequest, openHttp } from './web.ts';

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

/** Credentials that are looked up for the first request, and again before they end. */
interface RenewedCredentials {
  /**
   * Credentials that are valid, as far as is known. Simultaneous calls share one look-up.
   * @throws the error of the look-up if there are none yet; the next call looks them up again, after a delay
   */
  current(): Promise<FoundCredentials>;
  /**
   * Others, after the store refused some.
   * @returns null if the source still has the same ones @throws the error of the look-up
   */
  after(refused: FoundCredentials): Promise<FoundCredentials | null>;
}

interface RenewalOptions {
  /** Receives the error of a look-up that failed while the earlier credentials are still used. */
  onError?: (error: unknown) => void;
  /** The clock of this machine. It may be wrong: the store decides whether credentials are valid. */
  now?: () => number;
}

/** Milliseconds before their end at which credentials are renewed; sooner if they end within this time. */
const BEFORE_END = 300_000;
/** Milliseconds until credentials are looked up again that have ended by this machine's clock, when they were received. */
const AFTER_END = 60_000;
/** Milliseconds between two look-ups after one that failed or found nothing else, doubled each time. */
const DELAY = 100;
const MAX_DELAY = 30_000;

/** Renews credentials. @param lookUp reads the sources */
export function renewCredentials(
  lookUp: () => Promise<FoundCredentials>,
  { onError = () => {}, now = Date.now }: RenewalOptions = {},
): RenewedCredentials {
  let held: { found: FoundCredentials; renewAt: number } | null = null;
  let running: Promise<FoundCredentials> | null = null;
  let pause: { count: number; until: number; error: { thrown: unknown } | null } | null = null;

  function startPause(error: { thrown: unknown } | null): void {
    const count = (pause?.count ?? 0) + 1;
    pause = { count, until: performance.now() + Math.min(MAX_DELAY, DELAY * 2 ** (count - 1)), error };
  }

  async function lookUpOnce(): Promise<FoundCredentials> {
    try {
      const found = await lookUp();
      const isOther = held === null || !areSame(held.found.keys, found.keys);
      held = { found, renewAt: renewalOf(found, now()) };
      if (isOther) pause = null;
      return found;
    } catch (thrown) {
      startPause({ thrown });
      throw thrown;
    } finally {
      running = null;
    }
  }

  async function renew(): Promise<FoundCredentials> {
    if (running !== null) return running;
    if (pause !== null && performance.now() < pause.until) {
      if (pause.error !== null) throw pause.error.thrown;
      if (held !== null) return held.found;
    }
    return (running = lookUpOnce());
  }

  return {
    async current() {
      if (held === null) return renew();
      const { found, renewAt } = held;
      if (now() < renewAt) return found;
      const renewed = renew().catch((error: unknown) => {
        onError(error);
        // The store refuses them if they have ended.
        return found;
      });
      const isValid = found.expires === null || now() < found.expires.getTime();
      return isValid ? found : renewed;
    },
    async after(refused) {
      if (held !== null && !areSame(held.found.keys, refused.keys)) return held.found;
      const found = await renew();
      if (!areSame(found.keys, refused.keys)) return found;
      if (pause === null || performance.now() >= pause.until) startPause(null);
      return null;
    },
  };
}

/** When credentials are renewed, by the clock of this machine. */
function renewalOf({ expires, readAgainAfter }: FoundCredentials, now: number): number {
  const readAgain = readAgainAfter === null ? Infinity : now + readAgainAfter;
  if (expires === null) return readAgain;
  const left = expires.getTime() - now;
  // The clock of this machine is wrong, or the source has not renewed them.
  if (left <= 0) return now + AFTER_END;
  return Math.min(readAgain, now + Math.max(left - BEFORE_END, left / 2));
}

function areSame(a: Credentials, b: Credentials): boolean {
  return (
    a.accessKeyId === b.accessKeyId && a.secretAccessKey === b.secretAccessKey && a.sessionToken === b.sessionToken
  );
}

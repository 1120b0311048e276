import { AppregError } from '../../core/errors.ts';
import { printable } from '../../core/text/text.ts';
import { type FoundCredentials, foundIn, type LookUp } from './credential-requests.ts';
import { fromContainer, fromMachine } from './machine-credentials.ts';
import { fromProfile } from './profile-credentials.ts';
import { type Environment, profileName } from './profile.ts';
import { fromRole } from './role-credentials.ts';
import type { SendRequest } from './web.ts';

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
    `No credentials for the S3 store were found. Tried ${printable(tried.join('; '))}.`,
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or AWS_ROLE_ARN in a pipeline that has an OIDC token (GitHub Actions: permissions: id-token: write).',
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

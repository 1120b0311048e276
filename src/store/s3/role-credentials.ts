import { message } from '../../core/text/message.ts';
import type { Environment } from './profile.ts';
import {
  type FoundCredentials,
  foundIn,
  type LookUp,
  providerError,
  requestProvider,
  textFields,
  tokenIn,
} from './credential-requests.ts';
import type { SendRequest } from './web.ts';

/** Roles that are assumed with the identity token of a pipeline or a container. */

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
export async function assumeRole(
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

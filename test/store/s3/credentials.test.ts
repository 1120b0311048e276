import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppregError } from '../../../src/core/errors/error.ts';
import type { Credentials } from '../../../src/store/s3/credential-requests.ts';
import { findCredentials } from '../../../src/store/s3/credentials.ts';
import { profileSettings } from '../../../src/store/s3/profile.ts';
import { openHttp } from '../../../src/store/s3/web.ts';
import { scratch } from '../scratch.ts';

/** Every source of credentials, with one server that stands in for all services. */

const OFF = { AWS_EC2_METADATA_DISABLED: 'true' };
const NO_FILES = { ...OFF, AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
const folder = scratch();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
type Answer = { status?: number; body: string };
let server: Server;
let base: string;
let requests: ReceivedRequest[] = [];
let answers: Record<string, Answer | ((request: ReceivedRequest) => Answer)> = {};
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(one);
      const found = answers[one.path.replace(/\?.*/, '')];
      const { status = 200, body } = typeof found === 'function' ? found(one) : (found ?? { status: 404, body: '' });
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function find(env: Record<string, string>, region = 'eu-west-1'): Promise<Credentials> {
  requests = [];
  return findCredentials(env, region, openHttp()).then(({ keys }) => keys);
}

const STS = (text = ''): string =>
  `<R><Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s1</SecretAccessKey><SessionToken>t1</SessionToken></Credentials>${text}</R>`;
const JSON_KEYS = JSON.stringify({ AccessKeyId: 'ASIA2', SecretAccessKey: 's2', Token: 't2', Expiration: 'x' });
const SESSION_CREDENTIALS = { accessKeyId: 'ASIA1', secretAccessKey: 's1', sessionToken: 't1' };
const SERVED = { accessKeyId: 'ASIA2', secretAccessKey: 's2', sessionToken: 't2' };

const SHARED = `
# keys of all kinds
[default]
aws_access_key_id = AKIADEFAULT
aws_secret_access_key=abc/+def=   # a remark
[work]
aws_access_key_id = AKIAWORK
aws_secret_access_key = w
aws_session_token = tw
[ half ]
aws_access_key_id = AKIAHALF
`;
const CONFIG = `
[default]
region = eu-central-1
s3 =
  addressing_style = path
  region = nested
[profile work]
region = us-west-2
endpoint_url = https://s3.work.test
[profile own]
aws_access_key_id = AKIAOWN
aws_secret_access_key = o
[profile sso]
sso_start_url = https://x.test
`;

describe('credentials come from', () => {
  test.each<{ name: string; env: () => Record<string, string>; credentials: object }>([
    {
      name: 'the environment',
      env: () => ({ ...NO_FILES, AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 's' }),
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 's' },
    },
    {
      name: 'the environment, with a session token, before everything else',
      env: () => ({
        ...NO_FILES,
        AWS_ACCESS_KEY_ID: 'AKIA',
        AWS_SECRET_ACCESS_KEY: 's',
        AWS_SESSION_TOKEN: 't',
        AWS_ROLE_ARN: 'r',
        AWS_PROFILE: 'work',
      }),
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 's', sessionToken: 't' },
    },
    {
      name: 'the default profile',
      env: () => ({ ...OFF, AWS_SHARED_CREDENTIALS_FILE: file('c', SHARED), AWS_CONFIG_FILE: file('g', CONFIG) }),
      credentials: { accessKeyId: 'AKIADEFAULT', secretAccessKey: 'abc/+def=' },
    },
    {
      name: 'a named profile, in a file with Windows line endings',
      env: () => ({
        ...NO_FILES,
        AWS_SHARED_CREDENTIALS_FILE: file('crlf', SHARED.replaceAll('\n', '\r\n')),
        AWS_PROFILE: 'work',
      }),
      credentials: { accessKeyId: 'AKIAWORK', secretAccessKey: 'w', sessionToken: 'tw' },
    },
    {
      name: 'a profile in the configuration file',
      env: () => ({
        ...OFF,
        AWS_SHARED_CREDENTIALS_FILE: file('c', SHARED),
        AWS_CONFIG_FILE: file('g', CONFIG),
        AWS_PROFILE: 'own',
      }),
      credentials: { accessKeyId: 'AKIAOWN', secretAccessKey: 'o' },
    },
    {
      name: 'a role with a token in a file',
      env: () => {
        answers = { '/sts': { body: STS() } };
        return {
          ...NO_FILES,
          AWS_ROLE_ARN: 'arn:aws:iam::1:role/r',
          AWS_WEB_IDENTITY_TOKEN_FILE: file('token', 'jwt.a.b\n'),
          AWS_ENDPOINT_URL_STS: `${base}/sts`,
        };
      },
      credentials: SESSION_CREDENTIALS,
    },
    {
      name: 'a role with the token of GitHub Actions',
      env: () => {
        answers = { '/oidc': { body: '{"value":"jwt.c.d"}' }, '/sts': { body: STS() } };
        return {
          ...NO_FILES,
          AWS_ROLE_ARN: 'arn:aws:iam::1:role/r',
          ACTIONS_ID_TOKEN_REQUEST_URL: `${base}/oidc?x=1`,
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'bearer-canary',
          AWS_ENDPOINT_URL_STS: `${base}/sts`,
        };
      },
      credentials: SESSION_CREDENTIALS,
    },
    {
      name: 'the endpoint of a container, with its token in a file',
      env: () => {
        answers = { '/task': { body: JSON_KEYS } };
        return {
          ...NO_FILES,
          AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/task`,
          AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file('task', 'task-token\n'),
        };
      },
      credentials: SERVED,
    },
    {
      name: 'the metadata service of the machine',
      env: () => {
        answers = {
          '/latest/api/token': { body: 'session' },
          '/latest/meta-data/iam/security-credentials/': { body: 'my-role\n' },
          '/latest/meta-data/iam/security-credentials/my-role': { body: JSON_KEYS },
        };
        return { ...NO_FILES, AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: `${base}/` };
      },
      credentials: SERVED,
    },
  ])('$name', async ({ env, credentials }) => {
    expect(await find(env())).toEqual(credentials);
  });

  test('services that receive the documented requests', async () => {
    answers = { '/oidc': { body: '{"value":"jwt.c.d"}' }, '/sts': { body: STS() } };
    await find({
      ...NO_FILES,
      AWS_ROLE_ARN: 'arn:r',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${base}/oidc?x=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'b',
      AWS_ENDPOINT_URL_STS: `${base}/sts`,
    });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /oidc?x=1&audience=sts.amazonaws.com',
      'POST /sts',
    ]);
    expect(requests[0]!.headers.authorization).toBe('Bearer b');
    expect(Object.fromEntries(new URLSearchParams(requests[1]!.body))).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:r',
      RoleSessionName: 'appreg',
      WebIdentityToken: 'jwt.c.d',
    });
  });

  test('no metadata service that is disabled', async () => {
    await expect(
      find({ ...NO_FILES, AWS_EC2_METADATA_DISABLED: 'TRUE', AWS_EC2_METADATA_SERVICE_ENDPOINT: base }),
    ).rejects.toMatchObject({ code: 's3-credentials' });
    expect(requests).toEqual([]);
  });
});

test('region and endpoint come from the profile, never from a nested section of it', () => {
  const env = { AWS_CONFIG_FILE: file('g', CONFIG) };
  expect(profileSettings(env)).toEqual({ region: 'eu-central-1', endpoint: null });
  expect(profileSettings({ ...env, AWS_PROFILE: 'work' })).toEqual({
    region: 'us-west-2',
    endpoint: 'https://s3.work.test',
  });
});

const token = (): string => file('canary', 'jwt-canary');
const echoRequest = ({ headers, body }: ReceivedRequest): Answer => {
  const form = new URLSearchParams(body).get('WebIdentityToken');
  return {
    status: 403,
    body: `<E><Code>Denied</Code><Message>No: ${headers.authorization ?? ''} ${form ?? ''}</Message></E>`,
  };
};

describe('missing credentials are reported with the reason and without secrets, for', () => {
  const ROLE = { ...NO_FILES, AWS_ROLE_ARN: 'arn:r' };
  test.each<{ name: string; env: () => Record<string, string>; message: RegExp; hint: RegExp }>([
    { name: 'an empty environment', env: () => NO_FILES, message: /No credentials/, hint: /AWS_ACCESS_KEY_ID/ },
    {
      name: 'an incomplete pair of keys',
      env: () => ({ ...NO_FILES, AWS_SECRET_ACCESS_KEY: 'a-canary' }),
      message: /No credentials/,
      hint: /AWS_ACCESS_KEY_ID/,
    },
    { name: 'a role without a token', env: () => ROLE, message: /No credentials/, hint: /id-token: write/ },
    {
      name: 'a token file that does not exist',
      env: () => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere/token' }),
      message: /\/nowhere\/token does not exist/,
      hint: /AWS_WEB_IDENTITY_TOKEN_FILE/,
    },
    {
      name: 'a token file without a token',
      env: () => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: file('empty', '\n') }),
      message: /empty/,
      hint: /AWS_WEB_IDENTITY_TOKEN_FILE/,
    },
    {
      name: 'a refused role and a service that echoes the token',
      env: () => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: token(), AWS_ENDPOINT_URL_STS: `${base}/echo` }),
      message: /arn:r could not be assumed \(Denied: No: {2}REDACTED\)/,
      hint: /trust policy/,
    },
    {
      name: 'a missing OIDC token',
      env: () => ({
        ...ROLE,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${base}/echo?token=url-canary`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'bearer-canary',
      }),
      message: /no OIDC token \(status 403\)/,
      hint: /id-token: write/,
    },
    {
      name: 'a token service that refuses connections',
      env: () => ({
        ...ROLE,
        ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:9/?token=url-canary',
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'bearer-canary',
      }),
      message: /127\.0\.0\.1:9\/\?token=REDACTED.* cannot be reached/,
      hint: /network/,
    },
    {
      name: 'a service address that is not a URL',
      env: () => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: token(), AWS_ENDPOINT_URL_STS: 'sts.test' }),
      message: /sts\.test is not a valid URL/,
      hint: /variable/,
    },
    {
      name: 'a profile that does not exist',
      env: () => ({ ...NO_FILES, AWS_SHARED_CREDENTIALS_FILE: file('c', SHARED), AWS_PROFILE: 'gone' }),
      message: /have no profile “gone”/,
      hint: /AWS_PROFILE/,
    },
    {
      name: 'a profile of another kind',
      env: () => ({ ...NO_FILES, AWS_CONFIG_FILE: file('g', CONFIG), AWS_PROFILE: 'sso' }),
      message: /“sso” has no access key/,
      hint: /export-credentials/,
    },
    {
      name: 'a profile with an incomplete pair of keys',
      env: () => ({ ...NO_FILES, AWS_SHARED_CREDENTIALS_FILE: file('c', SHARED), AWS_PROFILE: 'half' }),
      message: /“half” has no access key/,
      hint: /export-credentials/,
    },
    {
      name: 'a shared file that does not exist',
      env: () => ({ ...NO_FILES, AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials' }),
      message: /\/nowhere\/credentials does not exist/,
      hint: /AWS_SHARED_CREDENTIALS_FILE/,
    },
    {
      name: 'a container whose token file does not exist',
      env: () => ({
        ...NO_FILES,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/task`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/nowhere/task',
      }),
      message: /\/nowhere\/task does not exist/,
      hint: /AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE/,
    },
    {
      name: 'a container that returns no credentials',
      env: () => ({
        ...NO_FILES,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/echo`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: 'task-canary',
      }),
      message: /returned no credentials \(status 403\)/,
      hint: /role of the task/,
    },
    {
      name: 'a response that is not JSON',
      env: () => ({ ...NO_FILES, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/text` }),
      message: /returned no credentials \(status 200\)/,
      hint: /role of the task/,
    },
  ])('$name', async ({ env, message, hint }) => {
    answers = { '/echo': echoRequest, '/text': { body: 'a-canary, but no JSON' } };
    const error = (await find(env()).catch((caught: unknown) => caught)) as AppregError;
    expect(error).toMatchObject({
      code: 's3-credentials',
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    });
    expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain('canary');
  });
});

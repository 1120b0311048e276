import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppregError } from '../../../src/core/errors/error.ts';
import type { Credentials } from '../../../src/store/s3/credentials.ts';
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
      const found = answers[one.path.replace(/(?<=.)\/?(\?.*)?$/, '')] ?? answers[one.path];
      const { status = 200, body } = typeof found === 'function' ? found(one) : (found ?? { status: 404, body: '' });
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

afterEach(() => vi.unstubAllEnvs());

/** The providers of AWS read the environment of the process. */
function find(env: Record<string, string>, region = 'eu-west-1'): Promise<Credentials> {
  requests = [];
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return findCredentials(env, region, openHttp()).then(({ keys }) => keys);
}

const STS =
  '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s1</SecretAccessKey><SessionToken>t1</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>';
const JSON_KEYS = JSON.stringify({
  AccessKeyId: 'ASIA2',
  SecretAccessKey: 's2',
  Token: 't2',
  Expiration: '2030-01-01T00:00:00Z',
});
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
      name: 'a role with a token in a file',
      env: () => {
        answers = { '/sts': { body: STS } };
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
        answers = { '/oidc': { body: '{"value":"jwt.c.d"}' }, '/sts': { body: STS } };
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
      name: 'a role that a profile assumes with the keys of another one',
      env: () => {
        answers = { '/sts': { body: STS.replaceAll('AssumeRoleWithWebIdentity', 'AssumeRole') } };
        return {
          ...NO_FILES,
          AWS_CONFIG_FILE: file(
            'roles',
            '[profile base]\naws_access_key_id = AKIABASE\naws_secret_access_key = b\n[profile deploy]\nrole_arn = arn:aws:iam::1:role/d\nsource_profile = base\n',
          ),
          AWS_PROFILE: 'deploy',
          AWS_ENDPOINT_URL_STS: `${base}/sts`,
        };
      },
      credentials: SESSION_CREDENTIALS,
    },
    {
      name: 'a profile of SSO, with the token of aws sso login',
      env: () => {
        const start = 'https://start.example.test';
        const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
        const cache = join(folder, '.aws/sso/cache');
        mkdirSync(cache, { recursive: true });
        writeFileSync(
          join(cache, `${createHash('sha1').update(start).digest('hex')}.json`),
          JSON.stringify({ accessToken: 'sso-token', expiresAt }),
        );
        answers = {
          '/sso/federation/credentials': {
            body: JSON.stringify({
              roleCredentials: { ...SESSION_CREDENTIALS, expiration: Date.now() + 3_600_000 },
            }).replaceAll('ASIA1', 'ASIA3'),
          },
        };
        return {
          ...NO_FILES,
          HOME: folder,
          AWS_CONFIG_FILE: file(
            'sso',
            `[profile dev]\nsso_start_url = ${start}\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = r\n`,
          ),
          AWS_PROFILE: 'dev',
          AWS_ENDPOINT_URL_SSO: `${base}/sso`,
        };
      },
      credentials: { ...SESSION_CREDENTIALS, accessKeyId: 'ASIA3' },
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
    answers = { '/oidc': { body: '{"value":"jwt.c.d"}' }, '/sts': { body: STS } };
    await find({
      ...NO_FILES,
      AWS_ROLE_ARN: 'arn:r',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${base}/oidc?x=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'b',
      AWS_ENDPOINT_URL_STS: `${base}/sts`,
    });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /oidc?x=1&audience=sts.amazonaws.com',
      'POST /sts/',
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
    body: `<ErrorResponse><Error><Code>Denied</Code><Message>No: ${headers.authorization ?? ''} ${form ?? ''}</Message></Error></ErrorResponse>`,
  };
};

describe('missing credentials are reported with the reason and without secrets, for', () => {
  const ROLE = { ...NO_FILES, AWS_ROLE_ARN: 'arn:r', AWS_ENDPOINT_URL_STS: `http://127.0.0.1:9/` };
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
      message: /No credentials.*nowhere\/token/,
      hint: /AWS_ROLE_ARN/,
    },
    {
      name: 'a refused role and a service that echoes the token',
      env: () => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: token(), AWS_ENDPOINT_URL_STS: `${base}/echo` }),
      message: /\(.*No: +REDACTED-*\)/,
      hint: /AWS_ROLE_ARN/,
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
      message: /no OIDC token \(.*ECONNREFUSED/,
      hint: /id-token: write/,
    },
    {
      name: 'a service address that is not a URL',
      env: () => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: token(), AWS_ENDPOINT_URL_STS: 'sts.test' }),
      message: /Invalid URL/,
      hint: /AWS_ROLE_ARN/,
    },
    {
      name: 'a profile that does not exist',
      env: () => ({ ...NO_FILES, AWS_SHARED_CREDENTIALS_FILE: file('c', SHARED), AWS_PROFILE: 'gone' }),
      message: /profile “gone” has no credentials/,
      hint: /AWS_PROFILE/,
    },
    {
      name: 'a profile of another kind',
      env: () => ({ ...NO_FILES, AWS_CONFIG_FILE: file('g', CONFIG), AWS_PROFILE: 'sso' }),
      message: /“sso” has no credentials \(Profile is configured with invalid SSO credentials/,
      hint: /aws sso login --profile sso/,
    },
    {
      name: 'a container whose token file does not exist',
      env: () => ({
        ...NO_FILES,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/task`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/nowhere/task',
      }),
      message: /nowhere\/task/,
      hint: /role of the task/,
    },
    {
      name: 'a container that returns no credentials',
      env: () => ({
        ...NO_FILES,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/echo`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: 'task-canary',
      }),
      message: /No credentials/,
      hint: /role of the task/,
    },
    {
      name: 'a response that is not JSON',
      env: () => ({ ...NO_FILES, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${base}/text` }),
      message: /the response is not valid JSON/,
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

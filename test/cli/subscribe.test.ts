import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSubscribe } from '../../src/cli/commands/subscribe.ts';
import { folder } from '../support/folders.ts';
import { contextIn, type Recorded, refusal } from './author-support.ts';

/** A service with a configurable response, which records the requests. */
let server: Server;
let service: string;
let answerWith: { status: number; type?: string; body: string };
/** Responses to GET, by path, in turn. */
let states: Record<string, object[]> = {};
let receivedRequests: { method: string; path: string; headers: IncomingMessage['headers']; body: unknown }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += String(chunk)));
    request.on('end', () => {
      receivedRequests.push({
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      });
      const state = request.method === 'GET' ? states[request.url!]?.shift() : undefined;
      if (request.method === 'GET') {
        response.writeHead(state === undefined ? 404 : 200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify(state ?? {}));
      }
      response.writeHead(answerWith.status, { 'content-type': answerWith.type ?? 'application/problem+json' });
      response.end(answerWith.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service = `http://127.0.0.1:${(server.address() as AddressInfo).port}/flows`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  receivedRequests = [];
  states = {};
  answerWith = { status: 201, body: '{"id":"1","apps":3}' };
});

const REGISTRY = 'https://apps.example.com/registry.json';
type Given = Parameters<typeof runSubscribe>[2];
async function run(
  options: Given = {},
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; printed: Recorded['printed'] }> {
  const context = { ...contextIn(folder(), options), env };
  const code = await runSubscribe(context, REGISTRY, { service, name: 'Apps', ...options });
  return { code, printed: context.printed };
}

test('subscribe sends the request that the specification defines', async () => {
  const { code, printed } = await run(
    { tokenEnv: 'TOKEN', headerEnv: ['X-Org=ORG'] },
    { TOKEN: 's3cret-token', ORG: 'seven' },
  );
  expect(code).toBe(0);
  expect(receivedRequests).toMatchObject([
    {
      method: 'POST',
      path: '/flows/api/registries/subscribe',
      headers: { 'content-type': 'application/json', authorization: 'Bearer s3cret-token', 'x-org': 'seven' },
      body: { url: REGISTRY, name: 'Apps' },
    },
  ]);
  expect(printed.out).toEqual([`subscribed to ${REGISTRY} as “Apps”`]);
});

test.each([
  { name: 'checked before its response', status: 201, body: '{"id":"1"}', words: /^the service checks it every hour;/ },
  {
    name: 'knows already',
    status: 409,
    body: '{"type":"https://x.test/problems/already-subscribed"}',
    words: /^the service checks it every hour;/,
  },
  {
    name: 'is still checking',
    status: 202,
    body: '{"subscription":{"id":"r-1"}}',
    words: /^the service checks it now, then every hour;/,
  },
])('subscribe says when a registry is checked that the service $name', async ({ status, body, words }) => {
  answerWith = { status, body };
  states['/flows/api/registries/r-1'] = [{ checking: true }];
  const { printed } = await run({ timeout: 0.5 });
  expect(printed.next.join('\n')).toMatch(words);
});

test.each([
  {
    name: 'an existing subscription',
    status: 409,
    body: '{"type":"https://x.test/problems/already-subscribed","title":"Already subscribed"}',
    code: 0,
    words: /^already subscribed/,
  },
  {
    name: 'any other conflict',
    status: 409,
    body: '{"type":"about:blank","title":"The name is taken"}',
    code: 1,
    words: /409: The name is taken/,
  },
  {
    name: 'an unusable registry',
    status: 422,
    body: '{"title":"Unusable","detail":"no manifest","findings":[{"severity":"error","rule":"unreachable","message":"It answers with 404.","advice":"Upload it."}]}',
    code: 1,
    words: /422: Unusable: no manifest\n {2}error {2}It answers with 404\. {2}unreachable\n {4}→ Upload it\./,
  },
  { name: 'missing credentials', status: 401, body: '{"title":"Unauthorized"}', code: 1, words: /--token-env/ },
  {
    name: 'a wrong service URL',
    status: 404,
    body: '<html><h1>Not found</h1></html>',
    code: 1,
    words: /404: <html>[\s\S]*subscribe\./,
  },
  { name: 'a server error without a body', status: 503, body: '', code: 1, words: /503: no reason given/ },
  {
    name: 'a web page instead of the response of the service',
    status: 200,
    body: '\n<!DOCTYPE html><title>Sign in</title>',
    code: 1,
    words:
      /^Not subscribed: http:\S+\/flows\/api\/registries\/subscribe responds with 200 and an HTML page, not with the service’s API\.\n {2}Check --service and the credentials\.$/,
  },
  { name: 'success with a text of another service', status: 200, body: 'ready', code: 0, words: /^subscribed to / },
  { name: 'success without a body', status: 204, body: '', code: 0, words: /^subscribed to / },
  { name: 'success with an empty body', status: 200, body: '', code: 0, words: /^subscribed to / },
  { name: 'an invalid request', status: 400, body: '{"title":"Bad name"}', code: 1, words: /400: Bad name$/ },
  {
    name: 'the command that checks the registry',
    status: 422,
    body: '{"title":"Unusable"}',
    code: 1,
    words: /\n {2}Check the registry: appreg verify https:\/\/apps\.example\.com\/registry\.json$/,
  },
  {
    name: 'a message with control characters',
    status: 400,
    body: '{"title":"a\\u001b[2Jb\\n::error::c"}',
    code: 1,
    words: /400: a\\u\{?1b/i,
  },
] as const)('subscribe reports $name', async ({ status, body, code, words }) => {
  answerWith = { status, body };
  const { code: exit, printed } = await run();
  expect(exit).toBe(code);
  expect((code === 0 ? printed.out : printed.error).join('\n')).toMatch(words);
  expect(code === 0 ? printed.error : printed.out).toEqual([]);
});

test.each([
  [401, /\n {2}Check the value of TOK: the service does not know this token, or it was rotated or has expired\.$/],
  [403, /\n {2}Check the permissions of the token in TOK\.$/],
])('subscribe names the variable of a token that is refused with %d', async (status, words) => {
  answerWith = { status, body: '{"title":"Refused"}' };
  const { code, printed } = await run({ tokenEnv: 'TOK' }, { TOK: 's3cret-token' });
  expect(code).toBe(1);
  expect(printed.error.join('\n')).toMatch(words);
});

test('subscribe does not print a secret that the service echoes', async () => {
  answerWith = { status: 400, body: '{"title":"bad token s3cret-token"}' };
  for (const format of ['pretty', 'json']) {
    const { printed } = await run({ tokenEnv: 'TOKEN', format }, { TOKEN: 's3cret-token' });
    expect(JSON.stringify(printed)).not.toContain('s3cret');
  }
});

test('subscribe does not read a response that is nested deep', async () => {
  answerWith = { status: 201, body: '['.repeat(10_000) + ']'.repeat(10_000) };
  const { code, printed } = await run({ format: 'json' });
  expect(code).toBe(0);
  expect(JSON.parse(printed.out.join(''))).toMatchObject({ outcome: 'subscribed', status: 201 });
});

test('subscribe prints JSON', async () => {
  const { printed } = await run({ format: 'json' });
  expect(JSON.parse(printed.out[0]!)).toMatchObject({
    registry: REGISTRY,
    name: 'Apps',
    outcome: 'subscribed',
    status: 201,
    body: { id: '1', apps: 3 },
    text: null,
    check: null,
  });
});

test.each<{ name: string; options: Given; names: string }>([
  { name: 'without a service', options: { service: undefined as never }, names: '--service' },
  { name: 'without a name', options: { name: ' ' }, names: '--name' },
  { name: 'with a service that is not a URL', options: { service: 'flows' }, names: '--service' },
  { name: 'with a token variable that is not set', options: { tokenEnv: 'NONE' }, names: 'NONE' },
  {
    name: 'with credentials over plain http',
    options: { service: 'http://flows.example.com', header: ['Authorization: Bearer x'] },
    names: 'http',
  },
  { name: 'with a service that refuses connections', options: { service: 'http://127.0.0.1:9' }, names: '127.0.0.1:9' },
])('subscribe $name is a usage error', async ({ options, names }) => {
  const error = await refusal(run(options));
  expect(error).toMatchObject({ exit: 2, message: expect.stringContaining(names) as string });
  expect(receivedRequests).toEqual([]);
});

test.each([
  ['flows', 'Invalid --service “flows”. It has no scheme. Give the full URL of the service,'],
  ['flows.example.com', 'Invalid --service “flows.example.com”. It has no scheme. Give the full URL of the service,'],
  ['ftp://flows.example.com', 'Its scheme is not https:. Give the full URL of the service,'],
  ['https://a:b@flows.example.com', 'It contains a user name or password.'],
  ['https://flows.example.com/?a', 'The URL of a service must not have a query or fragment,'],
])('subscribe with --service %s says what is wrong with it', async (given, words) => {
  const { message } = await refusal(run({ service: given }));
  expect(message).toContain(words);
  expect(message).not.toMatch(/subscribers|browsers/);
});

describe('a registry that the service has accepted before it was checked', () => {
  const PATH = '/flows/api/registries/r-1';
  beforeEach(() => {
    answerWith = { status: 202, body: '{"subscription":{"id":"r-1","state":"checking","checking":true}}' };
  });
  const checking = {
    checking: true,
    progress: { apps: { total: 40, read: 23 }, artifacts: { total: 30, verified: 11 } },
  };

  test('is awaited, with its progress', async () => {
    states[PATH] = [checking, { checking: false, failingSince: null, apps: 40, visible: 39, errors: 1 }];
    const { code, printed } = await run({ tokenEnv: 'TOKEN' }, { TOKEN: 's3cret-token' });
    expect([code, printed.out]).toEqual([
      0,
      [`subscribed to ${REGISTRY} as “Apps”: 40 apps, 39 can be installed, 1 error`],
    ]);
    expect(receivedRequests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /flows/api/registries/subscribe',
      `GET ${PATH}`,
      `GET ${PATH}`,
    ]);
    expect(receivedRequests.every(({ headers }) => headers.authorization === 'Bearer s3cret-token')).toBe(true);
  });

  test('and is unusable, is exit 1 with its findings', async () => {
    states[PATH] = [{ checking: false, failingSince: '2026-01-01T00:00:00.000Z', apps: 0, visible: 0, errors: 1 }];
    const finding = { severity: 'error', rule: 'unreachable', message: 'It timed out.', advice: 'Start the host.' };
    states[`${PATH}/report`] = [{ findings: [finding, { severity: 'warning', message: 'Slow.' }] }];
    const { code, printed } = await run();
    expect(code).toBe(1);
    expect(printed.out).toEqual([`subscribed to ${REGISTRY} as “Apps”`]);
    expect(printed.error.join('\n')).toMatch(
      /^The registry cannot be used:\n {2}error {2}It timed out\. {2}unreachable\n {4}→ Start the host\.\n {2}The subscription is kept/,
    );
    expect(printed.error.join('\n')).not.toContain('Slow.');
  });

  test.each<{ name: string; responses: object[]; options: Given; words: RegExp }>([
    {
      name: 'is not checked in time',
      responses: [checking],
      options: { timeout: 0.5 },
      words: /; its first check has not finished yet$/,
    },
    { name: 'of a service without this API', responses: [], options: {}, words: /^subscribed to \S+ as “Apps”$/ },
  ])('that $name is subscribed to', async ({ responses, options, words }) => {
    states[PATH] = responses;
    const { code, printed } = await run(options);
    expect(code).toBe(0);
    expect(printed.out.join('\n')).toMatch(words);
  });

  test('is part of the JSON', async () => {
    states[PATH] = [{ checking: false, failingSince: null, apps: 2, visible: 2, errors: 0 }];
    const { printed } = await run({ format: 'json' });
    expect(JSON.parse(printed.out[0]!)).toMatchObject({
      outcome: 'subscribed',
      status: 202,
      check: { checking: false, failing: false, apps: 2, visible: 2, errors: 0, findings: [] },
    });
  });
});

test.each([
  ['a challenge', 403, '<html><title>Just a moment...</title>', 'Cloudflare challenges the client as a bot', /API/],
  ['a challenge with 200', 200, '<html><title>Just a moment...</title>', 'Cloudflare challenges', /API/],
  ['maintenance', 503, '<html><title>Down for maintenance</title>', 'a maintenance page', /after the maintenance/],
  ['a blocked request', 403, '<html><title>Request Rejected</title>', 'F5 blocks the request', /firewall rule/],
  ['a portal', 200, '<html><b>FortiGuard Web Filtering</b>', 'of this network responds', /Sign in to that network/],
])('subscribe names the product that responds instead of the service: %s', async (_, status, body, words, advice) => {
  answerWith = { status, body, type: 'text/html' };
  const { code, printed } = await run();
  expect(code).toBe(1);
  expect(printed.error.join('\n')).toContain(`responds with ${status}: `);
  expect(printed.error.join('\n')).toContain(words);
  expect(printed.error.join('\n')).toMatch(advice);
  expect(printed.error.join('\n')).not.toContain('registry’s files');
});

test('a page that a finding of the service quotes is not one of the service', async () => {
  const body = {
    title: 'Unusable',
    findings: [{ severity: 'error', message: 'x', evidence: '<title>Just a moment...</title>' }],
  };
  answerWith = { status: 422, body: JSON.stringify(body), type: 'application/json' };
  const { printed } = await run();
  expect(printed.error.join('\n')).toMatch(/422: Unusable/);
});

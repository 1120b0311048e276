import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { subscribeTo } from '../../src/cli/commands/subscribe/run.ts';
import { contextIn, folder, type Recorded, refusal } from './author-support.ts';

/** A service with a configurable response, which records the requests. */
let server: Server;
let service: string;
let answerWith: { status: number; type?: string; body: string };
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
        body: JSON.parse(text) as unknown,
      });
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
  answerWith = { status: 201, body: '{"id":"1","apps":3}' };
});

const REGISTRY = 'https://apps.example.com/registry.json';
type Given = Parameters<typeof subscribeTo>[2];
async function run(
  options: Given = {},
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; printed: Recorded['printed'] }> {
  const context = { ...contextIn(folder(), options), env };
  const code = await subscribeTo(context, REGISTRY, { service, name: 'Apps', ...options });
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
  [
    'an existing subscription',
    409,
    '{"type":"https://x.test/problems/already-subscribed","title":"Already subscribed"}',
    0,
    /^already subscribed/,
  ],
  ['any other conflict', 409, '{"type":"about:blank","title":"The name is taken"}', 1, /409: The name is taken/],
  [
    'an unusable registry',
    422,
    '{"title":"Unusable","detail":"no manifest","findings":[{"severity":"error","rule":"unreachable","message":"It answers with 404.","advice":"Upload it."}]}',
    1,
    /422: Unusable: no manifest\n {2}error {2}It answers with 404\. {2}unreachable\n {4}→ Upload it\./,
  ],
  ['missing credentials', 401, '{"title":"Unauthorized"}', 1, /--token-env/],
  ['a wrong service URL', 404, '<html><h1>Not found</h1></html>', 1, /404: <html>[\s\S]*subscribe\./],
  ['a server error without a body', 503, '', 1, /503: no reason given/],
  ['a message with control characters', 400, '{"title":"a\\u001b[2Jb\\n::error::c"}', 1, /400: a\\u\{?1b/i],
] as const)('subscribe reports %s', async (_, status, body, code, words) => {
  answerWith = { status, body };
  const done = await run();
  expect(done.code).toBe(code);
  expect(done.printed.out.join('\n')).toMatch(words);
});

test('subscribe does not print a secret that the service echoes', async () => {
  answerWith = { status: 400, body: '{"title":"bad token s3cret-token"}' };
  for (const format of ['pretty', 'json']) {
    const { printed } = await run({ tokenEnv: 'TOKEN', format }, { TOKEN: 's3cret-token' });
    expect(printed.out.join('')).not.toContain('s3cret');
  }
});

test('subscribe prints JSON', async () => {
  const { printed } = await run({ format: 'json' });
  expect(JSON.parse(printed.out[0]!)).toEqual({
    registry: REGISTRY,
    name: 'Apps',
    outcome: 'subscribed',
    status: 201,
    body: { id: '1', apps: 3 },
    text: null,
  });
});

test.each<[string, Given, string]>([
  ['without a service', { service: undefined as never }, '--service'],
  ['without a name', { name: ' ' }, '--name'],
  ['with a service that is not a URL', { service: 'flows' }, '--service'],
  ['with a token variable that is not set', { tokenEnv: 'NONE' }, 'NONE'],
  [
    'with credentials over plain http',
    { service: 'http://flows.example.com', header: ['Authorization: Bearer x'] },
    'http',
  ],
  ['with a service that refuses connections', { service: 'http://127.0.0.1:9' }, '127.0.0.1:9'],
])('subscribe %s is a usage error', async (_, options, names) => {
  const error = await refusal(run(options));
  expect(error).toMatchObject({ exit: 2, message: expect.stringContaining(names) as string });
  expect(receivedRequests).toEqual([]);
});

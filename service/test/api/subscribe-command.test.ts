import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSubscribe } from '../../../src/cli/commands/subscribe.ts';
import { listen } from '../../src/http/listen.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { putRegistry } from '../../../test/support/live-registry.ts';
import { folder } from '../../../test/support/folders.ts';
import { contextIn } from '../../../test/cli/author-support.ts';
import { addRegistry } from '../database-fixture.ts';
import { allowing, openWebFixture, type WebFixture } from '../web-fixture.ts';

/** `appreg subscribe` with the real service. */

let web: WebFixture;
let host: FaultHost;
let known: string;
let token: string;
let server: { url: string; close(): Promise<void> };
beforeAll(async () => {
  web = await openWebFixture();
  ({ token } = await web.join());
  host = await openFaultHost();
  known = putRegistry(host).url;
  await addRegistry(web.db, known);
  server = await listen({ host: '127.0.0.1', port: 0 }, web.app({ ca: certificates().ca }, allowing(3)).fetch);
});
afterAll(async () => {
  await server.close();
  await host.close();
  await web.stop();
});

async function run(url: string, env: NodeJS.ProcessEnv): Promise<{ code: number; out: string }> {
  const context = { ...contextIn(folder(), {}), env };
  const code = await runSubscribe(context, url, { service: server.url, name: 'Internal apps', tokenEnv: 'TOKEN' });
  return { code, out: [...context.printed.out, ...context.printed.error].join('\n') };
}

// In this order, since the requests use up the rate limit.
test.each<[string, () => string, number, RegExp]>([
  ['a registry', () => known, 0, /^subscribed to http:\/\/127\.0\.0\.1:\d+\/registry\.json as “Internal apps”$/],
  ['the same registry again', () => known, 0, /^already subscribed to /],
  [
    'an unreachable registry',
    () => 'https://unusable.invalid/registry.json',
    1,
    /^Refused with status 422: The registry cannot be used: [^]*appreg verify/,
  ],
  [
    'a registry above the rate limit',
    () => known,
    1,
    /^Refused with status 429: Too many requests: Try again in \d+ s\.\n {2}Too many requests: try again later\.$/,
  ],
])('appreg subscribe to %s prints the response of the service', async (_, url, code, words) => {
  const done = await run(url(), { TOKEN: token });
  expect(done.out).toMatch(words);
  expect(done.code).toBe(code);
  expect(done.out).not.toContain(token);
});

test('appreg subscribe with a wrong token is refused', async () => {
  const { code, out } = await run(known, { TOKEN: `apr_${'x'.repeat(43)}` });
  expect(code).toBe(1);
  expect(out).toMatch(
    /^Refused with status 401: A valid token is required: The token is not valid\.\n {2}Check the value of TOKEN: /,
  );
});

test('appreg subscribe sends the credentials of a registry from the environment, and does not print them', async () => {
  const context = { ...contextIn(folder(), {}), env: { TOKEN: token, REGISTRY: 'planted-credential' } };
  const url = 'http://private.example.com/registry.json';
  const options = { service: server.url, name: 'Private', tokenEnv: 'TOKEN' };
  await runSubscribe(context, url, { ...options, registryTokenEnv: 'REGISTRY' });
  expect(context.printed.out.join('\n')).not.toContain('planted-credential');
  await expect(runSubscribe(context, url, { ...options, registryBasicEnv: 'REGISTRY' })).rejects.toMatchObject({
    code: 'option-invalid',
  });
  await expect(runSubscribe(context, url, { ...options, registryHeaderEnv: 'X-Key=UNSET' })).rejects.toMatchObject({
    code: 'environment-variable-unset',
  });
});

test('appreg subscribe prints each invalid field', async () => {
  const errors = [
    { field: 'url', detail: 'The URL is long.' },
    { field: 'name', detail: 'The name is long.' },
  ];
  const problem = { title: 'A field of the body is not valid', detail: 'The URL is long. The name is long.', errors };
  const other = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const context = contextIn(folder(), {});
  const service = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  const code = await runSubscribe(context, known, { service, name: 'Apps' });
  other.close();
  expect(code).toBe(1);
  expect(context.printed.out).toEqual([]);
  expect(context.printed.error.join('\n')).toBe(
    'Refused with status 400: A field of the body is not valid\n  The URL is long.\n  The name is long.',
  );
});

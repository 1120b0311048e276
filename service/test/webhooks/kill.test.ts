// Scenario: nodes are killed while they send.
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../../../test/support/built.ts';
import { type Node, startNode } from '../../../test/support/service-node.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { openTestDatabase, type TestDatabase } from '../database-fixture.ts';

/** Nodes as processes: what a killed one was sending is sent by another. */

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
let database: TestDatabase;
let receiver: WebhookReceiver;
const nodes: Node[] = [];
beforeAll(async () => {
  await buildInto(buildFolder);
  database = await openTestDatabase();
  receiver = await openWebhookReceiver();
}, 90_000);
afterAll(async () => {
  for (const node of nodes) node.child.kill('SIGKILL');
  await Promise.all(nodes.map(({ ended }) => ended));
  await receiver.close();
  await database.stop();
  await rm(buildFolder, { recursive: true, force: true });
});

async function start(): Promise<{ node: Node; url: string }> {
  const env = { DATABASE_URL: database.url, OPERATOR_TOKEN: 'the-operator-of-this-test' };
  const node = startNode(join(buildFolder, 'dist/node/main.cjs'), ['--allow-host', 'localhost', '--quiet'], { env });
  nodes.push(node);
  return { node, url: await node.ready };
}

async function call(url: string, path: string, token: string, body: object = {}): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status, path).toBeLessThan(300);
  return response.json();
}

test('a delivery of a killed node is sent again by another, with the same id', { timeout: 120_000 }, async () => {
  const { node, url } = await start();
  const { token } = await call(url, 'organizations', 'the-operator-of-this-test', { name: 'Acme' });
  const { id } = await call(url, 'webhooks', token, { url: `${receiver.origin}/hook` });
  // The first node is killed while it waits for the response.
  const open = new Promise<void>((killed) =>
    receiver.on('/hook', () => {
      node.child.kill('SIGKILL');
      killed();
    }),
  );
  const { id: delivery } = await call(url, `webhooks/${id}/test`, token);
  await open;
  await node.ended;
  receiver.on('/hook', (response) => response.writeHead(204).end());
  const { url: other } = await start();
  await expect.poll(() => receiver.at('/hook').length, { timeout: 60_000 }).toBe(2);
  expect(receiver.at('/hook').map(({ headers }) => headers['webhook-id'])).toEqual([delivery, delivery]);
  const deliveries = async (): Promise<any> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${other}api/webhooks/${id}/deliveries`, { headers })).json();
  };
  await expect.poll(async () => (await deliveries()).deliveries[0].state).toBe('delivered');
  expect((await deliveries()).deliveries[0]).toMatchObject({ id: delivery, attempts: 2, status: 204 });
  expect(nodes[1]!.stderr()).not.toContain('whsec_');
});

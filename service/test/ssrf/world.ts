import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNode } from '../../../test/support/service-node.ts';
import { startHosts } from './hosts.ts';
import { startNameServer } from './name-server.ts';
import { REBINDING, TARGETS } from './targets.ts';

/**
 * The program that runs in a network of its own: hosts, a name server, a service with its default address policy, and a
 * tenant that names every target in every place. Prints what was reached, as JSON.
 */

const [main = '', folder = ''] = process.argv.slice(2);
const OPERATOR = 'operator-token-of-the-tests';
/** Subscriptions at a time: an organization has two checks at a time. */
const PARALLEL = 8;
/** Webhooks of an organization. */
const WEBHOOKS = 10;

interface Answer {
  status: number;
  json: any;
}
type Client = (method: string, path: string, body?: object) => Promise<Answer>;

function inShell(command: string): void {
  execFileSync('sh', ['-ec', command], { stdio: 'pipe', cwd: folder });
}

function openNetwork(): { key: string; cert: string } {
  // Every address is one of this machine.
  inShell('ip link set lo up; ip route add local default dev lo; ip -6 route add local default dev lo');
  const names = 'DNS:public.test,DNS:control.test,DNS:localhost,DNS:*.internal.test';
  const own = Object.values(REBINDING).map((name) => `DNS:${name}`);
  inShell(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key.pem -out cert.pem \
      -subj /CN=test -addext subjectAltName=${names},${own.join()},IP:127.0.0.1,IP:10.0.0.1,IP:::1`,
  );
  return { key: readFileSync(join(folder, 'key.pem'), 'utf8'), cert: readFileSync(join(folder, 'cert.pem'), 'utf8') };
}

async function inParallel<Item>(items: readonly Item[], size: number, work: (item: Item, i: number) => Promise<void>) {
  const rest = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: size }, worker));
}

function openClient(url: string, token: string): Client {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}api/${path}`, init);
    const text = await response.text();
    return { status: response.status, json: text === '' ? null : JSON.parse(text) };
  };
}

function subscribe(tenant: Client, url: string): Promise<Answer> {
  return tenant('POST', 'registries/subscribe', { url, name: 'R' });
}

async function isAttempted(tenant: Client, id: string): Promise<boolean> {
  const { json } = await tenant('GET', `webhooks/${id}/deliveries`);
  return json.deliveries.length > 0 && json.deliveries.every((one: any) => one.attempts > 0);
}

async function run(): Promise<object> {
  const tls = openNetwork();
  const names = await startNameServer();
  const hosts = await startHosts(tls);
  const decoys = await hosts.probeDecoys();
  const proxy = 'http://10.0.0.1:3128';
  const proxies = Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [name, proxy]),
  );
  const env = { ...proxies, NODE_USE_ENV_PROXY: '1', OPERATOR_TOKEN: OPERATOR };
  const data = join(folder, 'data');
  mkdirSync(data);
  const args = ['--data', data, '--ca', join(folder, 'cert.pem'), '--artifacts', join(folder, 'artifacts')];
  const node = startNode(main, args, { env });
  const url = await node.ready;

  const operator = openClient(url, OPERATOR);
  async function organization(): Promise<Client> {
    const { json } = await operator('POST', 'organizations', { name: 'Tenant' });
    return openClient(url, json.token);
  }
  const statuses: Record<string, number[]> = { subscribe: [], redirect: [], webhook: [], change: [] };
  const tenants = await Promise.all(Array.from({ length: Math.ceil(TARGETS.length / WEBHOOKS) }, organization));
  const tenantOf = (i: number): Client => tenants[Math.floor(i / WEBHOOKS)]!;

  // The registry that names all targets is checked while the others are subscribed to.
  const owner = await organization();
  const all = await subscribe(owner, 'https://public.test/registry.json');
  const rebound = await subscribe(owner, `https://${REBINDING.registry}/rebinding/registry.json`);
  const redirected = await subscribe(owner, `https://public.test/redirect/manifest/9999`);

  await inParallel(TARGETS, PARALLEL, async (target, i) => {
    const direct = await subscribe(tenantOf(i), `https://${target}/manifest/${i}`);
    statuses['subscribe']!.push(direct.status);
    const led = await subscribe(tenantOf(i), `https://public.test/redirect/manifest/${i}`);
    statuses['redirect']!.push(led.status);
  });
  const until = async (condition: () => Promise<boolean>, what: string): Promise<void> => {
    const late = Date.now() + 240_000;
    while (!(await condition())) {
      if (Date.now() > late) throw new Error(`${what} took too long: ${node.stderr().slice(-2000)}`);
      await sleep(500);
    }
  };
  const deliver = async (tenant: Client, address: string): Promise<number> => {
    const made = await tenant('POST', 'webhooks', { url: address });
    if (made.status !== 201) return made.status;
    const { id } = made.json;
    await tenant('POST', `webhooks/${id}/test`);
    await until(() => isAttempted(tenant, id), `a delivery to ${address}`);
    await tenant('DELETE', `webhooks/${id}`);
    return 201;
  };
  await inParallel(TARGETS, PARALLEL, async (target, i) => {
    statuses['webhook']!.push(await deliver(tenantOf(i), `https://${target}/webhook/${i}`));
    await deliver(tenantOf(i), `https://public.test/redirect/webhook/${i}`);
  });
  const hook = (await owner('POST', 'webhooks', { url: `https://${REBINDING.webhook}/webhook/1` })).json;
  for (const target of TARGETS)
    statuses['change']!.push(
      (await owner('PATCH', `webhooks/${hook.id}`, { url: `https://${target}/webhook/2` })).status,
    );
  await owner('PATCH', `webhooks/${hook.id}`, { url: `https://${REBINDING.webhook}/webhook/1` });
  const delivery = (await owner('POST', `webhooks/${hook.id}/test`)).json;
  const stateOf = async (): Promise<any> => {
    const { json } = await owner('GET', `webhooks/${hook.id}/deliveries`);
    return json.deliveries.find(({ id }: any) => id === delivery.id);
  };
  await until(async () => (await stateOf()).state === 'delivered', 'the first delivery');
  await owner('POST', `webhooks/${hook.id}/deliveries/${delivery.id}/redeliver`);
  await until(async () => (await stateOf()).attempts > 1 || (await stateOf()).error !== null, 'the redelivery');

  // A second check of each registry, of which the first one has ended.
  const states: Record<string, string> = {};
  for (const [what, { json }] of Object.entries({ all, rebound, redirected })) {
    const id = json.subscription?.id;
    if (id === undefined) throw new Error(`${what}: ${JSON.stringify(json)}`);
    const state = async (): Promise<any> => (await owner('GET', `registries/${id}`)).json;
    await until(
      async () => (await state()).checkedAt !== null && !(await state()).checking,
      `the first check of ${what}`,
    );
    const { checkedAt } = await state();
    await owner('POST', `registries/${id}/refresh`);
    await until(
      async () => (await state()).checkedAt !== checkedAt && !(await state()).checking,
      `the second of ${what}`,
    );
    states[what] = (await state()).state;
  }
  node.child.kill('SIGTERM');
  await node.ended;
  const refused = node
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"address-refused"')).length;
  return {
    decoys,
    reached: hosts.reached,
    requests: [...new Set(hosts.requests)],
    answers: Object.fromEntries(names.answers),
    statuses,
    states,
    refused,
  };
}

run().then(
  (result) => {
    writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
    process.exit(0);
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

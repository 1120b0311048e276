// Tests `appreg service` with `appreg conformance subscriber`, through its public API alone. Each case is an organization.
//   OPERATOR_TOKEN=... node adapter.mjs <url of the service>     prints its own URL, and serves until it is ended
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds until a check of the service has to be done. */
const DEADLINE = 60_000;

/**
 * @param service the URL of the service, with a trailing slash
 * @param operatorToken allows creating organizations
 */
export function openAdapter(service, operatorToken) {
  /** By case: the token of the organization, and the id of its subscription. */
  const cases = new Map();

  async function send(method, path, { token, body } = {}) {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    for (;;) {
      const response = await fetch(new URL(path, service), { method, headers, body: body && JSON.stringify(body) });
      const value = response.status === 204 ? {} : await response.json();
      if (response.status !== 429) return { status: response.status, value };
      await sleep(1000 * Number(response.headers.get('retry-after')));
    }
  }

  async function subscribe(id, { url, name }) {
    const created = await send('POST', 'api/organizations', { token: operatorToken, body: { name: id } });
    if (created.status !== 201) throw new Error(`no organization: ${JSON.stringify(created.value)}`);
    const { token } = created.value;
    cases.set(id, { token, organization: created.value.organization.id, subscription: null });
    const { status, value } = await send('POST', 'api/registries/subscribe', { token, body: { url, name } });
    if (status !== 201 && status !== 202) return 422;
    cases.get(id).subscription = value.subscription.id;
    return checked(cases.get(id), null);
  }

  async function refresh(id) {
    const one = cases.get(id);
    if (!one?.subscription) return 422;
    const path = `api/registries/${one.subscription}`;
    const { checkedAt } = (await send('GET', path, one)).value;
    await send('POST', `${path}/refresh`, one);
    return checked(one, checkedAt);
  }

  /** Waits for a check after another one. @returns the status of the verb */
  async function checked(one, before) {
    for (const end = Date.now() + DEADLINE; Date.now() < end; await sleep(150)) {
      const { checking, checkedAt, failingSince } = (await send('GET', `api/registries/${one.subscription}`, one)).value;
      if (!checking && checkedAt !== null && checkedAt !== before) return failingSince === null ? 200 : 422;
    }
    throw new Error('the service has not checked the registry');
  }

  async function apps(id) {
    const one = cases.get(id);
    if (!one?.subscription) return { apps: [] };
    const base = `api/registries/${one.subscription}/apps`;
    const listed = (await send('GET', `${base}?limit=500`, one)).value.apps;
    const shown = listed.map(async ({ key, latest, visible }) => {
      // None of its versions is offered.
      if (!visible) return { key, latest: null, versions: [] };
      const { versions } = (await send('GET', `${base}/${encodeURIComponent(key)}/versions?limit=500`, one)).value;
      return {
        key,
        latest,
        versions: versions.map(({ version, artifactChecksum: checksum, offered, state }) => ({
          version,
          checksum,
          state: offered ? 'offered' : state,
        })),
      };
    });
    return { apps: await Promise.all(shown) };
  }

  async function end(id) {
    const one = cases.get(id);
    cases.delete(id);
    if (one) await send('DELETE', `api/organizations/${one.organization}`, { token: operatorToken });
  }

  async function respond({ method, url }, body) {
    const { pathname, searchParams } = new URL(url, 'http://adapter');
    const id = searchParams.get('case');
    switch (`${method} ${pathname}`) {
      case 'POST /subscribe':
        return { status: await subscribe(id, body) };
      case 'POST /refresh':
        return { status: await refresh(id) };
      case 'GET /apps':
        return { status: 200, value: await apps(id) };
      case 'DELETE /case':
        return { status: 200, value: await end(id) };
      default:
        return { status: 501 };
    }
  }

  return createServer(async (request, response) => {
    const chunks = await request.toArray();
    const body = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
    const { status, value = {} } = await respond(request, body).catch((error) => ({
      status: 500,
      value: { reason: String(error) },
    }));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
}

if (import.meta.filename === process.argv[1]) {
  const server = openAdapter(process.argv[2], process.env.OPERATOR_TOKEN);
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
}

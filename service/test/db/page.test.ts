import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { createToken } from '../../src/db/tokens.ts';
import { addWebhook } from '../api/access-fixture.ts';
import { callApi } from '../api/contract.ts';
import { addRegistry, addSubscription } from '../database-fixture.ts';
import { allowing, OPERATOR, openWebFixture, type WebFixture } from '../web-fixture.ts';

/** Lists in order of creation, in pages, while their entries are deleted. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({}, allowing(1000));
});
afterAll(() => web.stop());

interface List {
  path: string;
  /** @param official listed before the others, in the list of registries */
  add(caller: { id: string; token: string }, official: boolean): Promise<unknown>;
}

let count = 0;
const LISTS: Record<string, List> = {
  tokens: {
    path: '/api/tokens',
    add: ({ id }) => createToken(web.db, id, { name: 'Own', scope: 'read', expiresAt: null }, SERVICE_ACTOR),
  },
  webhooks: {
    path: '/api/webhooks',
    add: ({ id }) => addWebhook(web.db, id, 'https://hooks.example.com/'),
  },
  registries: {
    path: '/api/registries',
    async add({ id }, official) {
      count += 1;
      const registry = await addRegistry(web.db, `https://apps.example.com/${count}/registry.json`);
      await addSubscription(web.db, id, registry, { official });
    },
  },
  organizations: { path: '/api/organizations', add: () => web.join() },
};

describe.each(Object.entries(LISTS))('the list of %s', (name, { path, add }) => {
  test('continues after an entry that was deleted', async () => {
    const caller = await web.join();
    const token = name === 'organizations' ? OPERATOR : caller.token;
    for (let i = 0; i < 4; i += 1) await add(caller, i === 3);
    const idsIn = (json: Record<string, { id: string }[]>) => json[name]!.map(({ id }) => id);
    const all = idsIn((await callApi(app, 'GET', path, { token })).json);
    const seen: string[] = [];
    let query = '';
    do {
      const { json } = await callApi(app, 'GET', `${path}?limit=1${query}`, { token });
      const [id] = idsIn(json);
      seen.push(id!);
      query = json.next === null ? '' : `&after=${encodeURIComponent(json.next)}`;
      // The first token of the organization is the one that sends the requests.
      if (seen.length > 1) expect((await callApi(app, 'DELETE', `${path}/${id}`, { token })).status).toBe(204);
    } while (query !== '' && seen.length <= all.length);
    expect(seen).toEqual(all);
    expect(seen.length).toBeGreaterThan(3);
  });
});

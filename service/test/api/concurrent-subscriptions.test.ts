// Scenario: many organizations subscribe to registries that do not respond.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAddressPolicy } from '../../src/config/outbound.ts';
import { webApp } from '../../src/web-app.ts';
import { type FaultHost, openFaultHost, silent } from '../../../test/support/fault-host.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { putRegistry } from '../../../test/support/live-registry.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';
import { callApi } from './contract.ts';

/** Milliseconds. Longer than the tests, so that no request for a silent registry gives way to another one. */
const TIMEOUT = 90_000;

let web: WebFixture;
let app: ReturnType<typeof webApp>;
let host: FaultHost;
beforeAll(async () => {
  web = await openWebFixture();
  host = await openFaultHost();
  const guard = openAddressPolicy({ allowHosts: ['localhost'], allowHttp: false, ownPorts: () => [] });
  const settings = { ...web.service.settings, ca: certificates().ca };
  const timeouts = { subscribeTimeout: TIMEOUT, headersTimeout: TIMEOUT, idleTimeout: TIMEOUT };
  app = webApp({
    ...web.service,
    settings,
    outbound: { ...web.service.outbound, ...timeouts, guard },
    /** No worker: a usable registry counts as refreshed at once. */
    async requestRefresh(id) {
      await web.db.updateTable('registries').set({ checkedAt: new Date() }).where('id', '=', id).execute();
    },
  });
});
afterAll(async () => {
  await host.close();
  await web.stop();
});

async function subscribe(token: string, url: string): Promise<number> {
  const body = { url, name: 'A registry' };
  return (await callApi(app, 'POST', '/api/registries/subscribe', { token, body })).status;
}

describe('subscribing to registries that do not respond does not block others', () => {
  test.each([
    [3, 2],
    [20, 2],
    [1, 12],
  ])('%d organizations with %d each', { timeout: 60_000 }, async (organizations, registries) => {
    const silentHost = await openFaultHost();
    const hanging: Promise<number>[] = [];
    let ended = 0;
    try {
      for (let i = 0; i < organizations; i += 1) {
        const { token } = await web.join('Slow');
        for (let j = 0; j < registries; j += 1) {
          const sent = subscribe(token, silentHost.on(`/${i}-${j}.json`, silent()));
          hanging.push(sent.finally(() => (ended += 1)));
        }
      }
      await expect.poll(() => silentHost.requests.length).toBeGreaterThan(0);
      const { token } = await web.join('Mine');
      const { url } = putRegistry(host);
      expect(await subscribe(token, `${url}?of=${organizations}`)).toBe(201);
      expect(ended).toBe(0);
    } finally {
      await silentHost.close();
    }
    // A connection that is closed without a response.
    expect(new Set(await Promise.all(hanging))).toEqual(new Set([422]));
  });
});

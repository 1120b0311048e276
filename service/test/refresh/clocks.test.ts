import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { postponeRefresh } from '../../src/db/claims.ts';
import { makeDue } from '../../src/db/registries.ts';
import { type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { putRegistry } from '../../../test/support/live-registry.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** A node whose clock is wrong. The due times of registries are compared with the clock of the database. */

const HOUR = 3_600_000;
const databaseNow = (): number => performance.timeOrigin + performance.now();

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(async () => {
  vi.useRealTimers();
  await host.close();
});

const row = (id: number) =>
  harness.db.selectFrom('registries').where('id', '=', id).selectAll().executeTakeFirstOrThrow();

describe.each([
  ['behind', -3 * HOUR],
  ['ahead', 3 * HOUR],
])('a node whose clock is three hours %s', (_, wrong) => {
  const setClock = (): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrong });

  test('checks a registry once an hour', async () => {
    const id = await harness.add(putRegistry(host).url);
    setClock();
    // The first check fetches, the second one finds everything unchanged.
    for (const name of ['first', 'second']) {
      expect(await harness.refresh(id), name).toBe('good');
      const { checkedAt, nextCheckAt } = await row(id);
      expect(Math.abs(checkedAt!.getTime() - databaseNow()), name).toBeLessThan(60_000);
      expect(nextCheckAt.getTime() - checkedAt!.getTime(), name).toBe(HOUR);
      expect(await harness.refresh(id), name).toBe('not-due');
      await harness.db
        .updateTable('registries')
        .set({ nextCheckAt: new Date(0) })
        .where('id', '=', id)
        .execute();
    }
  });

  test('checks a registry seconds after a request', async () => {
    const id = await harness.add(putRegistry(host).url);
    setClock();
    await harness.refresh(id);
    expect((await makeDue(harness.db, id, 5)).wait).toBeLessThan(6);
  });

  test('postpones a check by the delay', async () => {
    const id = await harness.add(putRegistry(host).url);
    setClock();
    await postponeRefresh(harness.db, id, 900_000);
    expect(Math.abs((await row(id)).nextCheckAt.getTime() - databaseNow() - 900_000)).toBeLessThan(60_000);
  });
});

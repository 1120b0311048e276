// Scenario: several nodes run under load, and are stopped and started.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../../test/support/built.ts';
import { startDatabase } from '../../test/support/database.ts';
import { openLoad } from '../../test/support/service-load.ts';

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
beforeAll(() => buildInto(buildFolder), 60_000);
afterAll(() => rmSync(buildFolder, { recursive: true, force: true }));

test(
  'if one of two nodes is killed, no registry is refreshed twice in an hour, and none is left out',
  { timeout: 180_000 },
  async () => {
    const { url } = await startDatabase();
    const options = { registries: 40, apps: 2, versions: 3, organizations: 60, concurrency: 4 };
    const load = await openLoad(join(buildFolder, 'dist/node/main.cjs'), url, options);
    try {
      const before = await load.sizes();
      const [first, second] = await Promise.all([load.startNode(), load.startNode()]);
      const done = async (): Promise<number> => (await load.progress()).done;
      const clients = load.startRequests([first, second], 2);
      await expect.poll(done, { timeout: 120_000 }).toBeGreaterThanOrEqual(20);
      await second.kill();
      await expect.poll(done, { timeout: 120_000 }).toBe(40);
      await sleep(7_000);
      const answers = await clients.stop();
      const refreshed = load.refreshed();
      expect([...refreshed.values()].filter((count) => count > 1)).toEqual([]);
      // The killed node may have completed some refreshes without logging them.
      expect(refreshed.size).toBeGreaterThan(40 - 2 * options.concurrency);
      expect(await load.progress()).toEqual({ done: 40, never: 0 });
      const after = await load.sizes();
      expect(after).toMatchObject({ subscriptions: before.subscriptions, verified: 40 * 2 * 3 });
      expect(answers.length).toBeGreaterThan(20);
      // Only registries that the killed node was refreshing are requested once more.
      const requestCounts = load.farm.requestTimes.map((moments) => moments.length).toSorted((a, b) => a - b);
      const moreOften = requestCounts.filter((times) => times > requestCounts[20]!);
      expect(moreOften.length).toBeLessThanOrEqual(options.concurrency);
    } finally {
      await load.close();
    }
  },
);

// Scenario: hosts flood a service with hostile artifacts.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../../test/support/built.ts';
import { startDatabase } from '../../test/support/database.ts';
import { HOSTILE_ARCHIVES } from '../../test/support/hostile-content.ts';
import { runHostileLoad } from '../../test/support/hostile-load.ts';

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
beforeAll(() => buildInto(buildFolder), 60_000);
afterAll(() => rmSync(buildFolder, { recursive: true, force: true }));

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Infinity;

test(
  'artifacts that are made to stall a scan delay neither other organizations nor probes',
  { timeout: 300_000 },
  async () => {
    const { url } = await startDatabase();
    const main = join(buildFolder, 'dist/node/main.cjs');
    const run = await runHostileLoad(main, url, { megabytes: 2, registries: 2, timeout: 200_000 });
    expect(Object.keys(run.states)).toHaveLength(HOSTILE_ARCHIVES.length);
    expect(Object.values(run.states)).not.toContain('pending');
    expect(new Set(run.probes)).toEqual(new Set([200]));
    expect(run.logged).not.toContain('database-unavailable');
    for (const times of Object.values(run.responses)) {
      expect(times.length).toBeGreaterThan(10);
      expect(percentile(times, 0.99)).toBeLessThan(3_000);
    }
    expect(run.verifiedAfter).toBeLessThan(120_000);
  },
);

// Scenario: nodes are killed while they write, again and again.
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../../test/support/built.ts';
import { openFolder } from '../../test/support/postgres-folder.ts';
import { openServiceStorm } from '../../test/support/service-storm.ts';

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
let folder = '';
beforeAll(async () => {
  await buildInto(buildFolder);
  folder = await openFolder();
}, 60_000);
afterAll(async () => {
  for (const path of [buildFolder, folder]) await rm(path, { recursive: true, force: true });
});

test('a node that is killed while it writes loses nothing that it confirmed', { timeout: 180_000 }, async () => {
  const storm = await openServiceStorm(join(buildFolder, 'dist/node/main.cjs'), folder);
  try {
    for (let round = 0; round < 6; round++) await storm.round();
  } finally {
    await storm.finish();
  }
  expect(storm.counts.kills).toBe(6);
  expect(storm.counts.subscriptions).toBeGreaterThan(6);
});

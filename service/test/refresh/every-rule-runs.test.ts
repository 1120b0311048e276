import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultHost, openFaultHost, tagged } from '../../../test/support/fault-host.ts';
import { metadataOf, serveTrapRegistry } from '../../../test/support/trap-registry.ts';
import { addTraps, LAST_APP, sprung, TRAP_IDS, TRAPS } from '../../../test/support/trap-rules.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** A refresh judges ordinary registries by all rules, an added one included; a check without changes keeps the report. */

let host: FaultHost;
let harness: RefreshHarness;
let removeTraps: () => void;

beforeAll(async () => {
  host = await openFaultHost();
  harness = await openRefreshHarness();
  removeTraps = addTraps();
});
afterAll(async () => {
  removeTraps();
  await harness.stop();
  await host.close();
});

/** Refreshes the registry, and returns what the log says of it. */
async function refreshed(id: number, hours: number): Promise<{ unchanged: boolean; warnings: number }> {
  harness.lines.length = 0;
  expect(await harness.refresh(id, hours)).toBe('good');
  return JSON.parse(harness.lines.find((line) => line.includes('"registry-refreshed"')) ?? '') as never;
}

test('a rule that was added has its finding about the last of four apps, in each report of an unchanged registry', async () => {
  const id = await harness.add(serveTrapRegistry(host));
  const checks = [];
  for (const hours of [0, 1.1, 2.2, 3.3]) {
    checks.push(await refreshed(id, hours));
    const { findings } = await harness.report(id);
    expect(sprung(findings), `after ${hours} hours`).toEqual(TRAP_IDS);
    // Of the value of a document, from the first one on.
    const about = findings.filter(({ rule }) => rule === TRAPS.document.id);
    expect(about.map(({ app, resource }) => [app, resource])).toEqual([
      [null, 'manifest'],
      [LAST_APP, 'metadata'],
    ]);
  }
  expect(checks.map(({ unchanged }) => unchanged)).toEqual([false, false, true, true]);
  expect(new Set(checks.map(({ warnings }) => warnings)).size).toBe(1);
});

test('an app whose facts are remembered is judged by all rules while another one changes', async () => {
  const id = await harness.add(serveTrapRegistry(host));
  for (const hours of [0, 1.1, 2.2]) await refreshed(id, hours);
  host.requests.length = 0;
  host.on('/alpha/versions.json', tagged(JSON.stringify({ ...metadataOf('alpha', host.origin), comment: 'changed' })));
  expect(await refreshed(id, 3.3)).toMatchObject({ unchanged: false });
  expect(host.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('.tar.gz'))).toEqual([]);
  expect(sprung((await harness.report(id)).findings)).toEqual(TRAP_IDS);
});

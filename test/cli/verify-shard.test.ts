import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import { type CommandRun, runsIn, comparableReport } from '../support/cli-runs.ts';
import { answer, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { archive, checksum, gzipped, ORIGIN, putRegistry } from '../support/live-registry.ts';

/** `verify --shard` of a registry with several faults, and `judge` of the facts that the shards saved. */

let host: FaultHost;
let folder: string;
let runs: ReturnType<typeof runsIn>;
let url: string;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
  folder = mkdtempSync(join(tmpdir(), 'appreg-shard-'));
  writeFileSync(join(folder, 'ca.pem'), certificates().ca);
  runs = runsIn(folder, 'ca.pem');
  url = putRegistry(host).url;
  const apps: Record<string, object> = {};
  for (let i = 0; i < 9; i++) {
    const bytes = archive(`export const app = ${i};`);
    host.on(`/${i}.tar.gz`, gzipped(bytes));
    const listed = { artifactUrl: `${host.origin}/${i}.tar.gz`, artifactChecksum: checksum(bytes) };
    host.on(`/${i}.json`, json({ versions: [{ version: '1.0.0', ...listed }] }));
    apps[`app-${i}`] = {
      name: `App ${i}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/a.svg`, color: i === 4 ? 'blue' : '#336699' },
      appMetadataUrl: `${host.origin}/${i}.json`,
    };
  }
  // Not 404: how often that is requested again depends on the speed of the machine.
  host.on('/2.json', answer({ status: 400 }));
  host.on('/6.tar.gz', gzipped(archive('other')));
  host.on('/registry.json', json({ apps }, { 'Cache-Control': 'max-age=864000' }));
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function errors({ report }: CommandRun): string[] {
  return report.findings.filter((f) => f.severity === 'error').map((f) => `${f.rule} ${f.app}`);
}

test('the saved facts of all shards give the report of a single run', async () => {
  const whole = await runs.verify(url, { save: 'whole.json', origin: [ORIGIN] });
  const shards: CommandRun[] = [];
  for (const i of [1, 2, 3])
    shards.push(await runs.verify(url, { save: `facts-${i}.json`, shard: `${i}/3`, origin: [ORIGIN] }));
  const merged = await runs.judge('facts-3.json', 'facts-1.json', 'facts-2.json');
  expect(merged.code).toBe(1);
  expect(comparableReport(merged.report)).toEqual(comparableReport(whole.report));

  expect(shards.flatMap((run) => run.report.apps.map((app) => app.key)).toSorted()).toEqual(
    whole.report.apps.map((app) => app.key),
  );
  expect(shards.flatMap(errors).toSorted()).toEqual(errors(whole).toSorted());
  expect(errors(whole)).toHaveLength(3);
  for (const [i, run] of shards.entries())
    expect(comparableReport((await runs.judge(`facts-${i + 1}.json`)).report)).toEqual(comparableReport(run.report));
});

test('a shard requests only its own apps', async () => {
  host.requests.length = 0;
  const { report } = await runs.verify(url, { shard: '2/3' });
  const requested = new Set(
    host.requests.map((r) => /^\/(\d)\.json$/.exec(r.path)?.[1]).filter((n) => n !== undefined),
  );
  expect([...requested].map((n) => `app-${n}`).toSorted()).toEqual(report.apps.map((app) => app.key));
});

test('a missing shard makes the report incomplete, with exit code 2', async () => {
  const { code, report } = await runs.judge('facts-1.json', 'facts-3.json');
  expect(code).toBe(2);
  expect(report.notJudged).toContainEqual(expect.objectContaining({ reason: 'shard 2 of 3 is missing' }));
});

test.each(['0/3', '4/3', '1', '1/0', 'a/b', '1/3/5', '-1/3', ''])('--shard %j is an invalid shard', async (shard) => {
  await expect(runs.verify(url, { shard }, {})).rejects.toMatchObject({ code: 'option-invalid', exit: 2 });
});

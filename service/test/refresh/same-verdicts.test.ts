// Scenario: every command and the service judge a registry of all faults, with all their waits.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDiagnose } from '../../../src/cli/commands/diagnose.ts';
import type { AppVerdict, Report } from '../../../src/core/findings/report.ts';
import { ruleById } from '../../../src/core/rules/lookup.ts';
import { latestOf } from '../../../src/core/registry/precedence.ts';
import { mirror } from '../../../src/mirror/mirror.ts';
import { pathsOf } from '../../../src/mirror/rewrite.ts';
import type { Mirrored } from '../../../src/mirror/run.ts';
import { listApps } from '../../src/db/apps.ts';
import { type AppView } from '../../src/domain/apps.ts';
import { cliContext } from '../../../test/support/cli-context.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { runsIn } from '../../../test/support/cli-runs.ts';
import { FAULTY_APPS, serveFaultyApps } from './faulty-apps.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/**
 * `verify`, `diagnose`, `judge`, the service and its report say the same about every faulty app of a registry, and
 * `mirror` copies what the service offers.
 */

/** The service does not request private addresses; a command line does, and waits for them. */
const ONLY_SERVICE = new Set(['meta-private']);

let host: FaultHost;
let harness: RefreshHarness;
let folder: string;
const views = new Map<string, AppView>();
const reports = new Map<string, ReadonlyMap<string, AppVerdict>>();
let mirrored: Mirrored;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'appreg-verdicts-'));
  writeFileSync(join(folder, 'ca.pem'), certificates().ca);
  harness = await openRefreshHarness({}, { refresh: 240_000 });
  host = await openFaultHost();
  const url = serveFaultyApps(host, true);
  const id = await harness.add(url);
  await harness.refresh(id);
  const { db } = harness;
  const subscription = await db
    .selectFrom('subscriptions')
    .where('registryId', '=', id)
    .select(['id', 'organizationId'])
    .executeTakeFirstOrThrow();
  const all = { search: null, visible: null, limit: 500, after: null };
  for (const app of (await listApps(db, subscription.organizationId, subscription.id, all))?.apps ?? [])
    views.set(app.key, app);

  const runs = runsIn(folder, 'ca.pem');
  const app = [...views.keys()].filter((key) => !ONLY_SERVICE.has(key));
  const verify = await runs.verify(url, { app, save: 'facts.json' });
  const lowered = { format: 'json', rule: settingsOf('note') };
  const off = { format: 'json', rule: settingsOf('off') };
  const saved: Record<string, Report> = {
    verify: verify.report,
    judge: (await runs.judge('facts.json')).report,
    'verify with all errors as notes': (await runs.verify(url, { app }, lowered)).report,
    'verify with all errors turned off': (await runs.verify(url, { app }, off)).report,
    diagnose: await diagnosed(url, app),
    'the report of the service': await harness.report(id),
  };
  mirrored = await mirror(url, join(folder, 'copy'), {
    ca: certificates().ca,
    base: 'https://mirror.example.com/',
    manifest: 'registry.json',
    apps: app,
    versions: 'all',
    prune: false,
  });
  for (const [name, { apps }] of Object.entries(saved)) reports.set(name, new Map(apps.map((one) => [one.key, one])));
}, 600_000);
afterAll(async () => {
  await host.close();
  await harness.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A setting for each rule that refuses a version, or hides an app. */
function settingsOf(severity: string): string[] {
  const reasons = FAULTY_APPS.flatMap(([reason]) => /^([a-z-]+): /.exec(reason)?.[1] ?? []);
  return [...new Set(reasons)].filter((id) => ruleById(id) !== undefined).map((id) => `${id}=${severity}`);
}

async function diagnosed(url: string, app: string[]): Promise<Report> {
  const context = cliContext({ cwd: folder, options: { format: 'json' } });
  await runDiagnose(context, url, { app, ca: 'ca.pem' });
  return JSON.parse(context.printed.out.join('\n')) as Report;
}

const NAMES = [
  'verify',
  'judge',
  'verify with all errors as notes',
  'verify with all errors turned off',
  'diagnose',
  'the report of the service',
];

describe.each(NAMES)('%s', (name) => {
  test('says the same as the service about every app', () => {
    const own = reports.get(name)!;
    expect(own.size).toBeGreaterThan(FAULTY_APPS.length);
    for (const [key, { visible, latest, reasons }] of views) {
      if (ONLY_SERVICE.has(key)) continue;
      const verdict = own.get(key);
      expect([verdict?.visible, verdict?.latest], `${key} ${verdict?.because.join()}`).toEqual([visible, latest]);
      // The service names one of the rules after "artifact-refused".
      const refusal = reasons[0]?.code === 'artifact-refused' ? reasons[1]?.code : null;
      if (refusal !== null) expect(verdict?.because, key).toContain(refusal);
      expect(verdict?.because.length === 0, key).toBe(reasons.length === 0);
    }
  });
});

test('an app with a sound version is visible, with that version as the latest', () => {
  const second = [...views].filter(([key]) => key.endsWith('-and-older'));
  expect(second.length).toBeGreaterThan(20);
  for (const [key, { visible, latest }] of second) expect([visible, latest], key).toEqual([true, '0.9.0']);
  expect(views.get('sound')).toMatchObject({ visible: true, latest: '1.0.0' });
});

const copied = (path: string): any => JSON.parse(readFileSync(join(folder, 'copy', path), 'utf8'));

describe('mirror', () => {
  test('lists exactly the apps and the latest versions that the service offers', () => {
    const { apps } = copied('registry.json');
    const latest = Object.keys(apps).map((key): [string, string | null] => {
      const { versions } = copied(pathsOf.metadata(key));
      return [key, latestOf(versions.map(({ version }: { version: string }) => version))];
    });
    const offered = [...views].filter(([, { visible }]) => visible).map(([key, view]) => [key, view.latest]);
    expect(latest.toSorted()).toEqual(offered.toSorted());
    expect(latest.length).toBeGreaterThan(20);
  });

  test('names the rule for which it leaves out a version or an app', () => {
    for (const [key, { reasons }] of views) {
      if (ONLY_SERVICE.has(key) || reasons.length === 0 || mirrored.unpublished.includes(key)) continue;
      const codes = mirrored.problems.filter(({ app }) => app === key).map(({ code }) => code);
      const own = reports.get('verify')?.get(key)?.because ?? [];
      const rules = reasons[0]?.code === 'artifact-refused' ? [reasons[1]?.code] : own;
      for (const rule of rules) expect(codes, key).toContain(rule);
    }
    expect(mirrored.unpublished).toEqual(['unpublished']);
  });

  test('has the files of the listed versions, and no others', () => {
    const files = readdirSync(join(folder, 'copy'), { recursive: true, encoding: 'utf8' });
    const listed = Object.keys(copied('registry.json').apps).flatMap((key) =>
      copied(pathsOf.metadata(key)).versions.map(({ version }: { version: string }) => pathsOf.artifact(key, version)),
    );
    expect(files.filter((name) => name.includes('.tar.gz')).toSorted()).toEqual(listed.toSorted());
  });
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectDefaultMetrics } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { registerDatabaseMetrics } from '../service/src/db/metrics.ts';
import { registerStoreMetrics } from '../service/src/artifacts/state.ts';
import { openMetrics } from '../service/src/metrics.ts';
import { openDatabase } from '../service/src/db/database.ts';

/** The files for operators, checked with the programs that read them. */

const deploy = join(dirname(dirname(fileURLToPath(import.meta.url))), 'deploy');
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');

/** The output of a program; null if it is not installed. @throws if it fails */
function outputOf(program: string, ...args: string[]): string | null {
  try {
    return execFileSync(program, args, { cwd: deploy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error });
  }
}

const hasPromtool = outputOf('promtool', '--version') !== null;
const hasSystemd = outputOf('systemd-analyze', '--version') !== null;
if (!hasPromtool) console.warn('promtool is missing (apt-get install prometheus): the alert rules are not tested');
if (!hasSystemd) console.warn('systemd-analyze is missing (apt-get install systemd): the units are not tested');

/** The names of all time series of a node, those of histograms with their endings. */
async function seriesOfNode(): Promise<Set<string>> {
  const { registry } = openMetrics();
  collectDefaultMetrics({ register: registry });
  const { db } = openDatabase('postgres://unused@127.0.0.1:1/none', 1, () => {});
  registerDatabaseMetrics(registry, db, { fault: () => null });
  registerStoreMetrics(registry, null, async () => null);
  const metrics = registry.getMetricsAsArray();
  await db.destroy();
  const series = metrics.flatMap((metric) =>
    'buckets' in metric ? ['_bucket', '_sum', '_count'].map((end) => metric.name + end) : [metric.name],
  );
  return new Set([...series, 'up']);
}

/** The names of metrics in expressions: words before labels or a range. */
function metricsIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\b([a-z][a-z0-9_]+)(?=\{)/g)].map(([, name]) => name!))];
}

describe('the alert rules', () => {
  test.skipIf(!hasPromtool)('are valid, and fire as their tests say', () => {
    expect(outputOf('promtool', 'check', 'rules', 'prometheus/appreg.rules.yml')).toContain('SUCCESS');
    expect(outputOf('promtool', 'test', 'rules', 'prometheus/appreg.rules.test.yml')).toContain('SUCCESS');
  });

  const alerts = [...read('prometheus/appreg.rules.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);

  test('use only metrics that a node has', async () => {
    const known = await seriesOfNode();
    const used = metricsIn(read('prometheus/appreg.rules.yml'));
    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(alerts)('%s fires and stays silent in a test, and has a section in the guide', (alert) => {
    const tests = read('prometheus/appreg.rules.test.yml');
    expect(tests).toMatch(new RegExp(`alertname: ${alert}\\n\\s+exp_alerts`));
    expect(tests).toMatch(new RegExp(`alertname: ${alert} }`));
    const guide = readFileSync(join(deploy, '../docs/operators/running-the-service.md'), 'utf8');
    expect(guide).toContain(`\n#### ${alert}\n`);
    expect(read('prometheus/appreg.rules.yml')).toContain(`running-the-service.md#${alert.toLowerCase()}\n`);
  });
});

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('grafana/appreg.json')) as {
    panels: { id: number; title: string; type: string; targets?: { expr: string }[] }[];
  };

  test('shows only metrics that a node has, and all of the service', async () => {
    const known = await seriesOfNode();
    const used = metricsIn(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n'));
    expect(used.filter((name) => !known.has(name))).toEqual([]);
    const own = [...known].filter((name) => name.startsWith('appreg_') && !/_(sum|count)$/.test(name));
    const shown = new Set([...used, 'appreg_build_info', 'appreg_webhook_deliveries_due_seconds']);
    expect(own.filter((name) => !shown.has(name))).toEqual([]);
  });

  test('has a query in each panel, and an identifier of its own', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { title, type, targets = [] } of panels) if (type !== 'row') expect(targets, title).not.toEqual([]);
  });
});

describe('the units of systemd', () => {
  const units = readdirSync(join(deploy, 'systemd')).map((name) => `systemd/${name}`);

  test.skipIf(!hasSystemd)('are valid', () => {
    expect(units).toHaveLength(3);
    expect(outputOf('systemd-analyze', 'verify', ...units)).toBe('');
  });

  test.skipIf(!hasSystemd)('restrict the service', () => {
    const analysis = outputOf(
      'systemd-analyze',
      'security',
      '--offline=true',
      '--threshold=20',
      '--no-pager',
      units[2]!,
    );
    expect(analysis).toMatch(/exposure level for appreg\.service: [01]\.\d OK/);
  });
});

import { type Service } from '../../src/context.ts';
import { DatabaseMonitor } from '../../src/db/monitor.ts';
import { openLog } from '../../src/log.ts';
import { secretsKeyIn } from '../../src/config/secrets-keys.ts';
import { openMetrics } from '../../src/metrics.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import { openAddressPolicy } from '../../src/config/outbound.ts';
import { type RefreshOutcome, refreshRegistry } from '../../src/refresh/refresh.ts';
import { type RefreshContext } from '../../src/refresh/plan.ts';
import { DEFAULT_LIMITS, type Limits, type Settings } from '../../src/config/settings.ts';
import { type Db, probeWrite } from '../../src/db/database.ts';
import { unpack } from '../../src/db/packed.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import {
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

/** A service without its web server and queue: tests refresh registries, at a time of their choice. */

const HOUR = 3_600_000;
const TEST_KEY = secretsKeyIn(Buffer.alloc(32, 7).toString('base64'))!;

export interface RefreshHarness {
  db: Db;
  database: TestDatabase;
  context: RefreshContext & Pick<Service, 'database'>;
  /** Lines of the log. */
  lines: string[];
  /** Adds a registry with a subscription, due at once. */
  add(url: string): Promise<number>;
  /** Refreshes it, so many hours after the start. */
  refresh(id: number, hours?: number, stopping?: AbortSignal): Promise<RefreshOutcome>;
  report(id: number): Promise<Report>;
  stop(): Promise<void>;
}

export function settingsFor(url: string, more: Partial<Settings> = {}): Settings {
  return {
    databaseUrl: url,
    dataFolder: '',
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    trustProxy: [],
    roles: ['web', 'worker'],
    coreRegistryUrl: null,
    communityRegistryUrl: null,
    allowHosts: ['localhost'],
    allowHttp: false,
    ca: certificates().ca,
    machineCa: null,
    trustedRoot: null,
    operatorToken: null,
    secretsKeys: [TEST_KEY],
    openSignUp: true,
    interval: HOUR,
    concurrency: 8,
    artifacts: null,
    limits: DEFAULT_LIMITS,
    ...more,
  };
}

export async function openRefreshHarness(
  more: Partial<Settings> = {},
  limits: Partial<Limits> = {},
): Promise<RefreshHarness> {
  const database = await openTestDatabase();
  const { db } = database;
  const settings = settingsFor(database.url, { limits: { ...DEFAULT_LIMITS, ...limits }, ...more });
  const lines: string[] = [];
  const start = Date.now();
  let hours = 0;
  const log = openLog((line) => void lines.push(line));
  const context = {
    settings,
    artifacts: null,
    db,
    database: new DatabaseMonitor(() => probeWrite(db, false), log),
    log,
    metrics: openMetrics(),
    outbound: {
      subscribeTimeout: 0,
      guard: openAddressPolicy({ ...settings, ownPorts: () => [] }),
      headersTimeout: 1500,
      idleTimeout: 1500,
      connectTimeout: 3000,
      backoff: () => 1,
    },
    now: () => new Date(start + hours * HOUR + (Date.now() - start)),
    random: () => 0,
  };
  const organization = await addOrganization(db);
  return {
    db,
    database,
    context,
    lines,
    async add(url) {
      // A test before this one may have had the same port.
      const same = db.selectFrom('registries').where('url', '=', url).select('id');
      await db.deleteFrom('subscriptions').where('registryId', 'in', same).execute();
      await db.deleteFrom('registries').where('url', '=', url).execute();
      const id = await addRegistry(db, url, { checkedAt: null, goodAt: null, nextCheckAt: new Date(start) });
      await addSubscription(db, organization, id);
      return id;
    },
    async refresh(id, at = 0, stopping = new AbortController().signal) {
      hours = at;
      return refreshRegistry(context, id, stopping);
    },
    async report(id) {
      const { report } = await db
        .selectFrom('registries')
        .where('id', '=', id)
        .select('report')
        .executeTakeFirstOrThrow();
      return unpack<Report>(report!);
    },
    async stop() {
      context.database.stop();
      await database.stop();
    },
  };
}

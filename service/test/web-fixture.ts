import { startJudging } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { SERVICE_ACTOR } from '../src/domain/audit.ts';
import { type Service } from '../src/context.ts';
import { DatabaseMonitor } from '../src/db/monitor.ts';
import { openLog } from '../src/log.ts';
import { secretsKeyIn } from '../src/config/secrets-keys.ts';
import { openMetrics } from '../src/metrics.ts';
import { createOrganization } from '../src/db/organizations.ts';
import { DEFAULT_LIMITS, type Settings } from '../src/config/settings.ts';
import { webApp } from '../src/web-app.ts';
import { type RateLimits } from '../src/http/rate-limits.ts';
import { probeWrite } from '../src/db/database.ts';
import { openTestDatabase, type TestDatabase } from './database-fixture.ts';

/** The web side of the service with its own database, without a network and a worker. */

export const OPERATOR = 'operator-token-of-the-tests';

const SETTINGS: Settings = {
  databaseUrl: null,
  dataFolder: 'unused',
  host: '127.0.0.1',
  port: 0,
  publicUrl: null,
  trustProxy: [],
  roles: ['web'],
  coreRegistryUrl: null,
  communityRegistryUrl: null,
  allowHosts: [],
  allowHttp: false,
  ca: null,
  machineCa: null,
  trustedRoot: null,
  operatorToken: OPERATOR,
  secretsKeys: [secretsKeyIn(Buffer.alloc(32, 7).toString('base64'))!],
  openSignUp: false,
  interval: 3_600_000,
  concurrency: 4,
  artifacts: null,
  limits: DEFAULT_LIMITS,
};

export interface WebFixture extends TestDatabase {
  service: Service;
  /** Lines of the log, parsed. */
  logged: Record<string, unknown>[];
  /** Ids of registries for which a refresh was requested. */
  refreshes: number[];
  app(settings?: Partial<Settings>, limits?: RateLimits): ReturnType<typeof webApp>;
  /** A new organization, and its token. */
  join(name?: string): Promise<{ id: string; token: string }>;
}

export async function openWebFixture(): Promise<WebFixture> {
  const database = await openTestDatabase();
  const logged: Record<string, unknown>[] = [];
  const refreshes: number[] = [];
  const log = openLog((line) => logged.push(JSON.parse(line) as Record<string, unknown>));
  const service: Service = {
    settings: SETTINGS,
    artifacts: null,
    db: database.db,
    database: new DatabaseMonitor(() => probeWrite(database.db, false), log),
    log,
    metrics: openMetrics(),
    outbound: { guard: null, lookup: null, subscribeTimeout: 1800 },
    stopping: new AbortController().signal,
    async requestRefresh(id) {
      refreshes.push(id);
    },
  };
  return {
    ...database,
    async stop() {
      service.database.stop();
      await database.stop();
    },
    service,
    logged,
    refreshes,
    app: (settings = {}, limits) =>
      webApp({ ...service, settings: { ...SETTINGS, ...settings }, metrics: openMetrics() }, limits),
    async join(name = 'Acme') {
      const { organization, token } = await createOrganization(database.db, name, null, SERVICE_ACTOR);
      return { id: organization.id, token: token!.secret };
    },
  };
}

/** An allowance that a test can use up. */
export function allowing(requests: number): RateLimits {
  const allowance = { requests, seconds: 60 };
  return { reads: allowance, changes: allowance, failures: allowance, signUps: allowance };
}

/** The report on a manifest with an unusable app. */
export function reportOn(url: string): Report {
  const judging = startJudging({ command: 'verify', target: url, now: new Date().toISOString() });
  const content = { text: '{"apps":{"a b":{}}}', base64: null, bytes: 19, cut: false };
  judging.manifest({ url, file: null, web: { missing: { code: 'not-requested', flag: null } }, content });
  return judging.finish(0.1);
}

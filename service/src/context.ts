import { type Settings } from './config/settings.ts';
import { type Db } from './db/database.ts';
import { type DatabaseMonitor } from './db/monitor.ts';
import { type ArtifactKeeper } from './artifacts/keeper.ts';
import { type Log } from './log.ts';
import { type Metrics } from './metrics.ts';
import { type OutboundOptions } from './config/outbound.ts';

/** The shared context of a running service. */
export interface Service {
  settings: Settings;
  db: Db;
  /** True if the database can be used. */
  database: DatabaseMonitor;
  /** The verified bytes that are kept; null if none are. */
  artifacts: ArtifactKeeper | null;
  log: Log;
  metrics: Metrics;
  outbound: OutboundOptions;
  /** Aborted once the node is stopping: it is no longer ready, and starts no refresh. */
  stopping: AbortSignal;
  /**
   * Requests a refresh of a registry soon; a queued or running refresh is sufficient.
   * @param options.priority among the waiting ones, 1 by default; the hourly ones have 0
   */
  requestRefresh(registryId: number, options?: { priority: number }): Promise<void>;
}

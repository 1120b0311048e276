import type { DatabaseMonitor } from './database/monitor.ts';
import type { ArtifactKeeper } from './artifacts/keeper.ts';
import type { Db } from './database/database.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { WebOptions } from '../observe/registry/options.ts';
import type { Settings } from './config/settings.ts';

/** How registry hosts are requested, and where artifacts are read. */
export interface OutboundOptions extends Pick<
  WebOptions,
  'digestWorkers' | 'guard' | 'lookup' | 'headersTimeout' | 'connectTimeout' | 'idleTimeout' | 'backoff'
> {
  /** Milliseconds after which a subscription request is answered, whatever is known about the registry. */
  subscribeTimeout: number;
}

/** The shared context of a running service. */
export interface Service {
  settings: Settings;
  db: Db;
  /** Whether the database can be used. */
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

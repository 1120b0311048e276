import type { Db } from './storage/database.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { WebOptions } from '../observe/registry/options.ts';
import type { Settings } from './config/settings.ts';

export interface Asking extends Pick<
  WebOptions,
  'guard' | 'lookup' | 'headersTimeout' | 'connectTimeout' | 'idleTimeout' | 'backoff'
> {
  /** Milliseconds that a subscription waits for the first refresh. */
  patience: number;
}

/** The shared context of a running service. */
export interface Service {
  settings: Settings;
  db: Db;
  log: Log;
  metrics: Metrics;
  /** How registry hosts are requested. */
  asking: Asking;
  /** Aborted once the node is stopping: it is not ready any more, and starts no refresh. */
  stopping: AbortSignal;
  /** Requests a refresh of a registry soon; a queued or running refresh is sufficient. */
  requestRefresh(registryId: number): Promise<void>;
}

import type { Db } from './database/open.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Settings } from './settings.ts';

/** What every part of a running service is given. */
export interface Service {
  settings: Settings;
  db: Db;
  log: Log;
  metrics: Metrics;
  /** Aborted once the node is told to stop: it is not ready any more, and starts no refresh. */
  stopping: AbortSignal;
  /** Asks for a registry to be refreshed soon; a refresh that waits or runs already serves as well. */
  requestRefresh(registryId: number): Promise<void>;
}

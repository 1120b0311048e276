import type { Db } from './storage/open.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { WebOptions } from '../observe/registry/observe.ts';
import type { Settings } from './settings.ts';

export interface Asking extends Pick<
  WebOptions,
  'guard' | 'lookup' | 'headersTimeout' | 'connectTimeout' | 'idleTimeout' | 'backoff'
> {
  /** Milliseconds that subscribing waits for the first refresh. */
  patience: number;
}

/** What every part of a running service is given. */
export interface Service {
  settings: Settings;
  db: Db;
  log: Log;
  metrics: Metrics;
  /** How the hosts of registries are asked. */
  asking: Asking;
  /** Aborted once the node is told to stop: it is not ready any more, and starts no refresh. */
  stopping: AbortSignal;
  /** Asks for a registry to be refreshed soon; a refresh that waits or runs already serves as well. */
  requestRefresh(registryId: number): Promise<void>;
}

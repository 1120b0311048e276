import type { Invocation } from '../io/invocation.ts';
import type { LoadedConfig } from './config.ts';
import type { Journal } from '../../store/journal.ts';

/** Environment of a command, in addition to its own arguments. */
export interface Context extends Invocation {
  env: NodeJS.ProcessEnv;
  /** Records writes to a registry; absent if unused. */
  journal?: Journal;
  /** Searches for the configuration from `from` (default: cwd) upwards, once; see config.ts. */
  config(from?: string): Promise<LoadedConfig>;
}

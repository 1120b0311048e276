import type { ObserveContext } from './context.ts';
import type { ObserveProgress, WebOptions } from './options.ts';
import type { SharedResources } from './shared-resources.ts';

/** What all apps of a run share. */
export interface RegistryRun {
  readonly context: ObserveContext;
  readonly options: WebOptions;
  readonly shared: SharedResources;
  /** Changed while apps are observed. */
  readonly progress: ObserveProgress;
}

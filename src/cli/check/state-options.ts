import type { StateOptions } from '../../workspace/registry-state.ts';
import type { VerifyOptions } from './verify-options.ts';
import { workspaceSettings } from '../config/config.ts';
import { openStore } from '../config/open-store.ts';
import type { Context } from '../config/context.ts';
import { remoteStore } from '../config/stored-state.ts';

/** Options with which a command resolves the name of a state. @param options how it requests a live registry */
export function stateOptions(context: Context, options: VerifyOptions = {}): StateOptions {
  return {
    cwd: context.cwd,
    listener: context.terminal,
    async workspaceAt(folder) {
      const loaded = await context.config(folder);
      const { config, root } = loaded;
      const isRemote = remoteStore(config) !== null;
      return {
        ...workspaceSettings(loaded),
        config: loaded.file,
        async openReader() {
          const { baseConfigReader } = await import('../config/base-config.ts');
          return baseConfigReader(context.env);
        },
        openStore: isRemote ? () => openStore(context, config.store, root) : null,
      };
    },
    async webOptions(registry) {
      const { webOptionsOf } = await import('./verify-options.ts');
      const { config } = await context.config();
      return webOptionsOf(context, config, registry, options);
    },
  };
}

import { type LoadedConfig, loadConfig } from '../../src/cli/config/config.ts';

/** The configuration that a command run in `from` has. */
export function configAt(from: string, file: string | null = null, env: NodeJS.ProcessEnv = {}): Promise<LoadedConfig> {
  return loadConfig({ from, file, env });
}

import { type LoadedConfig, loadConfig } from '../../src/cli/config/config.ts';

/** The configuration that a command run in `from` has; code may be executed. */
export function configAt(from: string, file: string | null = null, env: NodeJS.ProcessEnv = {}): Promise<LoadedConfig> {
  return loadConfig({ from, file, env, code: 'own', cwd: from });
}

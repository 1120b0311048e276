import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { CONFIG_FORMATS, isOneOf } from '../define/choices.ts';

/** Whether configurations in JavaScript may be executed. */
export type CodePolicy =
  /** If the current user owns it. */
  | 'own'
  /** If it is the configuration of the current folder or of its repository, and the current user owns it. */
  | 'workspace'
  /** If --config names it. */
  | 'named'
  | 'never';

/** What to load. */
export interface ConfigRequest {
  /** The folder where the search starts, absolute. */
  from: string;
  /** The file of --config, absolute; null to search for one. */
  file: string | null;
  env: NodeJS.ProcessEnv;
  code: CodePolicy;
  /** The current folder, absolute. */
  cwd: string;
}

/** The environment variable in place of --config-format. */
const VARIABLE = 'APPREG_CONFIG_FORMAT';

/**
 * Whether a configuration in JavaScript may be executed.
 * @param option the value of --config-format, which takes precedence over the environment
 * @param executesConfig whether the command works on the current workspace
 * @throws AppregError for an unknown format
 */
export function codePolicy(option: string | undefined, env: NodeJS.ProcessEnv, executesConfig: boolean): CodePolicy {
  // A variable of a pipeline that is not set is often empty.
  const format = option ?? (env[VARIABLE] || undefined);
  if (format === undefined) return executesConfig ? 'workspace' : 'named';
  if (isOneOf(CONFIG_FORMATS, format)) return format === 'data' ? 'never' : 'own';
  const source = option === undefined ? VARIABLE : '--config-format';
  throw new AppregError(
    'option-invalid',
    message`${source}: “${format}” is not a format of configurations.${didYouMean(format, CONFIG_FORMATS)}`,
    message`Use one of: ${CONFIG_FORMATS.join(', ')}`,
  );
}

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

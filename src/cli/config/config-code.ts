import { message, type SafeText } from '../../core/text/message.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { counted, printable } from '../../core/text/text.ts';
import { dirname } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { isWithin } from '../../observe/workspace/places.ts';
import type { ConfigRequest } from './config-request.ts';
import { refuseForeignOwner, type ConfigFile, repositoryAround } from './find-config.ts';
import { emptyConfig, unreadableConfig } from './read-data.ts';

/** Configurations in JavaScript. */

/** Next to this file, and next to the built command line. */
const PROGRAM = fileURLToPath(new URL('./evaluate-config.mjs', import.meta.url));

/** Seconds. */
const LIMIT = 30;

/** What the program writes. */
interface Evaluated {
  value?: unknown;
  /** Environment variables that the code set. */
  variables?: Record<string, string>;
  /** What the module does instead of exporting settings. */
  empty?: string;
  failure?: { message: string; place: string | null };
}

/** Executes a configuration if that is allowed. @throws AppregError `config-code` if it is not */
export async function executeConfig(file: ConfigFile, text: string, request: ConfigRequest): Promise<unknown> {
  const { path, named } = file;
  refuseCode(file, request);
  if (!named) refuseForeignOwner(path, { root: false });
  return evaluateConfig(path, text, { env: request.env });
}

function refuseCode({ path, named }: ConfigFile, { code, cwd }: ConfigRequest): void {
  if (code === 'never')
    throw refused(
      path,
      'only configurations without code are allowed (--config-format data, or APPREG_CONFIG_FORMAT=data)',
      message`Write the configuration as JSON or YAML, or, if you trust the code of this folder: --config-format any`,
    );
  if (named || code === 'own') return;
  if (code === 'named')
    throw refused(
      path,
      'this command does not need a workspace, so it executes only code that you name',
      message`If you trust it: --config ${path}. Or write the configuration as JSON or YAML.`,
    );
  if (!isOfWorkspace(dirname(path), cwd))
    throw refused(
      path,
      'it is outside of the current folder and its repository',
      message`If you trust it: --config ${path}. Or write the configuration as JSON or YAML.`,
    );
}

function refused(path: string, why: string, hint: SafeText): AppregError {
  return new AppregError('config-code-refused', message`${path} is code, which was not executed: ${why}.`, hint);
}

/** True for the current folder, the folders above it, and those of the same repository. */
function isOfWorkspace(folder: string, cwd: string): boolean {
  if (isWithin(folder, cwd)) return true;
  const repository = repositoryAround(cwd);
  return repository !== null && repository === repositoryAround(folder);
}

/**
 * Executes a configuration and returns what it exports. What the code prints goes to stderr.
 * @param path absolute
 * @param text of the file
 * @param env receives the variables that the code sets
 * @throws AppregError for code that fails, never ends, or exports no settings
 */
export async function evaluateConfig(
  path: string,
  text: string,
  { env, limit = LIMIT }: { env: NodeJS.ProcessEnv; limit?: number },
): Promise<unknown> {
  const { value, variables, empty, failure } = await run(path, limit);
  if (empty !== undefined) throw emptyConfig(path, empty);
  if (failure !== undefined) {
    const place = failure.place ?? path;
    throw unreadableConfig(`${printable(place)}: ${printable(failure.message.replace(/\s*\n\s*/g, ' '))}`);
  }
  // A CommonJS module without exports is an empty object.
  if (isEmptyObject(value) && !/\bexports?\b/.test(text)) throw emptyConfig(path, 'exports nothing');
  Object.assign(env, variables);
  return value;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

async function run(path: string, limit: number): Promise<Evaluated> {
  const child = spawn(process.execPath, [PROGRAM, pathToFileURL(path).href], {
    stdio: ['ignore', 2, 2, 'pipe'],
    windowsHide: true,
  });
  const kill = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(kill, limit * 1000);
  // The code would outlive a process that ends at a signal.
  process.once('exit', kill);
  try {
    const result = await resultOf(child);
    return result ?? { failure: { message: `it did not end within ${counted(limit, 'second')}`, place: null } };
  } finally {
    clearTimeout(timer);
    process.off('exit', kill);
    kill();
  }
}

/** Null if the process ended without a result. */
async function resultOf(child: ChildProcess): Promise<Evaluated | null> {
  const started = new Promise<never>((_, reject) => child.once('error', reject));
  const stream = child.stdio[3] as Readable;
  const read = (async () => {
    let text = '';
    stream.setEncoding('utf8');
    for await (const part of stream) text += String(part);
    return text;
  })();
  const text = await Promise.race([read, started]);
  if (text === '') return null;
  const result: Evaluated = JSON.parse(text);
  return result;
}

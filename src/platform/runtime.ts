import { AppregError } from '../core/errors/error.ts';
import { message, safe, type SafeText } from '../core/text/message.ts';

/** The oldest supported version of Node.js. */
const OLDEST_NODE = '20.19';

/**
 * The name and version of the runtime, if that is not Node.js: Bun and Deno implement the modules of Node.js, but not
 * all that the network code relies on (raw headers, handles of connections, details of TLS), so that a healthy host
 * would appear to be broken.
 */
export function otherRuntime(): string | null {
  const { bun, deno } = process.versions;
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? null : `Deno ${deno}`;
}

/**
 * Refuses what only works with Node.js, before anything is requested or written.
 * @param task that is not supported, as the subject of a sentence
 * @param instead what else to do, after "or"
 * @throws AppregError `runtime-unsupported` (exit 2) on another runtime
 */
export function requireNode(task: SafeText, instead: SafeText | '' = ''): void {
  const runtime = otherRuntime();
  if (runtime === null) return;
  const alternative = instead === '' ? instead : message`, or ${safe(instead)}`;
  throw new AppregError(
    'runtime-unsupported',
    message`${safe(task)} is not supported on ${runtime}, where appreg works with local files only.`,
    message`Run the command with Node.js ${OLDEST_NODE} or later${safe(alternative)}.`,
  );
}

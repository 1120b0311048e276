import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import type { Content } from '../../core/facts/facts.ts';
import type { HashedFile } from '../../report/results.ts';
import { isHttpUrl } from '../../core/url/url.ts';
import { unlikeArtifact } from '../../core/text/file-type.ts';
import { AppregError, isAppregError } from '../../core/errors/error.ts';
import { counted, printable, redact, shorten } from '../../core/text/text.ts';
import { createDigester } from '../../observe/digest/digest.ts';
import type { Context } from '../config/context.ts';
import { checkUrl, INSTEAD_OF_FOLDER, refuseUnreadableInput, unreadableFile } from '../io/input-file.ts';
import { printResult } from '../io/results.ts';
import { failureOf } from '../io/failed-run.ts';
import { readChunks } from '../../platform/read-chunks.ts';

/**
 * `appreg checksum <file|url>...`: prints `sha256:HEX`, as required by the metadata (spec 2.2); for several targets,
 * each followed by its name. Files of any size; for a URL, the bytes as transferred. A target that cannot be read does
 * not stop the others; the exit code is 2 then.
 */
export async function runChecksum(context: Context, targets: readonly string[]): Promise<number> {
  const { terminal } = context;
  const files: HashedFile[] = [];
  for (const target of targets) {
    try {
      files.push(await hashed(context, target));
    } catch (error) {
      // A single target, and what ends the run, such as a signal: the error is that of the run.
      if (targets.length === 1 || !isAppregError(error) || error.exit > 128) throw error;
      terminal.error(error.message, error.hint);
      files.push({ target, checksum: null, bytes: null, error: failureOf(error).error });
    }
  }
  const failed = files.filter((file) => file.error !== null);
  const failure = failed.length === 0 ? null : incomplete(failed, files.length);
  const done = files.filter(({ checksum }) => checksum !== null);
  printResult<'checksum'>(context, {
    pretty() {
      if (done.length === 0) return null;
      return targets.length === 1
        ? `${done[0]?.checksum}`
        : done.map(({ target, checksum }) => `${checksum}  ${printable(redact(target))}`).join('\n');
    },
    json: () => ({ ...(failure && failureOf(failure)), files }),
    summary: () => message`${counted(done.length, 'checksum')}`,
  });
  if (failure !== null) terminal.error(failure.message, failure.hint);
  return failure?.exit ?? 0;
}

async function hashed(context: Context, target: string): Promise<HashedFile> {
  const { terminal } = context;
  if (isHttpUrl(target)) checkUrl(target, 'checksum');
  const progress = terminal.progress(message`Hashing ${target}`);
  const { content, remark } = await contentOf(context, target, (read) =>
    progress.update(() => message`Hashing ${target}: ${megabytes(read)}`),
  ).finally(() => progress.stop());
  if (remark !== null) terminal.log(message`warning: ${target}${remark}`);
  return { target, checksum: `sha256:${content.sha256}`, bytes: content.bytes, error: null };
}

/** The error of a run in which some targets have no checksum. */
function incomplete(failed: readonly HashedFile[], all: number): AppregError {
  const names = failed.map(({ target }) => `“${printable(redact(shorten(target, 80)))}”`).join(', ');
  return new AppregError(
    'checksum-incomplete',
    message`${failed.length} of ${counted(all, 'target')} could not be read: ${names}.`,
    message`Correct these, and run the command again for them.`,
  );
}

/** Content of a target, and the reason to suspect it, worded to follow the target. */
interface ReadTarget {
  content: Content;
  remark: string | null;
}

async function contentOf(context: Context, target: string, onBytes: (bytes: number) => void): Promise<ReadTarget> {
  if (isHttpUrl(target)) {
    const { fetchWhole } = await import('../check/download.ts');
    const { content, fault } = await fetchWhole(target, context.env, onBytes);
    return { content, remark: fault && `: ${fault.message} ${fault.advice}` };
  }
  const digester = createDigester(Infinity);
  let bytes = 0;
  refuseUnreadableInput(resolve(context.cwd, target), target, INSTEAD_OF_FOLDER);
  try {
    for await (const chunk of readChunks(resolve(context.cwd, target))) {
      digester.write(chunk);
      onBytes((bytes += chunk.length));
    }
  } catch (error) {
    throw unreadableFile(target, error, INSTEAD_OF_FOLDER);
  }
  const content = digester.end();
  const fault = unlikeArtifact(content.head);
  return { content, remark: fault && ` ${fault}` };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

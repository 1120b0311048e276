import { resolve } from 'node:path';
import type { Content } from '../../../core/facts/facts.ts';
import { printable, redact, safeJson } from '../../../core/text/text.ts';
import { createDigester } from '../../../observe/digest/digest.ts';
import type { Context, GlobalOptions } from '../../context.ts';
import { checkUrl, fetchWhole, INSTEAD_OF_FOLDER, isUrl, unlikeArtifact, unreadableFile } from '../../fetch.ts';
import { wantsJson } from '../../format.ts';
import { readChunks } from '../../../platform/read-chunks.ts';

/**
 * `appreg checksum <file|url>...`: prints `sha256:HEX`, as required by the metadata (spec 2.2); for several targets,
 * each followed by its name. Files of any size; for a URL, the bytes as transferred.
 */
export async function runChecksum(
  context: Context,
  targets: readonly string[],
  options: GlobalOptions,
): Promise<number> {
  const { terminal } = context;
  const json = wantsJson('checksum', options.format);
  for (const target of targets) if (isUrl(target)) checkUrl(target, 'checksum');
  const results: { target: string; checksum: string; bytes: number }[] = [];
  for (const target of targets) {
    const shown = printable(redact(target));
    const progress = terminal.progress(`Hashing ${shown}`);
    const content = await contentOf(context, target, (bytes) =>
      progress.update(`Hashing ${shown}: ${megabytes(bytes)}`),
    ).finally(() => progress.stop());
    const fault = unlikeArtifact(content.head);
    if (fault !== null) terminal.log(`warning: ${shown} ${fault}`);
    const line = `sha256:${content.sha256}`;
    results.push({ target: redact(target), checksum: line, bytes: content.bytes });
    if (!json) terminal.out(targets.length === 1 ? line : `${line}  ${shown}`);
  }
  if (json) terminal.out(safeJson(results));
  return 0;
}

async function contentOf(context: Context, target: string, onBytes: (bytes: number) => void): Promise<Content> {
  if (isUrl(target)) return (await fetchWhole(target, context.env, onBytes)).content;
  const digester = createDigester(Infinity);
  let bytes = 0;
  try {
    for await (const chunk of readChunks(resolve(context.cwd, target))) {
      digester.write(chunk);
      onBytes((bytes += chunk.length));
    }
  } catch (error) {
    throw unreadableFile(target, error, INSTEAD_OF_FOLDER);
  }
  return digester.end();
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

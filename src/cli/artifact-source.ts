import { resolve } from 'node:path';
import type { BundleOptions } from '../bundle/bundle.ts';
import { printable } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { createArchiveReader } from '../observe/archive.ts';
import { createDigester } from '../observe/digest.ts';
import type { Artifact } from '../publish/publish-version.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { checkUrl, fetchWhole, named, readInput, suspicion } from './fetch.ts';

/** Where the bytes of a version come from. */

export interface SourceOptions {
  artifact?: string;
  entry?: string;
  ui?: string;
  artifactUrl?: string;
}

/** Checks that exactly one source is named. Throws Trouble (exit 2) otherwise. */
export function checkSource({ artifact, entry, ui, artifactUrl }: SourceOptions): void {
  const count = [artifact, entry, artifactUrl].filter((one) => one !== undefined).length;
  if (count === 0)
    throw new Trouble(
      'option-missing',
      'What is to be published? None of --artifact, --entry and --artifact-url is given.',
      'Add --entry <file> to build it, or --artifact <file> for a .tar.gz that is built already.',
    );
  if (count > 1)
    throw new Trouble(
      'option-conflict',
      'Only one of --artifact, --entry and --artifact-url can be given.',
      'Leave out the others.',
    );
  if (ui !== undefined && entry === undefined)
    throw new Trouble(
      'option-conflict',
      '--ui belongs to --entry: what is built already has its UI inside.',
      'Leave out --ui.',
    );
  if (artifactUrl !== undefined) checkUrl(artifactUrl, '--artifact-url');
}

/** Reads, builds or fetches the artifact, and looks at it. Throws Trouble where there is none. */
export async function artifactFrom(
  context: Context,
  options: SourceOptions,
  settings: Config['bundle'] = {},
): Promise<Artifact> {
  const { cwd, terminal } = context;
  const { artifact, entry, ui, artifactUrl: url } = options;
  if (url !== undefined) {
    const progress = terminal.progress(`Fetching ${named(url)}`);
    const { content, archive } = await fetchWhole(url, context.env, (bytes) =>
      progress.update(`Fetching ${named(url)}: ${(bytes / 1e6).toFixed(1)} MB`),
    ).finally(() => progress.stop());
    refuseSuspicious(named(url), content.head);
    return { bytes: null, url, content, archive };
  }
  if (artifact !== undefined) return look(readInput(resolve(cwd, artifact), artifact), printable(artifact));
  const request: BundleOptions = {
    entry: resolve(cwd, entry!),
    external: settings.external ?? [],
    include: settings.include ?? [],
    target: settings.target ?? 'node22',
    cwd,
  };
  if (ui !== undefined) request.ui = resolve(cwd, ui);
  const progress = terminal.progress(`Building ${printable(entry!)}`);
  const { bundle } = await import('../bundle/bundle.ts');
  const built = await bundle(request).finally(() => progress.stop());
  for (const warning of built.warnings) terminal.log(`warning: ${warning}`);
  return look(built.archive, printable(entry!));
}

/** Digests and lists bytes that are in memory: what is judged is what is written. */
async function look(bytes: Uint8Array, shown: string): Promise<Artifact> {
  const digester = createDigester(Infinity);
  digester.write(bytes);
  const content = digester.end();
  refuseSuspicious(shown, content.head);
  const archive = createArchiveReader({ packedBytes: bytes.length });
  for (let at = 0; at < bytes.length; at += 2 ** 18) await archive.write(bytes.subarray(at, at + 2 ** 18));
  return { bytes, url: null, content, archive: await archive.end() };
}

function refuseSuspicious(shown: string, head: string): void {
  const odd = suspicion(head);
  if (odd !== null)
    throw new Trouble(
      'artifact-not-tar-gz',
      `${shown} ${odd}. Nothing was changed.`,
      'An artifact is a .tar.gz archive; appreg bundle makes one.',
      { exit: 1 },
    );
}

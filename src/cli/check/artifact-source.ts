import { message, safe } from '../../core/text/message.ts';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BundleOptions } from '../../bundle/bundle.ts';
import type { Loaded } from '../../bundle/load-test/load-test.ts';
import { printable, safeExcerpt } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { Provenance } from '../../core/registry/lock-file.ts';
import { MAX_ARTIFACT_BYTES } from '../../observe/http/limits.ts';
import type { Artifact, ArtifactToStore } from '../../publish/artifact.ts';
import { fileBytes } from '../../store/bytes.ts';
import { type AttestOptions, requestsAttestation } from './attester.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import { isHttpUrl } from '../../core/url/url.ts';
import { checkUrl, INSTEAD_OF_FOLDER, readInputFile, unreadableFile } from '../io/input-file.ts';
import { artifactFromBytes, inspectStream, refuseUnlikeArtifact } from '../../release/inspect-artifact.ts';
import { prompt } from '../io/prompts.ts';
import { existingOrUrl } from '../define/value-checks.ts';
import { wantedBillOf, wantsLoadTest } from '../../release/repository.ts';
import type { buildFlags } from '../define/build-flags.ts';
import type { OptionValues } from '../define/command.ts';
import { givenBuildFlags, optionsForBuild } from './build-flags.ts';
import { buildFolders } from '../../platform/build-folders.ts';
import { readChunks } from '../../platform/read-chunks.ts';

/** The source of a version's bytes. */

export interface SourceOptions extends AttestOptions, OptionValues<typeof buildFlags> {
  artifact?: string;
  entry?: string;
  ui?: string;
  artifactUrl?: string;
  /** False with --no-notices. */
  notices?: boolean;
  sbom?: boolean;
  /** False with --no-load-test. */
  loadTest?: boolean;
  alsoLoadTest?: boolean;
  dryRun?: boolean;
}

/** Bytes per read. */
const READ_BYTES = 2 ** 18;

export function hasSource({ artifact, entry, artifactUrl }: SourceOptions): boolean {
  return artifact !== undefined || entry !== undefined || artifactUrl !== undefined;
}

/** The options with a source, prompted for at a terminal if none is given; null if the user cancelled. */
export async function withSource<Options extends SourceOptions>(
  { cwd, terminal }: Context,
  options: Options,
): Promise<Options | null> {
  if (hasSource(options) || !terminal.interactive) return options;
  const answer = await prompt(terminal, {
    message: 'What is published? (an entry point to build, a .tar.gz, or its URL)',
    validate: (text) => existingOrUrl(text, cwd),
  });
  if (answer === null) return null;
  if (isHttpUrl(answer)) return { ...options, artifactUrl: answer };
  return answer.endsWith('.tar.gz') ? { ...options, artifact: answer } : { ...options, entry: answer };
}

/** Checks that exactly one source is given. Throws AppregError (exit 2) otherwise. */
export function checkSource(options: SourceOptions): void {
  const { artifact, entry, ui, artifactUrl, notices, sbom, loadTest, alsoLoadTest } = options;
  const count = [artifact, entry, artifactUrl].filter((one) => one !== undefined).length;
  if (count === 0)
    throw new AppregError(
      'option-missing',
      message`No artifact given: one of --artifact, --entry and --artifact-url is required.`,
      message`Add --entry <file> to build it, or --artifact <file> for an existing .tar.gz.`,
    );
  if (count > 1)
    throw new AppregError(
      'option-conflict',
      message`Only one of --artifact, --entry and --artifact-url can be given.`,
      message`Omit the others.`,
    );
  if (ui !== undefined && entry === undefined)
    throw new AppregError(
      'option-conflict',
      message`--ui is only valid with --entry: an existing artifact contains its UI already.`,
      message`Omit --ui.`,
    );
  if (notices === false && entry === undefined)
    throw new AppregError(
      'option-conflict',
      message`--no-notices is only valid with --entry: an existing artifact is published as it is.`,
      message`Omit --no-notices.`,
    );
  const [flag] = entry === undefined ? givenBuildFlags(options) : [];
  if (flag !== undefined)
    throw new AppregError(
      'option-conflict',
      message`${flag} is only valid with --entry: an existing artifact is published as it is.`,
      message`Omit ${flag}.`,
    );
  if ((loadTest === false || alsoLoadTest === true) && entry === undefined)
    throw new AppregError(
      'option-conflict',
      message`${loadTest === false ? '--no-load-test' : '--load-test'} is only valid with --entry: an existing artifact is never loaded.`,
      message`Omit it.`,
    );
  if (sbom === true && artifactUrl !== undefined)
    throw new AppregError(
      'option-conflict',
      message`--sbom cannot be combined with --artifact-url: the bill of materials belongs on the host of the artifact.`,
      message`Upload it there, at the URL of the artifact followed by .cdx.json, and omit --sbom.`,
    );
  if (requestsAttestation(options) && artifactUrl !== undefined)
    throw new AppregError(
      'option-conflict',
      message`An attestation cannot be published with --artifact-url: it belongs on the host of the artifact.`,
      message`Sign it with another tool (docs/attestations.md), upload it there, at the URL of the artifact followed by .sigstore.json, and omit the option.`,
    );
  if (artifactUrl !== undefined) checkUrl(artifactUrl, '--artifact-url');
}

/** An artifact, and what it was built from; null if that was not asked for, or if it was not built here. */
export interface SourcedArtifact {
  artifact: Artifact;
  provenance: Provenance | null;
  /** The files that it was built from, absolute; empty if it was not built here. */
  sources: readonly string[];
  /** Null if it was not loaded. */
  loaded: Loaded | null;
}

/**
 * Reads, builds or fetches the artifact, and inspects it. Throws AppregError if it is missing.
 * @param key of the app
 * @param traced determine what it is built from
 */
export async function artifactFrom(
  context: Context,
  options: SourceOptions,
  { key, config, traced }: { key: string; config: Config; traced: boolean },
): Promise<SourcedArtifact> {
  const { cwd, terminal } = context;
  const wantedBill = wantedBillOf(options, config);
  const { artifact, entry, ui, artifactUrl: url } = options;
  if (url !== undefined) {
    const { fetchWhole } = await import('./download.ts');
    const progress = terminal.progress(message`Fetching ${safeExcerpt(url)}`);
    const { content, archive, fault } = await fetchWhole(
      url,
      context.env,
      (bytes) => progress.update(() => message`Fetching ${safeExcerpt(url)}: ${(bytes / 1e6).toFixed(1)} MB`),
      { scan: { folders: buildFolders(cwd) } },
    ).finally(() => progress.stop());
    if (fault !== null)
      throw new AppregError('artifact-invalid', message`${safeExcerpt(url)}: ${safe(fault.message)}`, fault.advice, {
        effect: 'none',
      });
    return { artifact: { bytes: null, url, content, archive }, provenance: null, sources: [], loaded: null };
  }
  if (artifact !== undefined) {
    const path = resolve(cwd, artifact);
    const found = await artifactFromFile(path, artifact, cwd);
    const complete =
      wantedBill === 'none'
        ? found
        : (await import('../../release/bill.ts')).withBillBeside(found, path, artifact, wantedBill);
    return { artifact: complete, provenance: null, sources: [], loaded: null };
  }
  if (entry === undefined) throw new Error('checkSource() requires a source.');
  const request: BundleOptions = {
    entry: resolve(cwd, entry),
    ...(await optionsForBuild(await context.config(), { key }, options)),
    cwd,
    traced: true,
  };
  if (ui !== undefined) request.ui = resolve(cwd, ui);
  const progress = terminal.progress(message`Building ${entry}`);
  const { bundle } = await import('../../bundle/bundle.ts');
  const built = await bundle(request).finally(() => progress.stop());
  for (const warning of built.warnings) terminal.log(message`warning: ${warning}`);
  const made = await artifactFromBytes(built.archive, printable(entry), cwd, built);
  const loaded = wantsLoadTest(config.bundle, options, options.dryRun !== true)
    ? await (await import('./load-test.ts')).tested(context, built, request, config.artifact?.entry)
    : null;
  for (const warning of loaded?.warnings ?? []) terminal.log(message`warning: ${safe(warning)}`);
  return {
    artifact:
      wantedBill === 'none' ? made : (await import('../../release/bill.ts')).withBill(made, built, key, wantedBill),
    provenance: traced ? (built.provenance?.() ?? null) : null,
    sources: built.sources,
    loaded,
  };
}

/**
 * Digests and lists a local file. The file is streamed, and read again when it is written, so its size does not matter.
 */
async function artifactFromFile(path: string, shownAs: string, cwd: string): Promise<ArtifactToStore> {
  const md5 = createHash('md5');
  let inspected: Awaited<ReturnType<typeof inspectStream>>;
  try {
    const stats = await stat(path);
    // A pipe of the shell can be read only once.
    if (!stats.isFile())
      return await artifactFromBytes(readInputFile(cwd, shownAs, INSTEAD_OF_FOLDER), printable(shownAs), cwd);
    const { size } = stats;
    if (size > MAX_ARTIFACT_BYTES) throw Object.assign(new Error('too large'), { code: 'ERR_FS_FILE_TOO_LARGE' });
    const chunks = readChunks(path, READ_BYTES);
    inspected = await inspectStream(chunks, { packedBytes: size, cwd, onChunk: (chunk) => md5.update(chunk) });
  } catch (error) {
    throw unreadableFile(shownAs, error, INSTEAD_OF_FOLDER);
  }
  const { content } = inspected;
  refuseUnlikeArtifact(printable(shownAs), content.head);
  const known = { length: content.bytes, sha256: content.sha256, md5: md5.digest('base64') };
  return { bytes: fileBytes(path, shownAs, known), url: null, ...inspected };
}

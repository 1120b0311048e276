import { message } from '../../core/text/message.ts';
import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { documentContent } from '../../core/json/json.ts';
import { listedVersionsIn, versionFields } from '../../core/registry/manifest.ts';
import { parseUrl } from '../../core/url/url.ts';
import { localPath } from '../../observe/workspace/places.ts';
import { makeFolderSync, whyNotUsable } from '../../platform/make-folder.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { replaceFile, requireWritableFile } from '../../store/directory/atomic.ts';
import { stopIfInterrupted } from '../../store/interrupt.ts';
import { bundle as build, type BundleOptions } from '../../bundle/bundle.ts';
import { grouped, printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { wantedBillOf, wantsLoadTest } from '../../release/repository.ts';
import { optionsForBuild } from '../check/build-flags.ts';
import { exceptedSecrets } from '../../publish/excepted-secrets.ts';
import { checkContent } from '../../publish/check-content.ts';
import { inspectBytes } from '../../release/inspect-artifact.ts';
import { allowedSecrets } from '../check/allowed-secrets.ts';
import { exportsFields, exportsLines } from '../check/exports.ts';
import { settings } from '../check/settings.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import type { bundleCommand } from '../define/bundle.ts';
import { quotedPath } from '../io/shown-path.ts';

type Options = OptionsOf<typeof bundleCommand>;

/** `appreg bundle <entry> <output>`: builds, then writes the archive atomically. */
export async function runBundle(context: Context, entry: string, output: string, options: Options): Promise<number> {
  const { cwd, terminal } = context;
  const target = outputFile(cwd, output);
  const allowed = allowedSecrets(options);
  const configuration = await context.config();
  const { config } = configuration;
  const judged = await settings(context);
  const file = resolve(cwd, entry);
  const request: BundleOptions = {
    entry: file,
    ...(await optionsForBuild(configuration, { file }, options)),
    leaveOut: target,
    cwd,
  };
  if (options.ui !== undefined) request.ui = resolve(cwd, options.ui);

  const progress = terminal.progress(message`building ${entry}`);
  const built = await build(request).finally(() => progress.stop());
  const { archive, checksum, tarSha256, entries, warnings } = built;
  const wantedBill = wantedBillOf(options, config);
  const bill =
    wantedBill === 'none' ? null : (await import('../../release/bill.ts')).billFor(built, output, wantedBill);
  const content = {
    ...judged,
    allowedSecrets: allowed,
    // Those that the configuration allows in any artifact: the app is not known here.
    exceptedSecrets: exceptedSecrets(config.exceptions, { app: null, version: null, now: judged.now }),
    anyContent: options.anyContent === true,
  };
  warnings.push(...checkContent(await inspectBytes(archive, cwd, built), content));
  const loaded = wantsLoadTest(config.bundle, options, true)
    ? await (await import('../check/load-test.ts')).tested(context, built, request, config.artifact?.entry)
    : null;
  warnings.push(...(loaded?.warnings ?? []));
  await writeFiles(target, archive, bill && { path: resolve(cwd, bill.path), bytes: bill.bytes });

  for (const warning of warnings) terminal.log(message`warning: ${warning}`);
  const sbom = bill && { path: bill.path, bytes: bill.bytes.length };
  const width = Math.max(...entries.map((one) => grouped(one.size).length));
  printResult<'bundle'>(context, {
    pretty: (style) =>
      [
        `${style.bold(printable(output))}  ${grouped(archive.length)} bytes`,
        ...entries.map(({ path, size }) => `  ${grouped(size).padStart(width)}  ${printable(path)}`),
        checksum,
        ...exportsLines(loaded),
        ...(sbom === null ? [] : [`${printable(sbom.path)}  ${grouped(sbom.bytes)} bytes`]),
      ].join('\n'),
    json: () => ({
      path: output,
      bytes: archive.length,
      entries,
      checksum,
      tarSha256,
      warnings,
      ...exportsFields(loaded),
      ...(sbom !== null && { sbom }),
    }),
  });
  terminal.next(message`appreg publish-version <app> <version> --artifact ${quotedPath(printable(output))}`);
  return 0;
}

function outputFile(cwd: string, output: string): string {
  const file = resolve(cwd, output);
  if (!file.endsWith('.tar.gz') || file.endsWith('/.tar.gz') || file.endsWith('\\.tar.gz')) {
    throw new AppregError(
      'option-invalid',
      message`The output ${output} does not end in .tar.gz.`,
      message`Use a name such as dist/my-app-1.0.0.tar.gz.`,
    );
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new AppregError(
      'option-invalid',
      message`The output ${output} is a folder.`,
      message`Give a file name in that folder.`,
    );
  }
  return file;
}

/**
 * Writes the archive atomically, and its bill of materials.
 * @param file absolute; its folder is created if it is missing, and removed again if the file cannot be written
 * @throws AppregError `immutable` (exit 1) for the artifact of a listed version with other bytes
 */
async function writeFiles(
  file: string,
  archive: Uint8Array,
  bill: { path: string; bytes: Uint8Array } | null,
): Promise<void> {
  stopIfInterrupted();
  const folder = dirname(file);
  refusePublished(file, archive);
  if (bill !== null) await requireWritableFile(bill.path);
  const madeFolders = createFolder(folder);
  try {
    await replaceFile(file, archive);
  } catch (error) {
    if (madeFolders !== undefined) removeFolders(folder, madeFolders);
    throw error;
  }
  if (bill !== null) await replaceFile(bill.path, bill.bytes);
}

/** The topmost folder that was created, if any. */
function createFolder(folder: string): string | undefined {
  try {
    return makeFolderSync(folder);
  } catch (error) {
    throw new AppregError(
      'output-unwritable',
      message`The folder ${folder} cannot be created: ${whyNotUsable(error)}.`,
      message`Choose another output, or create the folder first.`,
      { cause: error },
    );
  }
}

/** From the innermost folder up to `top`, as long as they are empty: another process may have created files there. */
function removeFolders(folder: string, top: string): void {
  for (let at = folder; at.length >= top.length && readdirSync(at).length === 0; at = dirname(at)) rmdirSync(at);
}

/**
 * Refuses to change a published artifact (spec 2.4): those of a metadata file are in the folder with its name, beside it.
 * @throws AppregError `immutable` (exit 1) for the artifact of a listed version with other bytes
 */
function refusePublished(file: string, archive: Uint8Array): void {
  const folder = dirname(file);
  const metadata = readRegularFile(`${folder}.json`);
  if (!('bytes' in metadata)) return;
  const end = `/${basename(folder)}/${basename(file)}`;
  const listed = (listedVersionsIn(documentContent(metadata.bytes)) ?? [])
    .map(versionFields)
    .find(({ artifactUrl }) => artifactUrl !== null && `/${pathOnHost(artifactUrl)}`.endsWith(end));
  const old = listed === undefined ? null : readRegularFile(file);
  if (old === null || !('bytes' in old) || old.bytes.equals(archive)) return;
  throw new AppregError(
    'immutable',
    message`${file} is the artifact of the published version ${listed?.version ?? ''}, and the new archive has other bytes. A published file never changes.`,
    message`Choose another output, and publish it as a new version: appreg publish-version <app> patch --artifact <file>`,
    { effect: 'none' },
  );
}

/** The path that a URL names, as that of a file; '' for none. The base URL need not be known here. */
function pathOnHost(url: string): string {
  const parsed = parseUrl(url);
  return parsed === null ? '' : (localPath(parsed.href, `${parsed.origin}/`) ?? '');
}

import { message } from '../core/text/message.ts';
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { counted, grouped, printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import type { Provenance } from '../core/registry/lock-file.ts';
import type { FileToPack } from './archive.ts';
import { buildCode } from './code.ts';
import { type PackedFile, readable, readFolder, readIncluded } from './files.ts';
import { checkNames } from './names.ts';
import type { BundleOptions } from './options.ts';
import type { Materials } from './packages/materials.ts';
import { isVirtual, packagePath, type Trace } from './package-paths.ts';
import type { Reference } from './references/references.ts';
import { systemErrorCode } from '../platform/system-error.ts';

export type { BundleOptions };

/** An artifact that was built. */
export interface Bundle {
  /** The bytes of the .tar.gz. */
  archive: Uint8Array;
  /** `sha256:HEX` of the archive, as in the metadata (spec 2.2). */
  checksum: string;
  /** Hexadecimal SHA-256 of the tar inside, before compression. */
  tarSha256: string;
  /** In archive order; sizes in bytes. */
  entries: { path: string; size: number }[];
  warnings: string[];
  /** The packages of which code is in the archive; null for a packed folder, since they are not known. */
  materials: Materials | null;
  /** The inputs of the archive; reads the sources. Null unless `traced`. */
  provenance: (() => Provenance) | null;
  /** The files that it was built from, absolute; empty unless `traced`. */
  sources: string[];
  /** The files of which code is in the archive: their absolute paths, by those that the code names. */
  modules: ReadonlyMap<string, string>;
  /** The imports that the code leaves to the place where it runs, other than modules of Node, each with the files that have them. */
  external: ReadonlyMap<string, readonly string[]>;
  /** The names that app.js exports; null if they are only known when it is loaded, as for a packed folder. */
  exports: readonly string[] | null;
  /** References of the code to what the archive does not contain. */
  missing: readonly Reference[];
}

const MOST_BYTES = 1024 ** 3;
const MOST_ENTRIES = 10_000;
/** Above this size, readers check the compression ratio of an archive. */
const RATIO_FROM = 10 * 1024 ** 2;
const MOST_RATIO = 200;

/**
 * Builds an entry point, or packs a folder, into an archive whose bytes depend only on the sources (spec 2.4, 4.4).
 * Nothing is written to disk. Throws AppregError: exit 1 for code that does not build, exit 2 for unreadable files.
 */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const isPacked = isFolder(options.entry);
  const contents = isPacked ? fromFolder(options) : fromCode(options);
  const root = isPacked ? options.entry : dirname(options.entry);
  // While the compiler runs, the rest is loaded, and the compression is tested.
  const [{ files, warnings, traces, packed, materials, notices, exports, missing }, { packArchive }, digests] =
    await Promise.all([
      contents,
      import('./archive.ts'),
      options.traced === true ? import('./sources.ts') : null,
      import('./deflate.ts').then(({ reproducibleDeflate }) => reproducibleDeflate()),
    ]);
  // By code unit: locale-dependent order differs between machines.
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  checkNames(files.map((file) => file.path));
  checkSize(files);
  const { archive, checksum, tarSha256 } = await packArchive(files);
  const size = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (size > RATIO_FROM && size > archive.length * MOST_RATIO) {
    warnings.push(
      `the archive unpacks to more than ${MOST_RATIO} times its size; tools that protect against archive bombs may reject it`,
    );
  }
  return {
    archive,
    checksum,
    tarSha256,
    entries: files.map(({ path, bytes }) => ({ path, size: bytes.length })),
    warnings,
    materials,
    provenance: digests && (() => digests.provenanceOf(traces, packed, notices, options)),
    sources:
      digests === null
        ? []
        : [...digests.filesRead(traces), ...packed.map(({ path, source }) => source ?? join(root, path))],
    modules: modulesOf(traces),
    external: externalOf(traces),
    exports,
    missing,
  };
}

function modulesOf(traces: readonly Trace[]): Map<string, string> {
  return new Map(
    traces.flatMap(({ folder, bundled }) =>
      [...bundled]
        .filter((input) => !isVirtual(input))
        .map((input) => [packagePath(input), resolve(folder, input)] as const),
    ),
  );
}

function externalOf(traces: readonly Trace[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { external } of traces)
    for (const [name, inputs] of external)
      found.set(name, [...(found.get(name) ?? []), ...inputs.map((input) => packagePath(input))]);
  return found;
}

interface Contents {
  files: FileToPack[];
  warnings: string[];
  /** Files that the compiler read. */
  traces: Trace[];
  /** The files that are packed as they are. */
  packed: PackedFile[];
  materials: Materials | null;
  /** The license notices of packages; null for none. */
  notices: FileToPack | null;
  exports: readonly string[] | null;
  missing: Reference[];
}

function fromFolder(options: BundleOptions): Contents {
  if (options.ui !== undefined) {
    throw new AppregError(
      'option-conflict',
      message`--ui cannot be combined with a folder, which is packed as it is.`,
      message`Omit --ui, or give an entry point instead of the folder.`,
    );
  }
  const { files, skipped } = readFolder(options.entry, options.leaveOut ?? null);
  if (files.length === 0) {
    throw new AppregError(
      'bundle-empty',
      message`${options.entry} contains no files.`,
      message`Put app.js into it, or give an entry point to build.`,
    );
  }
  const warnings = skipped.map((path) => `left out: ${printable(path)}`);
  return {
    files,
    warnings,
    traces: [],
    packed: files,
    materials: null,
    notices: null,
    exports: null,
    missing: [],
  };
}

async function fromCode(options: BundleOptions): Promise<Contents> {
  const { files, warnings, references, traces, exports } = await buildCode(options);
  const included = await readIncluded(dirname(options.entry), options);
  const all = [...files, ...included];
  const paths = new Set(all.map(({ path }) => path));
  const missing: Reference[] = [];
  for (const { output, root, found } of references) {
    if (found.length === 0) continue;
    const { missingIn, warningsAbout } = await import('./references/warnings.ts');
    const contents = { root, cwd: options.cwd ?? root, output, paths };
    const lacking = missingIn(found, contents);
    warnings.push(...warningsAbout(lacking, contents));
    missing.push(...lacking);
  }
  const { materials, notices } = await packagesOf(traces, included, options);
  if (notices !== null) {
    warnings.push(...notices.warnings);
    all.push(notices.file);
  }
  return {
    files: all,
    warnings,
    traces,
    packed: included,
    materials,
    notices: notices?.file ?? null,
    exports,
    missing,
  };
}

/**
 * The packages of compiled code, and their license notices.
 * @throws AppregError `license-not-allowed` (exit 1) for a license that the options do not allow
 */
async function packagesOf(
  traces: readonly Trace[],
  included: readonly FileToPack[],
  { licenses, notices: isWanted = true }: BundleOptions,
): Promise<{ materials: Materials; notices: { file: FileToPack; warnings: string[] } | null }> {
  // Most small apps have no packages, and load none of this.
  const hasPackages = traces.some(({ bundled }) => [...bundled].some((input) => input.includes('node_modules/')));
  const { materials, installed } = hasPackages
    ? (await import('./packages/materials.ts')).readMaterials(traces)
    : { materials: noMaterials(traces), installed: [] };
  if (licenses !== undefined)
    (await import('./packages/check-licenses.ts')).checkLicenses(materials.packages, licenses);
  if (!isWanted || installed.length === 0) return { materials, notices: null };
  const { NOTICES_FILE, noticesOf } = await import('./packages/notices.ts');
  // The author's own file is complete.
  if (included.some(({ path }) => path === NOTICES_FILE)) return { materials, notices: null };
  return { materials, notices: noticesOf(installed, licenses?.texts) };
}

function noMaterials(traces: readonly Trace[]): Materials {
  return { packages: [], imports: new Map([['', []]]), esbuild: traces[0]?.version ?? '' };
}

function isFolder(entry: string): boolean {
  try {
    return statSync(entry, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOTDIR') return false;
    throw readable(error);
  }
}

function checkSize(files: readonly FileToPack[]): void {
  const size = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (size <= MOST_BYTES && files.length <= MOST_ENTRIES) return;
  throw new AppregError(
    'bundle-too-large',
    message`${counted(files.length, 'file')} with ${counted(size, 'byte')} are too much for one artifact.`,
    message`Pack at most ${grouped(MOST_ENTRIES)} files and ${grouped(MOST_BYTES)} bytes.`,
  );
}
